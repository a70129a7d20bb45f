# FindOTF2: the Open Trace Format 2 library, as the target OTF2::OTF2.
#
# A distribution's package says where it is through pkg-config, an installation from source through
# otf2-config in PATH; OTF2_ROOT is looked at first.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(PC_OTF2 QUIET otf2)
endif()
find_program(OTF2_CONFIG otf2-config)
mark_as_advanced(OTF2_CONFIG)
if(OTF2_CONFIG)
  get_filename_component(OTF2_PREFIX "${OTF2_CONFIG}" REALPATH)
  get_filename_component(OTF2_PREFIX "${OTF2_PREFIX}/../.." ABSOLUTE)
endif()

find_path(OTF2_INCLUDE_DIR otf2/otf2.h HINTS ${PC_OTF2_INCLUDE_DIRS} ${OTF2_PREFIX}/include)
find_library(OTF2_LIBRARY NAMES otf2 open-trace-format2 open_trace_format2
  HINTS ${PC_OTF2_LIBRARY_DIRS} ${OTF2_PREFIX}/lib ${OTF2_PREFIX}/lib64)
mark_as_advanced(OTF2_INCLUDE_DIR OTF2_LIBRARY)

if(OTF2_INCLUDE_DIR)
  file(STRINGS ${OTF2_INCLUDE_DIR}/otf2/OTF2_GeneralDefinitions.h line REGEX "^#define OTF2_VERSION +\"")
  string(REGEX REPLACE ".*\"([^\"]*)\".*" "\\1" OTF2_VERSION "${line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OTF2 REQUIRED_VARS OTF2_LIBRARY OTF2_INCLUDE_DIR VERSION_VAR OTF2_VERSION)

if(OTF2_FOUND AND NOT TARGET OTF2::OTF2)
  add_library(OTF2::OTF2 UNKNOWN IMPORTED)
  set_target_properties(OTF2::OTF2 PROPERTIES IMPORTED_LOCATION "${OTF2_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${OTF2_INCLUDE_DIR}")
endif()
