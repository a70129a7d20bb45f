# Bpf: the BPF programs, compiled by clang and embedded through the header that bpftool makes of them.
#
# IOTRACE_BPF=AUTO leaves them out where clang, bpftool or libbpf is missing; then --source=perf is all there is.
set(IOTRACE_BPF AUTO CACHE STRING "record through BPF as well: AUTO, ON (an error if it cannot be built), OFF")
set_property(CACHE IOTRACE_BPF PROPERTY STRINGS AUTO ON OFF)

# How libbpf's headers name the processor; the programs know where these have the arguments of a call.
function(iotrace_bpf_arch result)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(${result} x86 PARENT_SCOPE)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(${result} arm64 PARENT_SCOPE)
  endif()
endfunction()

# Sets what is missing, or nothing.
function(iotrace_bpf_missing result)
  set(missing)
  iotrace_bpf_arch(arch)
  if(NOT arch)
    list(APPEND missing "support for ${CMAKE_SYSTEM_PROCESSOR}")
  endif()
  find_program(BPF_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
  find_program(BPFTOOL bpftool PATHS /usr/sbin /sbin)
  mark_as_advanced(BPF_CLANG BPFTOOL)
  pkg_check_modules(LIBBPF QUIET IMPORTED_TARGET libbpf>=1.0)
  if(NOT BPF_CLANG)
    list(APPEND missing clang)
  endif()
  if(NOT BPFTOOL)
    list(APPEND missing bpftool)
  endif()
  if(NOT LIBBPF_FOUND)
    list(APPEND missing "libbpf 1.0")
  endif()
  list(JOIN missing ", " missing)
  set(${result} "${missing}" PARENT_SCOPE)
endfunction()

# Linux headers include <asm/types.h>, which stands in a folder of the machine's own on some systems.
function(iotrace_bpf_asm result)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-multiarch OUTPUT_VARIABLE triple OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET)
  if(triple AND EXISTS /usr/include/${triple}/asm)
    set(${result} -idirafter /usr/include/${triple} PARENT_SCOPE)
  endif()
endfunction()

# Makes NAME.skel.h of lib/kernel/bpf/FILE.bpf.c for each FILE. The definitions that follow DEFINE are for all of them.
function(iotrace_bpf_object name)
  cmake_parse_arguments(arg "" "" "DEFINE" ${ARGN})
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/bpf)
  file(GLOB headers CONFIGURE_DEPENDS lib/kernel/bpf/*.[ch] lib/kernel/bpf/*/*.h lib/kernel/load/bpf_shared.h
    lib/kernel/load/bpf_cipher.h lib/kernel/count/bpf_span_*.h
    include/iotrace/aio.h
    include/iotrace/bpf_record.h include/iotrace/request.h)
  iotrace_bpf_arch(arch)
  iotrace_bpf_asm(asm)
  # Paths are relative, so that the object says nothing of where it was built; linking it drops DWARF and keeps BTF.
  foreach(file ${arg_UNPARSED_ARGUMENTS})
    set(object ${dir}/${name}_${file}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
      COMMAND ${IOTRACE_CCACHE_BPF} ${BPF_CLANG} -target bpf -O2 -g -Wall -Wextra -Wno-unused-parameter $<$<BOOL:${IOTRACE_WERROR}>:-Werror>
        -D__TARGET_ARCH_${arch} ${arg_DEFINE} -Ilib/kernel -Iinclude ${asm} -fdebug-compilation-dir=. -c lib/kernel/bpf/${file}.bpf.c
        -o ${object}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      DEPENDS lib/kernel/bpf/${file}.bpf.c ${headers} VERBATIM COMMAND_EXPAND_LISTS)
    list(APPEND objects ${object})
  endforeach()
  add_custom_command(OUTPUT ${dir}/${name}.skel.h
    COMMAND ${BPFTOOL} gen object ${dir}/${name}.bpf.o ${objects}
    COMMAND ${BPFTOOL} gen skeleton ${dir}/${name}.bpf.o name ${name}_bpf > ${dir}/${name}.skel.h
    COMMAND sed -i -e "1i // NOLINTBEGIN" -e "$ a // NOLINTEND" ${dir}/${name}.skel.h
    DEPENDS ${objects} VERBATIM)
endfunction()

# Makes the skeletons, and the layer that includes them.
function(iotrace_bpf_programs target)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/bpf)
  # The plain ones ask for no function of the kernel by its name: see bpf_plain.h.
  iotrace_bpf_object(iotrace iotrace)
  iotrace_bpf_object(iotrace_plain iotrace DEFINE -DBPF_PLAIN)
  iotrace_bpf_object(block block)
  iotrace_bpf_object(block_plain block DEFINE -DBPF_PLAIN)
  # Linux 5.12 and later know instructions that return what they add to.
  iotrace_bpf_object(span span DEFINE -mcpu=v3)
  iotrace_bpf_object(span_plain span DEFINE -mcpu=v3 -DBPF_PLAIN)
  add_custom_target(iotrace_bpf_skeleton DEPENDS ${dir}/iotrace.skel.h ${dir}/iotrace_plain.skel.h ${dir}/block.skel.h
    ${dir}/block_plain.skel.h ${dir}/span.skel.h ${dir}/span_plain.skel.h)
  add_dependencies(${target} iotrace_bpf_skeleton)
  target_include_directories(${target} SYSTEM PRIVATE ${dir})
  target_link_libraries(${target} PRIVATE PkgConfig::LIBBPF)
endfunction()

# bpf_source.c and those beside it that need libbpf, or bpf_absent.c and bpf_span_absent.c are compiled into the layer.
function(iotrace_bpf target)
  set(missing "IOTRACE_BPF is OFF")
  if(NOT IOTRACE_BPF STREQUAL OFF)
    iotrace_bpf_missing(missing)
    if(missing AND IOTRACE_BPF STREQUAL ON)
      message(FATAL_ERROR "IOTRACE_BPF is ON, but missing: ${missing}")
    endif()
  endif()
  get_target_property(sources ${target} SOURCES)
  if(missing)
    message(STATUS "BPF is left out: ${missing}")
    list(FILTER sources EXCLUDE REGEX "/(load|count|feature)/bpf_(source|rings|load|bind|choice|block|span|span_async|span_attach|span_fault|span_read|span_request|missed|part|plain|types|log|iterator)\\.c$")
  else()
    set(IOTRACE_HAS_BPF ON PARENT_SCOPE)
    message(STATUS "BPF: ${BPF_CLANG}, ${BPFTOOL}, libbpf ${LIBBPF_VERSION}")
    list(FILTER sources EXCLUDE REGEX "/bpf_(span_)?absent\\.c$")
    iotrace_bpf_programs(${target})
  endif()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endfunction()
