# Fuzzing as ctest entries of every build. The programs are built by another compiler in another
# folder (the `fuzz` preset); an entry whose program is missing is skipped with that reason.
foreach(name program_text_fuzz npy_fuzz safetensors_fuzz profile_fuzz)
  add_test(NAME Fuzz.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/run ${name})
  # First, as they take longest; each has one core.
  set_tests_properties(Fuzz.${name} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 COST 1000)
endforeach()
add_test(NAME Sanitized.pass_failures
  COMMAND sh -c "test -x \"$1\" || exit 77; exec \"$1\" --gtest_brief=1" sh
          ${PROJECT_SOURCE_DIR}/build/fuzz/fuzz/sanitized_pass_failure_test)
set_tests_properties(Sanitized.pass_failures PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
