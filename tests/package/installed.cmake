# Installs accy, moves the installation, and builds and runs the consumer against it: by
# find_package and, where pkg-config exists, by hand with what it says.
#
#   cmake -DBINARY=<accy's build> -DSOURCE=<accy> -DWORK=<scratch> -DCXX=<compiler>
#         -DFLAGS=<flags> -DINCLUDES=<headers that must be there> -P installed.cmake

cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE log ERROR_VARIABLE log)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${code}\n${log}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BINARY} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/prefix)

foreach(header IN LISTS INCLUDES)
  if(NOT EXISTS ${WORK}/prefix/include/${header})
    message(FATAL_ERROR "${header} is not installed")
  endif()
endforeach()
file(GLOB_RECURSE texts ${WORK}/prefix/*.cmake ${WORK}/prefix/*.pc)
if(NOT texts)
  message(FATAL_ERROR "no package files are installed")
endif()
foreach(path IN LISTS texts)
  file(READ ${path} text)
  foreach(folder IN ITEMS ${BINARY} ${SOURCE} ${WORK})
    string(FIND "${text}" "${folder}/" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${path} names ${folder}")
    endif()
  endforeach()
endforeach()

set(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer)
run(${CMAKE_COMMAND} -S ${consumer} -B ${WORK}/consumer -G Ninja -DCMAKE_CXX_COMPILER=${CXX}
    "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/consumer)

find_program(pkg_config pkg-config)
if(pkg_config)
  file(GLOB_RECURSE module ${WORK}/prefix/accy.pc)
  cmake_path(GET module PARENT_PATH folder)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  execute_process(COMMAND ${pkg_config} --cflags --libs accy OUTPUT_VARIABLE arguments
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(arguments UNIX_COMMAND "${arguments}")
  separate_arguments(flags UNIX_COMMAND "${FLAGS}")
  file(GLOB_RECURSE library ${WORK}/prefix/libaccy.*)
  list(GET library 0 library)
  cmake_path(GET library PARENT_PATH library_folder)
  run(${CXX} -std=c++20 ${flags} "-DPROGRAM=\"${consumer}/scale.choir\"" ${consumer}/consumer.cpp
      -o ${WORK}/by_pkg_config ${arguments} -Wl,-rpath,${library_folder})
  run(${WORK}/by_pkg_config)
endif()
file(REMOVE_RECURSE ${WORK})
