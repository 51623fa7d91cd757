# The digest of the code that decides what a compile gives, as a header for
# core/preparation/compiler_identity.cpp: a store on disk never serves another compiler's products.
set(accy_identity_header ${PROJECT_BINARY_DIR}/generated/accy_source_digest.hpp)
set(accy_identity_list ${PROJECT_BINARY_DIR}/generated/sources.txt)
set(accy_identity_patterns)
foreach(folder IN ITEMS include core targets)
  list(APPEND accy_identity_patterns ${PROJECT_SOURCE_DIR}/${folder}/*.hpp
                                     ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
endforeach()
file(GLOB_RECURSE accy_identity_sources CONFIGURE_DEPENDS ${accy_identity_patterns})
list(JOIN accy_identity_sources "\n" accy_identity_text)
file(WRITE ${accy_identity_list} "${accy_identity_text}\n")
add_custom_command(OUTPUT ${accy_identity_header}
  COMMAND ${CMAKE_COMMAND} -DLIST=${accy_identity_list} -DOUTPUT=${accy_identity_header}
          -P ${PROJECT_SOURCE_DIR}/cmake/source_digest.cmake
  DEPENDS ${accy_identity_sources} ${PROJECT_SOURCE_DIR}/cmake/source_digest.cmake
  VERBATIM)
target_sources(accy_preparation PRIVATE ${accy_identity_header})
target_include_directories(accy_preparation PRIVATE ${PROJECT_BINARY_DIR}/generated)
