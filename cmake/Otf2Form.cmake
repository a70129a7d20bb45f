# Otf2Form: decides who writes event files, iotrace or the OTF2 library.
#
# iotrace writes them by itself, which takes less time (lib/sink/otf2_writer/otf2_record.h), in the form of the versions below; definitions are the
# library's. A property test compares every byte. Of any other version the library writes one file with all records here. If that has
# another form, or cannot be looked at, the library writes the events, too (lib/sink/otf2_writer/otf2_library.c).
set(IOTRACE_OTF2_KNOWN 3.0.2)
set(IOTRACE_OTF2_FORM a21e6a0b44b223e8) # what otf2_events prints with them, on little-endian machines
set(IOTRACE_OTF2_WRITER auto CACHE STRING "who writes event files: own, library, or auto (own if the form of the library is known)")
set_property(CACHE IOTRACE_OTF2_WRITER PROPERTY STRINGS auto own library)

# Sets result to the form of this library, or to a sentence on why it is not known.
function(iotrace_otf2_form result)
  if(CMAKE_CROSSCOMPILING OR NOT CMAKE_C_BYTE_ORDER STREQUAL LITTLE_ENDIAN)
    set(${result} "cannot be run here" PARENT_SCOPE)
    return()
  endif()
  file(REMOVE_RECURSE ${CMAKE_BINARY_DIR}/otf2_form)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/otf2_form)
  unset(IOTRACE_OTF2_RUNS CACHE)
  try_run(IOTRACE_OTF2_RUNS IOTRACE_OTF2_COMPILES ${CMAKE_BINARY_DIR}/otf2_form ${CMAKE_SOURCE_DIR}/cmake/otf2_events.c
    LINK_LIBRARIES OTF2::OTF2 RUN_OUTPUT_VARIABLE form ARGS ${CMAKE_BINARY_DIR}/otf2_form/archive)
  string(STRIP "${form}" form)
  set(${result} "${form}" PARENT_SCOPE)
endfunction()

# Sets IOTRACE_OTF2_LIBRARY to 1 if the library writes events, to 0 if iotrace does.
function(iotrace_check_otf2_form)
  set(is_library 0)
  if("${IOTRACE_OTF2_WRITER}" STREQUAL "library")
    set(is_library 1)
  elseif("${IOTRACE_OTF2_WRITER}" STREQUAL "auto" AND NOT "${OTF2_VERSION}" IN_LIST IOTRACE_OTF2_KNOWN)
    if(NOT "${OTF2_VERSION}" STREQUAL "${IOTRACE_OTF2_CHECKED}")
      iotrace_otf2_form(form)
      set(IOTRACE_OTF2_CHECKED "${OTF2_VERSION}" CACHE INTERNAL "version of OTF2 whose event files were looked at")
      set(IOTRACE_OTF2_CHECKED_FORM "${form}" CACHE INTERNAL "their form")
    endif()
    if(NOT "${IOTRACE_OTF2_CHECKED_FORM}" STREQUAL "${IOTRACE_OTF2_FORM}")
      set(is_library 1)
      message(WARNING "OTF2 ${OTF2_VERSION} is not known to write event files in the form of OTF2 ${IOTRACE_OTF2_KNOWN} "
        "(${IOTRACE_OTF2_CHECKED_FORM}): the library writes them, which takes more CPU time than iotrace's own writer")
    endif()
  endif()
  set(IOTRACE_OTF2_LIBRARY ${is_library} PARENT_SCOPE)
endfunction()
