# GtestSuites: makes each suite of a GoogleTest program one test of ctest, LAYER.SUITE. With sanitizers, starting the program takes longer
# than most tests take, so a process for each test (gtest_discover_tests) needs half as much CPU time again.
#
# As a script: writes the tests of PROGRAM into FILE, each started by LAUNCHER. PREFIX comes before their names; PROPERTIES are those of
# each.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE list COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\.[ \n]" suites "${list}")
  set(tests "")
  foreach(suite ${suites})
    string(REGEX REPLACE "[ \n.]" "" suite "${suite}")
    string(APPEND tests "add_test(${PREFIX}.${suite} ${LAUNCHER} \"${PROGRAM}\" --gtest_filter=${suite}.*)\n"
      "set_tests_properties(${PREFIX}.${suite} PROPERTIES ${PROPERTIES})\n")
  endforeach()
  if(tests STREQUAL "")
    message(FATAL_ERROR "${PROGRAM} has no tests")
  endif()
  file(WRITE ${FILE} "${tests}")
  return()
endif()

function(iotrace_gtest_suites program prefix launcher) # PROPERTY VALUE ...
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake)
  string(JOIN " " properties ${ARGN})
  add_custom_command(TARGET ${program} POST_BUILD BYPRODUCTS ${file}
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${program}> -D FILE=${file} -D PREFIX=${prefix} -D "LAUNCHER=${launcher}" -D "PROPERTIES=${properties}"
      -P ${PROJECT_SOURCE_DIR}/cmake/GtestSuites.cmake VERBATIM)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()
