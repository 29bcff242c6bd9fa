// Which of PyTorch's operators captures of C++ programs record, and which of them models call.
// Data: captured.txt, which tests/capture/captured_operators_test.cpp makes by capturing calls of
// each, and model_operators.tsv.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// A line of captured.txt:
//   aten.mm.default meta                     LibTorch gives the shapes of its results
//   aten.relu.default shapes                 a shape function of Assay's does
//   aten.convolution.default run             one run on CPU tensors does
//   aten.linear.default parts aten.t.default ...    recorded as these operators
//   aten.sym_size.int none                   no operator of the graph: a number, or its operand
//   aten.nonzero.default refused why
struct CapturedOperator {
  std::string_view name;
  bool recorded = false;                // false: refused
  std::string_view how;                 // the second word of the line
  std::string_view text;                // why it is refused
  std::vector<std::string_view> parts;  // what it is recorded as; empty: as itself
};

// nullopt where the table has nothing of it.
std::optional<CapturedOperator> captured_operator(std::string_view op);

// Of all overloads of "aten.add", say.
std::vector<CapturedOperator> captured_overloads(std::string_view name);

// Operators that the code of models calls, without overloads, and a file of each code base that
// does. Sorted by name.
struct ModelOperator {
  std::string_view name;  // "aten.topk"
  struct Use {
    std::string_view code_base, file;
  };
  std::vector<Use> uses;
};
std::vector<ModelOperator> model_operators();

}  // namespace assay
