# Configures the consumer with accy inside and compiles its object, not accy itself.
#
#   cmake -DSOURCE=<accy> -DWORK=<scratch> -DCXX=<compiler> -DCC=<compiler> -P subdirectory.cmake

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK})
foreach(arguments IN ITEMS
        "-S;${CMAKE_CURRENT_LIST_DIR}/consumer;-B;${WORK};-G;Ninja;-DCMAKE_CXX_COMPILER=${CXX};-DCMAKE_C_COMPILER=${CC};-DACCY_SOURCE=${SOURCE}"
        "--build;${WORK};--target;consumer_objects")
  execute_process(COMMAND ${CMAKE_COMMAND} ${arguments} RESULT_VARIABLE code
                  OUTPUT_VARIABLE log ERROR_VARIABLE log)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "cmake ended with ${code}\n${log}")
  endif()
endforeach()
file(REMOVE_RECURSE ${WORK})
