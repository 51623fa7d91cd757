# accy_library(NAME SOURCES...): a static part of accy with the project's compile rules.

# -Wrestrict is wrong about std::string in g++ 12 (GCC bug 105329).
set(ACCY_COMPILE_OPTIONS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers -Wno-restrict
                         -ffp-contract=off -fvisibility=hidden)
if(ACCY_WARNINGS_AS_ERRORS)
  list(APPEND ACCY_COMPILE_OPTIONS -Werror)
endif()
set(ACCY_LINK_OPTIONS)
foreach(sanitizer IN LISTS ACCY_SANITIZE)
  list(APPEND ACCY_COMPILE_OPTIONS -fsanitize=${sanitizer} -fno-omit-frame-pointer)
  list(APPEND ACCY_LINK_OPTIONS -fsanitize=${sanitizer})
endforeach()

function(accy_compile_rules target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${ACCY_COMPILE_OPTIONS}>)
  target_link_options(${target} PRIVATE ${ACCY_LINK_OPTIONS})
endfunction()

function(accy_library target)
  set(sources ${ARGN})
  if(NOT sources)  # bootstrap only: a folder whose first file is not there yet
    file(WRITE ${PROJECT_BINARY_DIR}/empty.cpp "")
    set(sources ${PROJECT_BINARY_DIR}/empty.cpp)
  endif()
  add_library(${target} STATIC ${sources})
  accy_compile_rules(${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/core
                                              ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC tl::expected)
endfunction()

function(accy_program target)
  add_executable(${target} ${ARGN})
  accy_compile_rules(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()
