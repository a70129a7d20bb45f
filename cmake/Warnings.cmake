# Warnings: the target iotrace_warnings, which every library, program and test of ours links.
#
# It carries warnings, sanitizers and hardening, so that workloads of the live tests, which do not link it,
# are the plain programs that users have.
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

add_library(iotrace_warnings INTERFACE)
target_compile_options(iotrace_warnings INTERFACE -Wall -Wextra -Wvla -Wpointer-arith -Wundef -Wwrite-strings
  $<$<COMPILE_LANGUAGE:C>:-Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition>
  # An assertion of GoogleTest below an if needs no braces: it has an else of its own.
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-else>
  # With a sanitizer, GCC takes members of std::regex for uninitialized.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
if(IOTRACE_WERROR)
  target_compile_options(iotrace_warnings INTERFACE -Werror)
endif()

if(IOTRACE_SANITIZE)
  set(sanitize -fsanitize=${IOTRACE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # C++ is the language of the tests. To look for undefined behaviour in them would take a third of the time that they compile.
  target_compile_options(iotrace_warnings INTERFACE ${sanitize} $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=undefined>)
  target_link_options(iotrace_warnings INTERFACE ${sanitize})
  # Undefined behaviour is an illegal instruction, and AddressSanitizer shows where. With a message for each place, the program would be 1.6
  # times as large, and take twice as long to start.
  if(IOTRACE_SANITIZE MATCHES "address" AND IOTRACE_SANITIZE MATCHES "undefined")
    target_compile_options(iotrace_warnings INTERFACE -fsanitize-undefined-trap-on-error)
    target_link_options(iotrace_warnings INTERFACE -fsanitize-undefined-trap-on-error $<TARGET_OBJECTS:iotrace_sanitizer>)
    add_library(iotrace_sanitizer OBJECT cmake/sanitizer.c)
  endif()
else()
  # It often runs as root and reads files of others.
  target_compile_options(iotrace_warnings INTERFACE -fstack-protector-strong
    $<$<CONFIG:RelWithDebInfo,Release,MinSizeRel>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
  target_link_options(iotrace_warnings INTERFACE -Wl,-z,relro,-z,now)
endif()
