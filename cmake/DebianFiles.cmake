# DebianFiles: what Debian's policy wants in a package, made of what the project has: the copyright in a form that
# machines read, a changelog in Debian's form, and pages compressed without a time. cpack runs it on the staged files.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
set(share ${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
set(doc ${share}/doc/${CPACK_PACKAGE_NAME})

file(READ ${doc}/LICENSE license)
file(REMOVE ${doc}/LICENSE) # the copyright has it
string(REGEX MATCH "Copyright [^\n]*" copyright "${license}")
string(REGEX REPLACE "^.*${copyright}[^\n]*\n+" "" license "${license}")
string(REPLACE "${copyright}" "" license "${license}")
string(REGEX REPLACE "^[^\n]*License\n+" "" license "${license}")
string(REGEX REPLACE "\n+$" "" license "${license}")
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
string(REGEX REPLACE "^Copyright (\\(c\\) )?" "" copyright "${copyright}")
# The license names no year: it is that of the version, whose date the page has.
file(STRINGS ${share}/man/man1/${CPACK_PACKAGE_NAME}.1 date REGEX "^\\.Dd ")
string(REGEX MATCH "[0-9][0-9][0-9][0-9]" year "${date}")
file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ${CPACK_PACKAGE_NAME}

Files: *
Copyright: ${year} ${copyright}
License: BSD-3-clause
 ${license}
")

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}; CHANGELOG.md says what has changed.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")

file(GLOB pages ${share}/man/man*/*.[1-8])
execute_process(COMMAND gzip -9n ${pages} ${doc}/changelog ${doc}/CHANGELOG.md RESULT_VARIABLE result)
if(result)
  message(FATAL_ERROR "the pages cannot be compressed: gzip: ${result}")
endif()
file(GLOB_RECURSE made ${doc}/*)
file(CHMOD ${made} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
