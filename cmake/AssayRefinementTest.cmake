# assay_add_refinement_test(NAME SOURCES file... [LIBS target...] [TIMEOUT seconds])
#
# A GoogleTest program of TEST_REFINEMENTs with the stock main function; ctest knows each test by its
# name. The timeout is per test, 600 s by default.

include(GoogleTest)

function(assay_add_refinement_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBS")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "assay_add_refinement_test(${name}): name its SOURCES")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  add_executable(${name} ${arg_SOURCES})
  # Line tables: reports name the line of the program that made an operator.
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-g1>)
  target_link_libraries(${name} PRIVATE assay::gtest ${arg_LIBS} GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${arg_TIMEOUT})
endfunction()
