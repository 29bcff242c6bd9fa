# Installs this build into a scratch prefix, then builds and runs the project tests/package against
# it. Needs -D source=, build=, scratch=, generator=.

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${what} failed (${code}):\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${scratch}")
run("install" "${CMAKE_COMMAND}" --install "${build}" --prefix "${scratch}/prefix")
run("configure" "${CMAKE_COMMAND}" -G "${generator}" -S "${source}/tests/package"
  -B "${scratch}/build" "-DCMAKE_PREFIX_PATH=${scratch}/prefix" -DCMAKE_BUILD_TYPE=Release)
if(NOT EXISTS "${scratch}/prefix/share/assay/record_trace.py")
  message(FATAL_ERROR "the recorder of PyTorch programs is not installed")
endif()
if(NOT EXISTS "${scratch}/prefix/lib/assay/modules/libassay_symbolic.so")
  message(FATAL_ERROR "the module of proofs over symbols is not installed")
endif()
run("build" "${CMAKE_COMMAND}" --build "${scratch}/build" --parallel 2)

run("the test that holds" "${scratch}/build/holds_test")
# Wherever it lies, it finds the modules of the install tree.
file(COPY "${scratch}/build/largest_element_test" DESTINATION "${scratch}/elsewhere")
run("the test that needs z3" "${scratch}/elsewhere/largest_element_test")

execute_process(COMMAND "${scratch}/build/misses_all_reduce_test"
  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT code EQUAL 1)
  message(FATAL_ERROR "a missing all_reduce must fail its test with code 1, not ${code}:\n${output}")
endif()
# The message names the output, the operator's place in the user's source, and what is missing.
foreach(part "misses_all_reduce_test.cpp:" "mm" "reduc")
  string(FIND "${output}" "${part}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the message of the failing test does not mention '${part}':\n${output}")
  endif()
endforeach()
