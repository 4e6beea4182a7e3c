# Makes the portable archive, with `cpack -G TXZ`: a folder that runs on any Linux with glibc 2.36 or
# later and its own OpenGL. It contains the libraries and fonts that other systems may lack.
# `cmake --install` installs none of this.

# Build the program so that it looks for libraries in its own folder first. Use RPATH, so that the
# libraries find each other there, too.
add_executable(maskscope_portable EXCLUDE_FROM_ALL app/main.cpp)
target_link_libraries(maskscope_portable PRIVATE app_commands app_window)
target_link_options(maskscope_portable PRIVATE -Wl,--disable-new-dtags)
set_target_properties(maskscope_portable PROPERTIES
  OUTPUT_NAME maskscope RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/portable
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib")

set(portable COMPONENT portable EXCLUDE_FROM_ALL)
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\"
  --target maskscope_portable COMMAND_ERROR_IS_FATAL ANY)" ${portable})
install(TARGETS maskscope_portable RUNTIME_DEPENDENCY_SET libraries RUNTIME DESTINATION bin
        ${portable})
# Exclude the libraries of OpenGL, X and C++: drivers load them, too, so they must be the system's.
install(RUNTIME_DEPENDENCY_SET libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|pthread|rt|resolv|gcc_s|stdc\\+\\+|z|expat)\\.so"
    "^lib(GL|EGL|OpenGL|drm|X11|xcb|Xau|Xdmcp|Xext)[^-]*\\.so"
  LIBRARY DESTINATION lib ${portable})
file(GLOB fonts /usr/share/fonts/opentype/inter/Inter-Regular.otf
  /usr/share/fonts/opentype/inter/Inter-Medium.otf /usr/share/fonts/opentype/inter/Inter-SemiBold.otf
  /usr/share/fonts/opentype/inter/Inter-Bold.otf /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
  /usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf
  /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf)
install(FILES ${fonts} DESTINATION share/maskscope/fonts ${portable})
# Add the licence of each Debian package from which a file comes.
# Ask only once, because dpkg-query searches its whole database.
install(CODE [[
  file(GLOB names RELATIVE "${CMAKE_INSTALL_PREFIX}/lib" "${CMAKE_INSTALL_PREFIX}/lib/*.so*")
  execute_process(COMMAND dpkg-query -S "*.so*" OUTPUT_VARIABLE found ERROR_QUIET)
  foreach(name ${names})
    string(REGEX REPLACE "([.+])" "\\\\\\1" name ${name})
    if("\n${found}" MATCHES "\n([^:\n]+):[^\n]*/${name}\n")
      list(APPEND packages ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(APPEND packages fonts-inter fonts-dejavu-core)
  list(REMOVE_DUPLICATES packages)
  foreach(package ${packages})
    if(EXISTS /usr/share/doc/${package}/copyright)
      file(INSTALL /usr/share/doc/${package}/copyright RENAME ${package}
           DESTINATION "${CMAKE_INSTALL_PREFIX}/share/doc/maskscope/licences")
    endif()
  endforeach()
]] ${portable})

# cpack reads this for each kind of package.
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_BINARY_DIR}/portable.cmake)
file(CONFIGURE OUTPUT ${CPACK_PROJECT_CONFIG_FILE} @ONLY CONTENT [[
if(CPACK_GENERATOR STREQUAL "TXZ")
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "@CMAKE_BINARY_DIR@" maskscope portable /)
  set(CPACK_PACKAGE_FILE_NAME "maskscope-@PROJECT_VERSION@-linux-@CMAKE_SYSTEM_PROCESSOR@")
endif()
]])
