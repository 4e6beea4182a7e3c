# Settings for all modules: compiler options, Debian's packages, and how a module is built.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
option(MASKSCOPE_UNITY "Compile a room in one piece, common headers once: faster from nothing" ON)
option(MASKSCOPE_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(MASKSCOPE_FUZZ "Build the readers for tests/fuzz, with clang" OFF)
option(MASKSCOPE_THREAD_SANITIZE "Build with ThreadSanitizer" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_program(CCACHE ccache)
if(CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # Without these two settings, ccache does not keep files that include a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 ${CCACHE})
endif()

# Do not use -ffast-math, because infinities and NaN are a subject of this program, nor contraction,
# so that the same scene gives the same numbers on every machine.
# -Wno-restrict: GCC 12 warns of overlapping copies inside std::string where there are none.
add_compile_options(-Wall -Wextra -Wno-restrict -ffp-contract=off -pthread)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Reject casts to stricter alignment here, because checking at run time would slow down the build.
  add_compile_options(-Werror=cast-align=strict)
  # Collect the compiler's garbage only from 512 MB on, which saves an eighth of the build time.
  add_compile_options("SHELL:--param ggc-min-heapsize=524288")
endif()
# Files are untrusted, so limit the damage that an error in a reader can do. A test checks the binary
# for these options. An index out of range ends the program, after unsaved work was kept.
if(CMAKE_BUILD_TYPE STREQUAL Release)
  add_compile_options(-D_GLIBCXX_ASSERTIONS -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
                      -fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-fcf-protection)
  endif()
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()
if(MASKSCOPE_SANITIZE)
  # Omit these four, which slow down the build: AddressSanitizer sees the same accesses.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                      -fno-sanitize=null,object-size,alignment,pointer-overflow)
  add_link_options(-fsanitize=address,undefined)
endif()
if(MASKSCOPE_FUZZ)
  add_compile_options(-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined
                      -Wno-unknown-warning-option -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
endif()
if(MASKSCOPE_THREAD_SANITIZE)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
# Use -fPIE for libraries, too, because they share precompiled headers with programs.
add_compile_options(-fPIE)
add_link_options(-pie)
include_directories(${CMAKE_SOURCE_DIR})

find_package(Threads REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HIGHWAY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(PANGO REQUIRED IMPORTED_TARGET pangocairo fontconfig)
pkg_check_modules(GIO REQUIRED IMPORTED_TARGET gio-2.0)
pkg_check_modules(LIBPNG REQUIRED IMPORTED_TARGET libpng zlib)
pkg_check_modules(OPENGL REQUIRED IMPORTED_TARGET epoxy egl)
pkg_check_modules(XCB REQUIRED IMPORTED_TARGET xcb)
pkg_check_modules(WINDOW REQUIRED IMPORTED_TARGET glfw3 epoxy freetype2 egl)
add_library(imgui_glfw INTERFACE)
target_include_directories(imgui_glfw SYSTEM INTERFACE /usr/include/imgui /usr/include/imgui/backends)
target_link_libraries(imgui_glfw INTERFACE imgui stb PkgConfig::WINDOW dl)

# Compiles the files of a module in one piece, with the common headers precompiled. A precompiled
# header requires the same compiler options, so hot modules have their own.
set(hot $<$<CONFIG:Release>:-O3> $<$<BOOL:${MASKSCOPE_SANITIZE}>:-O1>)
function(compile_in_pieces target precompiled)
  if(NOT MASKSCOPE_UNITY)
    return()
  endif()
  target_link_libraries(${target} PUBLIC fmt::fmt Eigen3::Eigen)
  target_precompile_headers(${target} REUSE_FROM ${precompiled})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON ${ARGN})
endfunction()
# Eigen is precompiled for speed, and because GCC 12, without optimization, cannot compile its prefetches
# after a precompiled header.
function(precompile name)
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE fmt::fmt Eigen3::Eigen)
  target_precompile_headers(${name} PRIVATE <algorithm> <array> <cmath> <filesystem>
    <functional> <map> <memory> <mutex> <optional> <span> <string> <unordered_map> <variant>
    <vector> <fmt/format.h> <Eigen/Core> "${CMAKE_SOURCE_DIR}/core/result/request.h")
endfunction()
precompile(precompiled)
precompile(precompiled_hot)
target_compile_options(precompiled_hot PRIVATE ${hot})

# maskscope_room(FOLDER [HOT] [USES ROOM…] [LINKS LIBRARY…]): makes the folder's .cpp files a module,
# a library named after the folder. USES names every module whose headers they include; tests/rooms.sh
# enforces this. HOT modules compute, or draw cells; WASM modules are only for core.wasm: see
# app/wasm.cmake.
function(maskscope_room folder)
  cmake_parse_arguments(ROOM "HOT;WASM" "" "USES;LINKS" ${ARGN})
  if(ROOM_WASM)
    return()
  endif()
  string(REPLACE "/" "_" name ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  add_library(${name} STATIC ${sources})
  list(TRANSFORM ROOM_USES REPLACE "/" "_")
  target_link_libraries(${name} PUBLIC ${ROOM_USES} ${ROOM_LINKS})
  set(precompiled precompiled)
  if(ROOM_HOT)
    set(precompiled precompiled_hot)
    target_compile_options(${name} PRIVATE ${hot})
  endif()
  compile_in_pieces(${name} ${precompiled} UNITY_BUILD_BATCH_SIZE 0)
endfunction()
