# Slurm: the plugin share/slurm/iotrace_spank.c, where Slurm's headers are. It fits the version of Slurm that it was built with, so no
# package has it: cmake --install BUILD --component slurm
find_path(SLURM_INCLUDE_DIR slurm/spank.h)
foreach(name slurm-wlm slurm) # Debian's name, and that of others
  foreach(libdir ${CMAKE_INSTALL_LIBDIR} lib/${CMAKE_C_LIBRARY_ARCHITECTURE} lib64)
    if(NOT found AND EXISTS /usr/${libdir}/${name})
      set(found /usr/${libdir}/${name})
    endif()
  endforeach()
endforeach()
if(NOT found)
  set(found ${CMAKE_INSTALL_LIBDIR}/slurm)
endif()
set(IOTRACE_SLURM_PLUGIN_DIR ${found} CACHE STRING "where Slurm looks for plugins: PluginDir of 'scontrol show config'")

if(SLURM_INCLUDE_DIR)
  add_library(iotrace_spank MODULE share/slurm/iotrace_spank.c)
  # Not those of iotrace_warnings: Slurm's own programs, which load it, have no sanitizers.
  target_compile_options(iotrace_spank PRIVATE -Wall -Wextra -Wvla -Wpointer-arith -Wundef -Wwrite-strings -Wshadow
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition $<$<BOOL:${IOTRACE_WERROR}>:-Werror>)
  target_include_directories(iotrace_spank SYSTEM PRIVATE ${SLURM_INCLUDE_DIR})
  target_compile_definitions(iotrace_spank PRIVATE _GNU_SOURCE IOTRACE_PROGRAM="${CMAKE_INSTALL_FULL_BINDIR}/iotrace")
  set_target_properties(iotrace_spank PROPERTIES PREFIX "")
  install(TARGETS iotrace_spank DESTINATION ${IOTRACE_SLURM_PLUGIN_DIR} COMPONENT slurm EXCLUDE_FROM_ALL)
endif()
