# GoogleTest, Google Benchmark, TOML++, nlohmann-json, simdjson, CLI11 and fmt: from
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
