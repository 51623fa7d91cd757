# Writes the header OUTPUT with the digest of all files that the file LIST names, a line each.
file(STRINGS ${LIST} sources)
set(digests "")
foreach(source IN LISTS sources)
  file(SHA256 ${source} digest)
  string(APPEND digests "${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
file(WRITE ${OUTPUT} "#define ACCY_SOURCE_DIGEST \"${digest}\"\n")
