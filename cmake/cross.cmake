# cross: the toolchain file for another architecture, with Debian's packages for it on this machine (multiarch).
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/cross.cmake -DIOTRACE_CROSS=aarch64-linux-gnu ...
#
# Programs of tests run under QEMU's emulation of user programs. test/cross/run does all of it.
if(NOT IOTRACE_CROSS)
  message(FATAL_ERROR "IOTRACE_CROSS is not set: give the triple of the compiler, such as aarch64-linux-gnu")
endif()
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES IOTRACE_CROSS)
string(REGEX REPLACE "-.*" "" processor ${IOTRACE_CROSS})
string(REPLACE powerpc64le ppc64le processor ${processor})

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_LIBRARY_ARCHITECTURE ${IOTRACE_CROSS})
set(CMAKE_C_COMPILER ${IOTRACE_CROSS}-gcc)
set(CMAKE_CXX_COMPILER ${IOTRACE_CROSS}-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${processor})
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${IOTRACE_CROSS}/pkgconfig:/usr/share/pkgconfig)
