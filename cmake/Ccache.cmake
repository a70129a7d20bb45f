# Ccache: compilations go through ccache where it works (it needs a folder that it may write to).
option(IOTRACE_CCACHE "compile through ccache, if it is installed" ON)
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(IOTRACE_CCACHE AND CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/ccache.c "int main(void) { return 0; }\n")
  execute_process(COMMAND ${CCACHE} ${CMAKE_C_COMPILER} -c -o ccache.o ccache.c
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/CMakeFiles RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(result EQUAL 0)
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
endif()
