// What evaluations say of tensors and of equations between them.
#include <algorithm>

#include "static_check/identity/evaluation.h"

namespace assay::identity {
namespace {

constexpr uint64_t kNoNumber = ~uint64_t{2};  // no residue, and none of the infinities' keys

}  // namespace

std::map<double, HostConstant> host_constants_of(const Problem& problem) {
  std::vector<const CoreProgram*> programs{&problem.sequential_program};
  for (const CoreProgram& rank : problem.rank_programs) programs.push_back(&rank);
  Algebra algebra(1);
  Functions functions(algebra);
  return host_constants(programs, [&](double value) { return functions.is_read(value); });
}

std::vector<uint64_t> Evaluation::keys(Rank rank, TensorId tensor) {
  const bool of_specification = rank == kNone;
  const CoreProgram& program = of_specification ? problem_.sequential_program
                                                : problem_.rank_programs[static_cast<size_t>(rank)];
  const CoreId id = program.value_of[static_cast<size_t>(tensor)];
  if (id == kNone) return {};
  const auto& values = of_specification ? sequential_[0] : ranks_[static_cast<size_t>(rank)];
  std::vector<uint64_t> keys;
  for (const Number& number : values[static_cast<size_t>(id)].values) {
    if (is_hidden(number)) return {};
    const bool defined = number.kind != Number::Kind::kUndefined;
    keys.push_back(defined ? algebra_.key(number) : kNoNumber);
  }
  return keys;
}

bool Evaluation::equal(const CleanExpr& sequential, const CleanExpr& replica) {
  const Tensor wanted = of_specification(sequential), found = of_ranks(replica);
  if (wanted.shape != found.shape) return false;
  for (size_t i = 0; i < wanted.values.size(); ++i)
    if ((!wanted.values[i].is_finite() && !is_hidden(wanted.values[i])) ||
        !algebra_.equal(wanted.values[i], found.values[i]))
      return false;
  return true;
}

bool Evaluation::equal_where_defined(const CleanExpr& sequential,
                                     const std::vector<CleanExpr>& replicas,
                                     std::vector<Compared>& elements, int& bits) {
  const Tensor wanted = of_specification(sequential);
  elements.assign(wanted.values.size(), Compared::kEqual);
  bits = 0;
  for (size_t i = 0; i < wanted.values.size(); ++i)
    if (wanted.values[i].kind == Number::Kind::kUndefined) elements[i] = Compared::kNoNumber;
  for (const CleanExpr& replica : replicas) {
    const Tensor found = of_ranks(replica);
    if (wanted.shape != found.shape) return false;
    for (size_t i = 0; i < wanted.values.size(); ++i) {
      if (elements[i] == Compared::kNoNumber) continue;
      const Dependence on = sum(wanted.values[i].depends(), found.values[i].depends());
      bits = std::max(bits, on.shown_in());
      const bool same = algebra_.equal(wanted.values[i], found.values[i]);
      // The ranks may have no number where the specification has none alone.
      const bool free = wanted.values[i].free_root == FreeRoot::kOfAny ||
                        (on.free_root == FreeRoot::kOfNonnegative);
      if (!same && !free) return false;
      if (free && elements[i] != Compared::kFreelyOther)
        elements[i] = same ? Compared::kFreelyEqual : Compared::kFreelyOther;
    }
  }
  return true;
}

}  // namespace assay::identity
