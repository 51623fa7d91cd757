# What accy may change in the project around it: targets and cache entries named accy, and what
# find_package records. Nothing else.

macro(remember_settings)
  get_cmake_property(variables_before VARIABLES)
  get_cmake_property(cache_before CACHE_VARIABLES)
  foreach(name IN LISTS variables_before)
    set(before_${name} "${${name}}")
  endforeach()
endmacro()

function(check_settings)
  foreach(name IN LISTS variables_before)
    if(name MATCHES "^(CMAKE_.*FLAGS|CMAKE_CXX_STANDARD|CMAKE_BUILD_TYPE|BUILD_)" AND
       NOT "${${name}}" STREQUAL "${before_${name}}")
      message(FATAL_ERROR "accy changed ${name} from '${before_${name}}' to '${${name}}'")
    endif()
  endforeach()

  get_cmake_property(cache_after CACHE_VARIABLES)
  list(REMOVE_ITEM cache_after ${cache_before})
  list(FILTER cache_after EXCLUDE REGEX
       "^(ACCY_|accy_|CMAKE_(C_|HAVE_|PROJECT_VERSION)|Vulkan_|FIND_PACKAGE_MESSAGE_)|_DIR$")
  if(cache_after)
    message(FATAL_ERROR "accy left cache entries behind: ${cache_after}")
  endif()

  check_folder(${ACCY_SOURCE})
endfunction()

# Targets of that folder and those below; nothing but the library is built by default.
function(check_folder source)
  get_property(targets DIRECTORY ${source} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(kind ${target} TYPE)
    if(NOT target MATCHES "^accy" OR kind STREQUAL "EXECUTABLE")
      message(FATAL_ERROR "accy made the target ${target} (${kind})")
    endif()
  endforeach()
  get_property(folders DIRECTORY ${source} PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS folders)
    check_folder(${folder})
  endforeach()
endfunction()
