# Otf2Form: stops if the OTF2 library writes event files in another form than iotrace does.
#
# iotrace writes them by itself, twice as fast (lib/sink/otf2_writer/otf2_record.h); definitions are the library's. A property test compares
# every byte with the library of these versions. Of any other version the library writes one file with all records here, which
# must be the same. Where it cannot be run, it is believed with a warning: readers of OTF2 3 take files of all versions of 3.
set(IOTRACE_OTF2_KNOWN 3.0.2)
set(IOTRACE_OTF2_FORM a21e6a0b44b223e8) # what otf2_events prints with them, on little-endian machines

function(iotrace_check_otf2_form)
  if("${OTF2_VERSION}" IN_LIST IOTRACE_OTF2_KNOWN OR "${OTF2_VERSION}" STREQUAL "${IOTRACE_OTF2_CHECKED}")
    return()
  endif()
  if(CMAKE_CROSSCOMPILING OR NOT CMAKE_C_BYTE_ORDER STREQUAL LITTLE_ENDIAN)
    message(WARNING "OTF2 ${OTF2_VERSION} is not one of ${IOTRACE_OTF2_KNOWN}: run `ctest -R Otf2RecordProperty`, which "
      "compares the event files that iotrace writes with those of this library")
    return()
  endif()
  file(REMOVE_RECURSE ${CMAKE_BINARY_DIR}/otf2_form)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/otf2_form)
  unset(IOTRACE_OTF2_RUNS CACHE)
  try_run(IOTRACE_OTF2_RUNS IOTRACE_OTF2_COMPILES ${CMAKE_BINARY_DIR}/otf2_form ${CMAKE_SOURCE_DIR}/cmake/otf2_events.c
    LINK_LIBRARIES OTF2::OTF2 RUN_OUTPUT_VARIABLE form ARGS ${CMAKE_BINARY_DIR}/otf2_form/archive)
  string(STRIP "${form}" form)
  if(NOT "${form}" STREQUAL "${IOTRACE_OTF2_FORM}")
    message(FATAL_ERROR "OTF2 ${OTF2_VERSION} writes event files in another form than OTF2 ${IOTRACE_OTF2_KNOWN}, which "
      "iotrace writes by itself: its archives would be wrong. Build with one of these versions (OTF2_ROOT=DIRECTORY)")
  endif()
  message(STATUS "OTF2 ${OTF2_VERSION} writes event files as ${IOTRACE_OTF2_KNOWN} does")
  set(IOTRACE_OTF2_CHECKED "${OTF2_VERSION}" CACHE INTERNAL "version of OTF2 whose event files are known")
endfunction()
