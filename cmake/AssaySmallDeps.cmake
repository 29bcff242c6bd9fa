# GoogleTest, Google Benchmark, TOML++, nlohmann-json, simdjson, CLI11, fmt and mimalloc: from
# ${ASSAY_DEPS}/small where `ci/setup --small` filled it, else from the system.

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
  target_sources(assay_allocator INTERFACE "${PROJECT_SOURCE_DIR}/cli/large_pages.cpp")
endif()
