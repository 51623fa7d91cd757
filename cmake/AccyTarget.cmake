# The compile rules, and the functions that make accy's targets.
#
#   accy_library(NAME SOURCES...)          a part of the library that users link (cmake/AccyPackage)
#   accy_helper_library(NAME SOURCES...)   a static library for accy's own programs and tests
#   accy_program(NAME SOURCES...)          a program in bin/
#   accy_private_dependency(...)           a library that the parts link but no public header shows

set(ACCY_COMPILE_OPTIONS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                         -Wno-missing-field-initializers -ffp-contract=off -fvisibility=hidden)
set(ACCY_LINK_OPTIONS)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND ACCY_COMPILE_OPTIONS -Wno-restrict)  # wrong about std::string: GCC bug 105329
  if(ACCY_PRECOMPILE)
    # ccache reads the preprocessed text. Code of a precompiled system header no longer counts as a
    # system header's, so that known wrong warnings (GCC bug 105651 and others) come through.
    list(APPEND ACCY_COMPILE_OPTIONS -fpch-preprocess -Wno-array-bounds -Wno-stringop-overflow
                                     -Wno-stringop-overread)
  endif()
endif()
if(ACCY_WARNINGS_AS_ERRORS)
  list(APPEND ACCY_COMPILE_OPTIONS -Werror)
endif()

set(accy_sanitizers ${ACCY_SANITIZE})
if(ACCY_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "ACCY_FUZZ needs clang for libFuzzer, not ${CMAKE_CXX_COMPILER_ID}")
  endif()
  list(APPEND accy_sanitizers fuzzer-no-link)
endif()
foreach(sanitizer IN LISTS accy_sanitizers)
  list(APPEND ACCY_COMPILE_OPTIONS -fsanitize=${sanitizer} -fno-omit-frame-pointer)
  list(APPEND ACCY_LINK_OPTIONS -fsanitize=${sanitizer})
endforeach()
if(ACCY_COVERAGE)
  # Tests run in parallel and add to the same counters.
  list(APPEND ACCY_COMPILE_OPTIONS --coverage -fprofile-update=atomic)
  list(APPEND ACCY_LINK_OPTIONS --coverage)
endif()

function(accy_compile_rules target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${ACCY_COMPILE_OPTIONS}>)
  target_link_options(${target} PRIVATE ${ACCY_LINK_OPTIONS})
endfunction()

function(accy_helper_library target)
  add_library(${target} STATIC ${ARGN})
  accy_compile_rules(${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/core
                                              ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC tl::expected)
  accy_use_precompiled(${target} accy_precompiled)
endfunction()

function(accy_library target)
  accy_helper_library(${target} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY ACCY_PARTS ${target})
endfunction()

function(accy_program target)
  add_executable(${target} ${ARGN})
  accy_compile_rules(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

# accy_private_dependency(LIBRARY name [PACKAGE cmake-package] [PKG_CONFIG module]): who links the
# static accy must link it too, so that the package files look for it there.
function(accy_private_dependency)
  cmake_parse_arguments(dependency "" "LIBRARY;PACKAGE;PKG_CONFIG" "" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY ACCY_PRIVATE_LIBRARIES ${dependency_LIBRARY})
  set_property(GLOBAL APPEND PROPERTY ACCY_PRIVATE_PACKAGES ${dependency_PACKAGE})
  set_property(GLOBAL APPEND PROPERTY ACCY_PRIVATE_MODULES ${dependency_PKG_CONFIG})
endfunction()
