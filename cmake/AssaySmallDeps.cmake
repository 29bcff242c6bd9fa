# GoogleTest, Google Benchmark, TOML++, nlohmann-json, simdjson, CLI11, fmt, minizip and mimalloc:
# from ${ASSAY_DEPS}/small where `ci/setup --small` filled it, else from the system.

list(PREPEND CMAKE_PREFIX_PATH "${ASSAY_DEPS}/small/usr")
# Debian's multi-arch folder also holds on a machine whose compiler does not report one.
list(PREPEND CMAKE_PREFIX_PATH
  "${ASSAY_DEPS}/small/usr/lib/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu/cmake")

find_package(Threads REQUIRED)
find_package(GTest 1.12 REQUIRED)
find_package(benchmark REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(mimalloc QUIET CONFIG)

# Programs that link it allocate with mimalloc, where there is one: a third of what a static check
# executes with glibc is allocation. Sanitizers have allocators of their own.
add_library(assay_allocator INTERFACE)
if(TARGET mimalloc AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  target_link_libraries(assay_allocator INTERFACE
    -Wl,--push-state,--no-as-needed mimalloc -Wl,--pop-state)
  target_sources(assay_allocator INTERFACE "${PROJECT_SOURCE_DIR}/ci/large_pages.cpp")
endif()

# Debian's minizip has no CMake package.
find_path(ASSAY_minizip_INCLUDE minizip/unzip.h REQUIRED)
find_library(ASSAY_minizip_LIBRARY minizip REQUIRED
  HINTS "${ASSAY_DEPS}/small/usr/lib/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu")
if(NOT TARGET assay::minizip)
  add_library(assay::minizip SHARED IMPORTED GLOBAL)
  set_target_properties(assay::minizip PROPERTIES
    IMPORTED_LOCATION "${ASSAY_minizip_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${ASSAY_minizip_INCLUDE}")
endif()
