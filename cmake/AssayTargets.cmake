# Functions with which the folders declare their targets.

include(GNUInstallDirs)

set_property(GLOBAL PROPERTY ASSAY_EXPORTED "")

# assay_library(NAME [SHARED] SOURCES... [ALL_SIZES source...] [PUBLIC target...]
#   [PRIVATE target...])
#
# A library of the project: exported as assay::NAME-without-assay_, warnings are errors, headers are
# included relative to the root. ALL_SIZES are sources that static_check/symbolic compiles a second
# time. PUBLIC and PRIVATE name what it links.
function(assay_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED" "" "SOURCES;ALL_SIZES;PUBLIC;PRIVATE")
  set(kind STATIC)
  if(arg_SHARED)
    set(kind SHARED)
  endif()
  add_library(${name} ${kind} ${arg_ALL_SIZES} ${arg_SOURCES})
  list(TRANSFORM arg_ALL_SIZES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  set_target_properties(${name} PROPERTIES ASSAY_ALL_SIZES "${arg_ALL_SIZES}")
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/assay>)
  target_link_libraries(${name}
    PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE} $<BUILD_INTERFACE:assay_warnings>)
  if(ASSAY_FUZZ)
    # What fuzzing follows; the tests' own code is compiled faster without.
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  string(REGEX REPLACE "^assay_" "" short ${name})
  add_library(assay::${short} ALIAS ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${short})
  set_property(GLOBAL APPEND PROPERTY ASSAY_EXPORTED ${name})
endfunction()

# assay_module(NAME SOURCES... [LIBS target...] [BESIDE target...])
#
# A module that programs load on first use: build/modules/libNAME.so, installed in
# lib/assay/modules. There too it finds the shared libraries that it needs, in the folders of those
# that BESIDE names.
function(assay_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS;BESIDE")
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} assay_warnings)
  list(TRANSFORM arg_BESIDE REPLACE "(.+)" "$<TARGET_FILE_DIR:\\1>")
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/modules" INSTALL_RPATH "${arg_BESIDE}")
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/assay/modules)
endfunction()

# assay_executable(NAME SOURCES... [LIBS target...])
#
# A program of the project, in build/.
function(assay_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} assay_warnings)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()

# assay_test(NAME SOURCES... [LIBS target...] [LABELS label...] [NEEDS fixture] [PROCESSES number]
#            [SANITIZED_EVERY number])
#
# A GoogleTest binary build/tests/NAME. ctest runs all of it at once, as NAME.1, or in so many
# PROCESSES, of which each has every so-manieth test (starting one takes longer than most tests do,
# and LibTorch takes the third of a second). Each lists its tests in test-results/NAME.1.xml, where
# ci/count_tests.py counts them one by one. The tests get ASSAY_GRAPHS and ASSAY_SOURCE_DIR in their
# environment. NEEDS names a ctest fixture that is set up before them. Under sanitizers, which take
# ten times as long, every so-manieth test runs where SANITIZED_EVERY says so.
function(assay_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NEEDS;PROCESSES;SANITIZED_EVERY" "SOURCES;LIBS;LABELS")
  if(NOT arg_PROCESSES)
    set(arg_PROCESSES 1)
  endif()
  set(every 1)
  if(arg_SANITIZED_EVERY AND CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set(every "${arg_SANITIZED_EVERY}")
  endif()
  math(EXPR shards "${arg_PROCESSES} * ${every}")
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest_main assay_warnings)
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:${ASSAY_TEST_OPTIMIZATION}>)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  foreach(process RANGE 1 ${arg_PROCESSES})
    set(test ${name}.${process})
    add_test(NAME ${test}
      COMMAND ${name} "--gtest_output=xml:${PROJECT_BINARY_DIR}/test-results/${test}.xml")
    set(environment "ASSAY_GRAPHS=${ASSAY_GRAPHS}" "ASSAY_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
    # Programs that such a test starts would take their shard too.
    if(shards GREATER 1)
      math(EXPR shard "(${process} - 1) * ${every}")
      list(APPEND environment "GTEST_TOTAL_SHARDS=${shards}" "GTEST_SHARD_INDEX=${shard}")
    endif()
    # (That kernels have no threads of their own, which would wait for the cores of other tests, is
    # in the presets.)
    set_tests_properties(${test} PROPERTIES
      TIMEOUT 900 ENVIRONMENT "${environment}" LABELS "${arg_LABELS}"
      FIXTURES_REQUIRED "${arg_NEEDS}")
  endforeach()
endfunction()

# assay_bench(NAME SOURCES... [LIBS target...])
#
# A Google Benchmark binary build/bench/NAME, with a main of its own.
function(assay_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LIBS} benchmark::benchmark assay_warnings)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
endfunction()

# assay_embed_files(TARGET FUNCTION FILES...)
#
# Puts text files into TARGET. The generated header FUNCTION.h declares
#   namespace assay { std::span<const EmbeddedFile> FUNCTION(); }
# where an EmbeddedFile (embedded_file.h) has a name, relative to the calling folder, and a text.
function(assay_embed_files target function)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/embedded")
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE inputs)
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake")
  add_custom_command(
    OUTPUT "${folder}/${function}.cpp" "${folder}/${function}.h"
    COMMAND "${CMAKE_COMMAND}" -D "function=${function}" -D "folder=${folder}"
      -D "base=${CMAKE_CURRENT_SOURCE_DIR}" -D "files=${ARGN}" -P "${script}"
    DEPENDS ${inputs} "${script}"
    COMMENT "Embedding the files of ${function}()"
    VERBATIM)
  target_sources(${target} PRIVATE "${folder}/${function}.cpp" "${folder}/${function}.h")
  target_include_directories(${target} PRIVATE "${folder}" "${PROJECT_SOURCE_DIR}/cmake")
endfunction()
