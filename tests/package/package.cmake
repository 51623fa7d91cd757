# What a user of the library meets: each public header alone, an installation, add_subdirectory.
file(GLOB_RECURSE accy_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
     ${PROJECT_SOURCE_DIR}/include/*.hpp)

# Twice, so that a header without its guard is found too.
set(header_sources)
foreach(header IN LISTS accy_headers)
  string(REGEX REPLACE "[/.]" "_" name ${header})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <@header@>\n#include <@header@>\n" @ONLY)
  list(APPEND header_sources ${source})
endforeach()
add_library(accy_header_test OBJECT ${header_sources})
accy_compile_rules(accy_header_test)
target_link_libraries(accy_header_test PRIVATE accy::accy)

if(ACCY_INSTALL)
  list(JOIN ACCY_LINK_OPTIONS " " link_options)
  add_test(NAME Package.installed
    COMMAND ${CMAKE_COMMAND} -DBINARY=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
            -DWORK=${CMAKE_CURRENT_BINARY_DIR}/installed
            -DCXX=${CMAKE_CXX_COMPILER} "-DFLAGS=${link_options}" "-DINCLUDES=${accy_headers}"
            -P ${CMAKE_CURRENT_SOURCE_DIR}/package/installed.cmake)
endif()
add_test(NAME Package.subdirectory
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}
          -DWORK=${CMAKE_CURRENT_BINARY_DIR}/subdirectory -DCXX=${CMAKE_CXX_COMPILER}
          -DCC=${CMAKE_C_COMPILER} -P ${CMAKE_CURRENT_SOURCE_DIR}/package/subdirectory.cmake)
set_tests_properties(Package.subdirectory PROPERTIES TIMEOUT 300)
