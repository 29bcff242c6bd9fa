// Programs that write into memory, and functional ones that say what becomes of it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/prove.h"

namespace assay::test {

/// Input x is [4, 4], z [2, 4], w [4].
struct Inputs {
  TensorRef x, z, w;
};
using MemoryProgram = std::function<TensorRef(GraphBuilder&, const Inputs&)>;

/// One rank runs `ranks`.
inline Case case_of(const MemoryProgram& sequential, const MemoryProgram& ranks) {
  CaseBuilder c(1);
  const auto run = [](GraphBuilder& g, const MemoryProgram& program) {
    const Inputs inputs{g.input("x", {4, 4}), g.input("z", {2, 4}), g.input("w", {4})};
    const TensorRef output = program(g, inputs);
    g.output(output);
    return g.name_of(output);
  };
  const std::string wanted = run(c.sequential(), sequential);
  c.expect(wanted, {run(c.rank(0), ranks) + "@0"});
  for (const char* input : {"x", "z", "w"}) c.replicate(input);
  return c.build();
}

/// Whether it is proved; a refusal is no proof.
inline bool is_proved(const MemoryProgram& sequential, const MemoryProgram& ranks) {
  try {
    return prove(case_of(sequential, ranks)).report.verdict == Verdict::kProved;
  } catch (const UserError&) {
    return false;
  }
}

inline TensorRef relu(GraphBuilder& g, TensorRef x) {
  return g.call("y", "aten.relu.default", {x}, g.shape(x));
}
inline TensorRef rows(GraphBuilder& g, const std::string& name, TensorRef x, int start, int end,
                      int step = 1) {
  Shape shape = g.shape(x);
  shape[0] = (end - start + step - 1) / step;
  return g.call(name, "aten.slice.Tensor", {x, 0, start, end, step}, shape);
}
inline TensorRef cat(GraphBuilder& g, const std::vector<Argument>& pieces, Shape shape = {4, 4}) {
  return g.call("joined", "aten.cat.default", {Argument(pieces)}, std::move(shape));
}
inline TensorRef zeros(GraphBuilder& g, const std::string& name, Shape shape) {
  std::vector<Argument> sizes;
  for (const int64_t size : shape) sizes.emplace_back(size);
  return g.call(name, "aten.zeros.default", {Argument(sizes)}, std::move(shape));
}
inline void in_place(GraphBuilder& g, const std::string& op, std::vector<Argument> args,
                     TensorRef self) {
  g.call("written_" + std::to_string(g.graph().nodes.size()), op, std::move(args), g.shape(self));
}
inline void copy_into(GraphBuilder& g, TensorRef to, TensorRef from) {
  in_place(g, "aten.copy_.default", {to, from}, to);
}
inline void add_one(GraphBuilder& g, TensorRef self) {
  in_place(g, "aten.add_.Scalar", {self, 1}, self);
}
inline TensorRef plus_one(GraphBuilder& g, TensorRef x, const std::string& name = "more") {
  return g.call(name, "aten.add.Scalar", {x, 1}, g.shape(x));
}

struct Write {
  const char* name;
  MemoryProgram program;
  MemoryProgram right;  // none: nobody can say, and every claim is refused
  MemoryProgram wrong;
};
inline void PrintTo(const Write& write, std::ostream* out) { *out << write.name; }

inline TensorRef unchanged(GraphBuilder& g, const Inputs& in) { return relu(g, in.x); }
inline TensorRef one_more(GraphBuilder& g, const Inputs& in) { return relu(g, plus_one(g, in.x)); }

/// The program is what is right, and not what is wrong.
inline void expect_seen(const Write& write) {
  if (write.right) {
    EXPECT_TRUE(proves(case_of(write.right, write.program)));
    EXPECT_TRUE(proves(case_of(write.program, write.right)));
  }
  EXPECT_FALSE(is_proved(write.wrong, write.program));
  EXPECT_FALSE(is_proved(write.program, write.wrong));
}

}  // namespace assay::test
