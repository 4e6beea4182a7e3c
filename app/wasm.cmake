# Builds core.wasm for live pages: the calls of app/web, and the modules that they use. It needs a
# clang, whatever compiler builds the program. Without a suitable one, the program cannot make live
# pages, and says why.

option(MASKSCOPE_WEB "Build the core for live pages, where there is a clang for WebAssembly" ON)

set(web_folder ${CMAKE_BINARY_DIR}/web)
set(web_packages "clang-22 lld-22 libc++-22-dev-wasm32 libc++abi-22-dev-wasm32 \
libclang-rt-22-dev-wasm32 wasi-libc")
set(web_rooms core/base core/scene core/json core/settings core/result core/attention core/model
    core/compute core/tensors core/format core/edit core/lesson core/threads app/style
    app/show/cells app/show/views app/show/bench app/show/arithmetic app/web app/web/module)
# Files that need an operating system. app/web/module/system.cpp replaces what the core needs of them.
set(web_without core/base/folders.cpp core/base/large_array.cpp core/compute/available_memory.cpp
    core/format/folder_sources.cpp core/tensors/npy_file.cpp core/tensors/tensor_folder.cpp
    core/tensors/tensor_list.cpp core/tensors/tensor_npz.cpp core/threads/background_work.cpp
    core/threads/idle.cpp app/style/labels.cpp app/style/pango_text.cpp)
# Use -Oz, because pages show little data, but should be small files. A page has one thread, and does
# not destroy its objects when it ends. The target is wasi, as in the names of Debian's folders;
# clang prefers the new name, wasip1.
set(web_options --target=wasm32-wasi -Wno-deprecated -Oz -fwasm-exceptions)
set(web_compile_options ${web_options} -std=c++20 -DNDEBUG -ffp-contract=off -Wall -Wextra
    -Wshorten-64-to-32 -fno-threadsafe-statics -fno-c++-static-destructors -DJSON_NO_IO
    -DFMT_HEADER_ONLY -DFMT_USE_LONG_DOUBLE=0 "-DFMT_STATIC_THOUSANDS_SEPARATOR=','"
    -I${CMAKE_SOURCE_DIR} -isystem ${EIGEN3_INCLUDE_DIR}
    -include ${CMAKE_SOURCE_DIR}/app/web/module/one_thread.h "-DMASKSCOPE_SOURCE_FOLDER=\"\""
    "-DMASKSCOPE_VERSION=\"${PROJECT_VERSION}\"")
set(web_link_options ${web_options} -mexec-model=reactor -Wl,--strip-all
    -Wl,--compress-relocations -Wl,-z,stack-size=1048576)

# Tries whether this clang can make a module that throws, and caches the answer.
function(try_web_compiler)
  set(probe ${web_folder}/probe.cpp)
  file(CONFIGURE OUTPUT ${probe} CONTENT "#include <charconv>
#include <ranges>
#include <string>
extern \"C\" int probe(const char* text) {
    double x = 0;
    for (const int k : std::views::iota(0, 3)) x += k;
    if (std::from_chars(text, text + 1, x).ec != std::errc()) throw std::string(text);
    return int(x);
}
")
  execute_process(
    COMMAND ${WEB_CXX} ${web_compile_options} ${probe}
            ${CMAKE_SOURCE_DIR}/app/web/module/exceptions.cpp ${web_link_options}
            -Wl,--export=probe -o ${web_folder}/probe.wasm
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(WEB_CXX_WORKS "" CACHE INTERNAL "")
  else()
    set(WEB_CXX_WORKS ${WEB_CXX} CACHE INTERNAL "")
  endif()
endfunction()

# Compiles a folder in one piece, and adds its object file to web_objects.
function(compile_for_web room)
  string(REPLACE "/" "_" name ${room})
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/${room}/*.cpp)
  list(REMOVE_ITEM sources ${web_without})
  list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n")
  string(REPLACE ";" "" text "${sources}")
  file(CONFIGURE OUTPUT ${web_folder}/${name}.cpp CONTENT "${text}" @ONLY)
  set(object ${web_folder}/${name}.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${WEB_CXX} ${web_compile_options} -MD -MF ${object}.d
            -c ${web_folder}/${name}.cpp -o ${object}
    DEPENDS ${web_folder}/${name}.cpp DEPFILE ${object}.d
    COMMENT "Building ${room} for WebAssembly" VERBATIM COMMAND_EXPAND_LISTS)
  set(web_objects ${web_objects} ${object} PARENT_SCOPE)
endfunction()

if(MASKSCOPE_WEB)
  find_program(WEB_CXX NAMES clang++-24 clang++-23 clang++-22 clang++-21 clang++-20)
  if(WEB_CXX AND NOT "${WEB_CXX_WORKS}" STREQUAL "${WEB_CXX}")
    try_web_compiler()
  endif()
  if(NOT WEB_CXX OR NOT WEB_CXX_WORKS)
    message(STATUS "No live pages: they need ${web_packages}")
    set(MASKSCOPE_WEB OFF)
  endif()
endif()
if(NOT MASKSCOPE_WEB)
  add_custom_target(web)
  return()
endif()

foreach(room ${web_rooms})
  compile_for_web(${room})
endforeach()
file(STRINGS app/web/calls.h calls REGEX "^[a-z].*ms_[a-z]+\\(")
list(TRANSFORM calls REPLACE ".*(ms_[a-z]+)\\(.*" "-Wl,--export=\\1")
set(core ${web_folder}/core.wasm)
add_custom_command(
  OUTPUT ${core} ${core}.gz
  COMMAND ${WEB_CXX} ${web_objects} ${web_link_options} ${calls} -o ${core}
  COMMAND gzip -9nkf ${core}
  DEPENDS ${web_objects} ${CMAKE_SOURCE_DIR}/app/web/calls.h
  COMMENT "Linking core.wasm" VERBATIM)
add_custom_target(web ALL DEPENDS ${core} ${core}.gz)
# Building only the program does not make this file.
install(FILES ${core}.gz DESTINATION share/maskscope/web OPTIONAL)
