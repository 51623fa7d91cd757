# Precompiled headers of the standard library and of what tests and tools include everywhere: half of
# a build without them is parsing. Project headers stay out, so that each file includes what it uses
# (the presets without ACCY_PRECOMPILE check that). A header is compiled once for each set of flags.
#
#   accy_precompile(NAME HEADERS... [LIBRARIES...] [OPTIONS...])   the target whose headers others take over
#   accy_use_precompiled(TARGET NAME)

function(accy_precompile name)
  cmake_parse_arguments(precompile "" "" "HEADERS;LIBRARIES;OPTIONS" ${ARGN})
  if(NOT ACCY_PRECOMPILE)
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Carries the precompiled headers.\n")
  add_library(${name} OBJECT ${source})
  accy_compile_rules(${name})
  target_compile_options(${name} PRIVATE ${precompile_OPTIONS})
  target_link_libraries(${name} PRIVATE tl::expected ${precompile_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${precompile_HEADERS})
endfunction()

function(accy_use_precompiled target name)
  if(ACCY_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

set(accy_standard_headers <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional>
                          <set> <span> <sstream> <string> <string_view> <unordered_map> <variant>
                          <vector> <nlohmann/json.hpp> <tl/expected.hpp>)
accy_precompile(accy_precompiled HEADERS ${accy_standard_headers})
