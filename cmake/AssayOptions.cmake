# Options of the build and settings that hold for every target.

option(ASSAY_WITH_TORCH "Build what needs LibTorch (capture, dynamic_check, gtest_plugin)" ON)
option(ASSAY_WITH_CUDA "Compile the GPU targets when nvcc is found" ON)
option(ASSAY_WARNINGS_ARE_ERRORS "For compilers that the project is tested with" ON)
option(ASSAY_FUZZ "Build libFuzzer programs (with clang)" OFF)

if(DEFINED ENV{ASSAY_DEPS})
  set(assay_deps_default "$ENV{ASSAY_DEPS}")
else()
  set(assay_deps_default "${PROJECT_SOURCE_DIR}/.deps")
endif()
set(ASSAY_DEPS "${assay_deps_default}" CACHE PATH "Folder that ci/setup fills with wheels")

if(DEFINED ENV{ASSAY_GRAPHS})
  set(assay_graphs_default "$ENV{ASSAY_GRAPHS}")
else()
  cmake_path(SET assay_graphs_default NORMALIZE "${PROJECT_SOURCE_DIR}/../shared/graphs")
endif()
set(ASSAY_GRAPHS "${assay_graphs_default}" CACHE PATH "Captured graphs that tests and benches read")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# An installed program finds torch and z3 where the build found them.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
# Static libraries end up in modules that are loaded at run time.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# Line tables are enough to name the user's source lines; full debug information doubles the build.
set(ASSAY_OPTIMIZATION "-O2" CACHE STRING "How far RelWithDebInfo builds are optimised")
# A test's own code runs once: compiling it is what takes time. Not -O0: the inline functions of a
# test's objects are linked in place of the library's, and tests take more than twice as long.
set(ASSAY_TEST_OPTIMIZATION "-O1" CACHE STRING "How far tests of RelWithDebInfo builds are optimised")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "${ASSAY_OPTIMIZATION} -g1 -DNDEBUG")

find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${ASSAY_CCACHE}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${ASSAY_CCACHE}")
endif()

# Link assay_warnings PRIVATE into every target of ours: warnings are errors there, and only there.
# Which optionals and variants gcc 12 takes for uninitialized turns on what is compiled together; the
# sanitizers look for those that are.
add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(ASSAY_WARNINGS_ARE_ERRORS)
  target_compile_options(assay_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
