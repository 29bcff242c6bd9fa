// The shapes of a call's results where LibTorch has no kernel for meta tensors and nobody a shape
// function: the operator is run once.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace assay {

// Why a call has no results that are known without values, and what the user can do.
class NoResults : public std::runtime_error {
 public:
  NoResults(const std::string& why, std::string what_to_do, bool shapes_depend_on_values = false)
      : std::runtime_error(why),
        what_to_do_(std::move(what_to_do)),
        shapes_depend_on_values_(shapes_depend_on_values) {}
  const std::string& what_to_do() const { return what_to_do_; }
  bool shapes_depend_on_values() const { return shapes_depend_on_values_; }

 private:
  std::string what_to_do_;
  bool shapes_depend_on_values_;
};

// Runs the operator on CPU tensors that stand for the meta tensors among its arguments
// (stand_in.h), in a process of its own (isolated_process.h: 60 s and 4 GiB), and returns meta
// tensors with the sizes, strides, element types and shared memory of its results. It is run for
// several sets of values; those on which it throws do not count, if there is one on which it does
// not. Equal calls are run once.
//
// Throws NoResults for what crashes, takes too long, has no CPU kernel or refuses its arguments,
// and where results of different shapes, or different numbers, show that they depend on values.
std::vector<c10::IValue> results_of_a_run(const c10::OperatorHandle& op,
                                          c10::ArrayRef<c10::IValue> arguments);

}  // namespace assay
