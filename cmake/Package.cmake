# Package: `cpack` in the build folder makes the package of the system it runs on.
set(CPACK_PACKAGE_VENDOR "the iotrace authors")
# Whoever makes a package stands for it, as with Debian's own tools: DEBFULLNAME and DEBEMAIL, else git's user, else the user
# here, whose address is good for this machine only.
set(IOTRACE_PACKAGE_CONTACT "" CACHE STRING "name and <address> of who stands for the packages made here")

# Sets the first of the environment's variable, git's setting and `otherwise` that is not empty.
function(iotrace_identity result variable setting otherwise)
  set(value "$ENV{${variable}}")
  if(NOT value)
    execute_process(COMMAND git config ${setting} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE value
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(NOT value)
    set(value "${otherwise}")
  endif()
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

set(contact "${IOTRACE_PACKAGE_CONTACT}")
if(NOT contact)
  cmake_host_system_information(RESULT host QUERY HOSTNAME)
  execute_process(COMMAND id -un OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  iotrace_identity(name DEBFULLNAME user.name "${user}")
  iotrace_identity(address DEBEMAIL user.email "${user}@${host}")
  set(contact "${name} <${address}>")
endif()
set(CPACK_PACKAGE_CONTACT "${contact}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "iotrace records what a program does with files: every open, read, write and
close of its processes and threads, with times, sizes and names. The program is
not touched; the kernel's tracepoints tell. The result is an OTF2 archive for
Vampir, otf2-print and every other reader of that format.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT) # iotrace_VERSION_ARCH.deb
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libsystemd0, libmicrohttpd12 | libmicrohttpd12t64") # the daemon loads them
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "otf2-tools, linux-perf")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake)

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE BSD-3-Clause)
set(CPACK_RPM_PACKAGE_GROUP Development/Tools)

# Packages and the files that cpack leaves are put into the build folder, wherever cpack is called.
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_GENERATOR TXZ)
include(CPack)
# Which form it has is decided when cpack runs: its tools may have been installed after the build.
file(APPEND ${PROJECT_BINARY_DIR}/CPackConfig.cmake "
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(RPMBUILD rpmbuild)
if(DPKG_SHLIBDEPS)
  set(CPACK_GENERATOR DEB)
elseif(RPMBUILD)
  set(CPACK_GENERATOR RPM)
endif()
")
