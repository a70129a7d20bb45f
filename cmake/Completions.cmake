# Completions: written by the program that was just built, from the option rows that it parses with.
function(iotrace_completions)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/completions)
  set(bash ${dir}/iotrace)
  set(zsh ${dir}/_iotrace)
  set(fish ${dir}/iotrace.fish)
  foreach(shell bash zsh fish)
    add_custom_command(OUTPUT ${${shell}}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
      COMMAND iotrace --completion ${shell} > ${${shell}}
      DEPENDS iotrace VERBATIM)
  endforeach()
  add_custom_target(completions ALL DEPENDS ${bash} ${zsh} ${fish})

  install(FILES ${bash} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${fish} DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  # Below /usr, Debian's zsh looks into a folder of another name. The prefix is known when installing.
  install(CODE "set(file \"${zsh}\")\nset(share \"${CMAKE_INSTALL_DATADIR}\")")
  install(CODE [[
    set(folder site-functions)
    if(CMAKE_INSTALL_PREFIX MATCHES "(^|/)usr/?$" AND EXISTS /etc/debian_version)
      set(folder vendor-completions)
    endif()
    file(INSTALL "${file}" DESTINATION "${CMAKE_INSTALL_PREFIX}/${share}/zsh/${folder}")]])
endfunction()
