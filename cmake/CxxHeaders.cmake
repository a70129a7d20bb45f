# CxxHeaders: the project's headers are C. Tests, which are C++, find each of them through a header of the same name that
# the configuration writes: it says that the functions are C. A new header is found by its name.
function(iotrace_cxx_headers target layer)
  set(top ${PROJECT_BINARY_DIR}/cxx)
  set(private lib/${layer})
  if(layer STREQUAL src)
    set(private src)
  endif()
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include/*/*.h
    ${PROJECT_SOURCE_DIR}/${private}/*.h ${PROJECT_SOURCE_DIR}/${private}/*/*.h)
  foreach(header ${headers})
    get_filename_component(folder ${top}/${header} DIRECTORY)
    file(RELATIVE_PATH path ${folder} ${PROJECT_SOURCE_DIR}/${header})
    file(CONFIGURE OUTPUT ${top}/${header} CONTENT "extern \"C\" {\n#include \"${path}\"\n}\n")
  endforeach()
  foreach(folder include ${private})
    target_include_directories(${target} BEFORE PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${top}/${folder}>)
  endforeach()
endfunction()
