# accy_sizes: prints what the library and the tool weigh, and what the tool loads.
set(accy_sized accy)
set(accy_sized_tool "")
if(TARGET accy_program)
  list(APPEND accy_sized accy_program)
  set(accy_sized_tool $<TARGET_FILE:accy_program>)
endif()
list(TRANSFORM accy_sized REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE accy_sized_files)
add_custom_target(accy_sizes
  COMMAND ${CMAKE_COMMAND} "-DFILES=${accy_sized_files}" -DTOOL=${accy_sized_tool}
          -DSTRIP=${CMAKE_STRIP} -P ${CMAKE_CURRENT_LIST_DIR}/sizes.cmake
  DEPENDS ${accy_sized}
  VERBATIM)
