# The library that users link, accy::accy, made of all parts; its installation and package files.

get_property(accy_parts GLOBAL PROPERTY ACCY_PARTS)
get_property(accy_private_libraries GLOBAL PROPERTY ACCY_PRIVATE_LIBRARIES)
get_property(accy_private_packages GLOBAL PROPERTY ACCY_PRIVATE_PACKAGES)
get_property(accy_private_modules GLOBAL PROPERTY ACCY_PRIVATE_MODULES)

add_library(accy)  # BUILD_SHARED_LIBS says which kind
add_library(accy::accy ALIAS accy)
foreach(part IN LISTS accy_parts)
  target_sources(accy PRIVATE $<TARGET_OBJECTS:${part}>)
endforeach()
target_compile_features(accy PUBLIC cxx_std_20)
target_include_directories(accy PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                       $<INSTALL_INTERFACE:include>)
target_link_libraries(accy PUBLIC tl::expected PRIVATE ${accy_private_libraries})
# Static libraries from elsewhere keep their symbols to themselves.
target_link_options(accy PRIVATE ${ACCY_LINK_OPTIONS} -Wl,--exclude-libs,ALL)
# Until 1.0 every minor version may change the binary interface.
set_target_properties(accy PROPERTIES
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

if(ACCY_INSTALL)
  include(GNUInstallDirs)
  include(CMakePackageConfigHelpers)
  set(accy_package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/accy)
  get_target_property(accy_kind accy TYPE)

  # A shared library has its own private dependencies; CMake still asks where they are.
  set(ACCY_FIND_DEPENDENCIES "")
  foreach(package IN LISTS accy_private_packages)
    string(APPEND ACCY_FIND_DEPENDENCIES "find_dependency(${package})\n")
  endforeach()
  list(JOIN accy_private_modules " " ACCY_REQUIRES)
  set(ACCY_PRIVATE_LIBS "")
  foreach(library IN LISTS CMAKE_DL_LIBS)
    string(APPEND ACCY_PRIVATE_LIBS " -l${library}")
  endforeach()
  string(APPEND ACCY_PRIVATE_LIBS " ${CMAKE_THREAD_LIBS_INIT}")
  if(accy_kind STREQUAL "SHARED_LIBRARY")
    set(ACCY_FIND_DEPENDENCIES "")
    set(ACCY_REQUIRES "")
    set(ACCY_PRIVATE_LIBS "")
  endif()

  configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/accyConfig.cmake.in
    ${PROJECT_BINARY_DIR}/package/accyConfig.cmake INSTALL_DESTINATION ${accy_package_directory})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/accyConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  file(RELATIVE_PATH ACCY_PREFIX_FROM_MODULE /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/accy.pc.in ${PROJECT_BINARY_DIR}/package/accy.pc @ONLY)

  install(TARGETS accy EXPORT accy)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
  install(EXPORT accy NAMESPACE accy:: FILE accyTargets.cmake DESTINATION ${accy_package_directory})
  install(FILES ${PROJECT_BINARY_DIR}/package/accyConfig.cmake
                ${PROJECT_BINARY_DIR}/package/accyConfigVersion.cmake
          DESTINATION ${accy_package_directory})
  install(FILES ${PROJECT_BINARY_DIR}/package/accy.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
