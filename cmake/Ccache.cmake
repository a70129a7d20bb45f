# Ccache: compilations go through ccache where it works (it needs a folder that it may write to). One cache serves all
# checkouts: ccache makes paths below the source folder relative, and what the compiler writes down of them is relative, too. It learns from
# the compiler which files were read (CCACHE_DEPEND), instead of running the preprocessor before it.
option(IOTRACE_CCACHE "compile through ccache, if it is installed" ON)
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(IOTRACE_CCACHE AND CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/ccache.c "int main(void) { return 0; }\n")
  set(launcher env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_DEPEND=1 ${CCACHE})
  set(relative -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
  execute_process(COMMAND ${launcher} ${CMAKE_C_COMPILER} ${relative} -c -o ccache.o ccache.c
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/CMakeFiles RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(result EQUAL 0)
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
    add_compile_options(${relative})
    set(IOTRACE_CCACHE_BPF env CCACHE_NOHASHDIR=1 ${CCACHE}) # cmake/Bpf.cmake has relative paths only
  endif()
endif()
