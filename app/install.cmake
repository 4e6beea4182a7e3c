# Says what `cmake --install` installs, and how cpack makes the Debian package. The program finds
# share/maskscope relative to itself (core/base/build.h), so that the prefix may be moved.

install(TARGETS maskscope DESTINATION bin)
install(DIRECTORY assets/ DESTINATION share/maskscope PATTERN pictures EXCLUDE
        PATTERN system EXCLUDE)
install(DIRECTORY shaders DESTINATION share/maskscope PATTERN README.md EXCLUDE)

# Installs a file that describes the program to the system.
function(install_for_system file folder name)
  install(FILES assets/system/${file} DESTINATION share/${folder} RENAME ${name})
endfunction()
install_for_system(maskscope.desktop applications maskscope.desktop)
install_for_system(maskscope.svg icons/hicolor/scalable/apps maskscope.svg)
install_for_system(mime.xml mime/packages maskscope.xml)
set(metainfo example.maskscope.maskscope.metainfo.xml)
install_for_system(${metainfo} metainfo ${metainfo})
install_for_system(completion.bash bash-completion/completions maskscope)
install_for_system(completion.zsh zsh/vendor-completions _maskscope)
install_for_system(copyright doc/maskscope copyright)

function(install_compressed file folder)
  set(source ${CMAKE_SOURCE_DIR}/assets/system/${file})
  set(compressed ${CMAKE_BINARY_DIR}/${file}.gz)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  execute_process(COMMAND gzip -9nc ${source} OUTPUT_FILE ${compressed}
                  COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${compressed} DESTINATION share/${folder})
endfunction()
install_compressed(maskscope.1 man/man1)
install_compressed(changelog doc/maskscope)

# Do not make packages without dpkg-shlibdeps, because they would not name the libraries that they
# need.
find_program(SHLIBDEPS dpkg-shlibdeps)
if(NOT SHLIBDEPS)
  return()
endif()

# Returns the packages of one list in app/install.sh, in Debian's notation.
function(packages_of list names)
  file(READ ${CMAKE_SOURCE_DIR}/app/install.sh listed)
  string(REGEX MATCH "\n${list}='\n([^']*)\n'" _ "${listed}")
  string(REGEX REPLACE " [^\n]*" "" found "${CMAKE_MATCH_1}")
  string(REPLACE "\n" ", " found "${found}")
  set(${names} "${found}" PARENT_SCOPE)
endfunction()
packages_of(run_packages needed)
packages_of(recommended_packages recommended)

include(app/portable.cmake)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_CONTACT
    "Maskscope maintainers <maintainers@maskscope.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "shows what an attention mask does, number by number")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"A mask added before the softmax compared with one multiplied after it, rows
that become NaN, weight that leaks to blocked keys, what dividing by the root
of d is for: tokens and masks are edited with the mouse, and every number
follows. With lessons, figures for slides and a command line.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS ${needed})
set(dialogs "xdg-desktop-portal-gtk | xdg-desktop-portal-backend | zenity | kdialog")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "${recommended}, ${dialogs}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
