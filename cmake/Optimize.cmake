# Optimization beyond a file: an operation passes through forty small functions of six libraries on its way from
# the capture into the archive, and half of its time would go into calls.
#
# The libraries keep ordinary code beside what the link of the program needs, for tests and for who reads symbols.
include(CheckCCompilerFlag)
option(IOTRACE_LTO "optimize the program as a whole (GCC, builds without sanitizers and not of type Debug)" ON)

set(iotrace_flags)
# What stands for "any x86-64" clears a struct of a hundred bytes by an instruction that takes longer to start than the rest.
set(strategy "vector_loop:1024:noalign,libcall:-1:noalign")
check_c_compiler_flag("-mmemset-strategy=${strategy}" IOTRACE_HAS_MEMSET_STRATEGY)
# Not in the builds of tests: clang-tidy reads their commands, and has no such option.
if(IOTRACE_HAS_MEMSET_STRATEGY AND NOT IOTRACE_SANITIZE)
  list(APPEND iotrace_flags "-mmemset-strategy=${strategy}" "-mmemcpy-strategy=${strategy}")
endif()
set(iotrace_lto OFF)
if(IOTRACE_LTO AND CMAKE_C_COMPILER_ID STREQUAL GNU AND NOT IOTRACE_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  set(CMAKE_REQUIRED_LINK_OPTIONS -flto=auto)
  check_c_compiler_flag("-flto=auto -ffat-lto-objects" IOTRACE_HAS_LTO)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  if(IOTRACE_HAS_LTO)
    set(iotrace_lto ON)
    list(APPEND iotrace_flags -flto=auto -ffat-lto-objects)
  endif()
endif()

function(iotrace_optimize target)
  target_compile_options(${target} PRIVATE ${iotrace_flags})
  get_target_property(type ${target} TYPE)
  if(iotrace_lto AND type STREQUAL EXECUTABLE)
    target_link_options(${target} PRIVATE ${iotrace_flags})
  endif()
endfunction()
