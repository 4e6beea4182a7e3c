# What every room is built with: compiler options, Debian's packages, and what a room is.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
option(MASKSCOPE_UNITY "Compile a room in one piece or a few: faster from nothing" ON)
option(MASKSCOPE_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(MASKSCOPE_THREAD_SANITIZE "Build with ThreadSanitizer" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_program(CCACHE ccache)
if(CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# Infinities and NaN are the subject of this program: no -ffast-math, and no contraction either,
# so that the same scene gives the same numbers on every machine.
# -Wrestrict: GCC 12 warns of copies inside std::string that do not overlap.
add_compile_options(-Wall -Wextra -Wno-restrict -ffp-contract=off)
if(MASKSCOPE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()
if(MASKSCOPE_THREAD_SANITIZE)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
include_directories(${CMAKE_SOURCE_DIR})

find_package(Threads REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HIGHWAY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(PANGO REQUIRED IMPORTED_TARGET pangocairo fontconfig)
pkg_check_modules(LIBPNG REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(OPENGL REQUIRED IMPORTED_TARGET epoxy egl)
pkg_check_modules(WINDOW REQUIRED IMPORTED_TARGET glfw3 epoxy freetype2 egl)
add_library(imgui_glfw INTERFACE)
target_include_directories(imgui_glfw SYSTEM INTERFACE /usr/include/imgui /usr/include/imgui/backends)
target_link_libraries(imgui_glfw INTERFACE imgui stb PkgConfig::WINDOW dl)

# maskscope_room(FOLDER [USES ROOM…] [LINKS LIBRARY…]): the folder's .cpp files as a library with the
# folder's name. USES names every room whose headers they include; tests/rooms.sh holds them to it.
function(maskscope_room folder)
  cmake_parse_arguments(ROOM "" "" "USES;LINKS" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  add_library(${name} STATIC ${sources})
  list(TRANSFORM ROOM_USES REPLACE "/" "_")
  target_link_libraries(${name} PUBLIC ${ROOM_USES} ${ROOM_LINKS})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${MASKSCOPE_UNITY} UNITY_BUILD_BATCH_SIZE 6)
endfunction()
