#include "shared_ir/import/hlo/hlo_opcode.h"

#include <string>
#include <unordered_map>

namespace assay::hlo {
namespace {

using enum Opcode::Kind;

// After "Operation Semantics" of XLA, by kind.
constexpr Opcode kOpcodes[] = {
    {"abs", kElementwise, 1},
    {"acos", kElementwise, 1},
    {"acosh", kElementwise, 1},
    {"add", kElementwise, 2},
    {"and", kElementwise, 2},
    {"asin", kElementwise, 1},
    {"asinh", kElementwise, 1},
    {"atan2", kElementwise, 2},
    {"atanh", kElementwise, 1},
    {"cbrt", kElementwise, 1},
    {"ceil", kElementwise, 1},
    {"compare", kElementwise, 2},
    {"convert", kElementwise, 1},
    {"copy", kElementwise, 1},
    {"cosh", kElementwise, 1},
    {"cosine", kElementwise, 1},
    {"count-leading-zeros", kElementwise, 1},
    {"divide", kElementwise, 2},
    {"erf", kElementwise, 1},
    {"exponential", kElementwise, 1},
    {"exponential-minus-one", kElementwise, 1},
    {"floor", kElementwise, 1},
    {"is-finite", kElementwise, 1},
    {"log", kElementwise, 1},
    {"log-plus-one", kElementwise, 1},
    {"logistic", kElementwise, 1},
    {"maximum", kElementwise, 2},
    {"minimum", kElementwise, 2},
    {"multiply", kElementwise, 2},
    {"negate", kElementwise, 1},
    {"not", kElementwise, 1},
    {"or", kElementwise, 2},
    {"popcnt", kElementwise, 1},
    {"power", kElementwise, 2},
    {"reduce-precision", kElementwise, 1},
    {"remainder", kElementwise, 2},
    {"round-nearest-afz", kElementwise, 1},
    {"round-nearest-even", kElementwise, 1},
    {"rsqrt", kElementwise, 1},
    {"shift-left", kElementwise, 2},
    {"shift-right-arithmetic", kElementwise, 2},
    {"shift-right-logical", kElementwise, 2},
    {"sign", kElementwise, 1},
    {"sine", kElementwise, 1},
    {"sinh", kElementwise, 1},
    {"sqrt", kElementwise, 1},
    {"subtract", kElementwise, 2},
    {"tan", kElementwise, 1},
    {"tanh", kElementwise, 1},
    {"xor", kElementwise, 2},

    {"clamp", kScalarsSpread, 3},
    {"select", kScalarsSpread, 3},

    {"batch-norm-grad", kPure, 5},
    {"batch-norm-inference", kPure, 5},
    {"batch-norm-training", kPure, 3},
    {"bitcast-convert", kPure, 1},
    {"cholesky", kPure, 1},
    {"concatenate", kPure, 0, true},
    {"conditional", kPure, 1, true},
    {"convolution", kPure, 2},
    {"custom-call", kPure, 0, true},
    {"dot", kPure, 2},
    {"dynamic-slice", kPure, 1, true},
    {"dynamic-update-slice", kPure, 2, true},
    {"fft", kPure, 1},
    {"gather", kPure, 2},
    {"get-dimension-size", kPure, 1},
    {"map", kPure, 0, true},
    {"pad", kPure, 2},
    {"reduce", kPure, 2, true},
    {"reduce-window", kPure, 2, true},
    {"reverse", kPure, 1},
    {"rng-bit-generator", kPure, 1},
    {"scatter", kPure, 3, true},
    {"select-and-scatter", kPure, 3},
    {"slice", kPure, 1},
    {"sort", kPure, 0, true},
    {"stochastic-convert", kPure, 2},
    {"topk", kPure, 1},
    {"transpose", kPure, 1},
    {"triangular-solve", kPure, 2},
    {"while", kPure, 1},

    {"broadcast", kSized, 1},
    {"iota", kSized, 0},
    {"reshape", kSized, 1},

    {"all-gather", kCollective, 1, true},
    {"all-reduce", kCollective, 1, true},
    {"all-to-all", kCollective, 1, true},
    {"collective-broadcast", kCollective, 1},
    {"collective-permute", kCollective, 1},
    {"reduce-scatter", kCollective, 1, true},

    {"bitcast", kStructure, 1},
    {"call", kStructure, 0, true},
    {"constant", kStructure, 0},
    {"fusion", kStructure, 0, true},
    {"get-tuple-element", kStructure, 1},
    {"opt-barrier", kStructure, 1},
    {"parameter", kStructure, 0},
    {"partition-id", kStructure, 0},
    {"replica-id", kStructure, 0},
    {"tuple", kStructure, 0, true},

    {"add-dependency", kEffect, 2},
    {"after-all", kEffect, 0, true},
    {"all-gather-done", kEffect, 1},
    {"all-gather-start", kEffect, 1, true},
    {"all-reduce-done", kEffect, 1},
    {"all-reduce-start", kEffect, 1, true},
    {"async-done", kEffect, 1},
    {"async-start", kEffect, 0, true},
    {"async-update", kEffect, 1},
    {"collective-permute-done", kEffect, 1},
    {"collective-permute-start", kEffect, 1, true},
    {"copy-done", kEffect, 1},
    {"copy-start", kEffect, 1},
    {"infeed", kEffect, 1},
    {"outfeed", kEffect, 2},
    {"recv", kEffect, 1},
    {"recv-done", kEffect, 1},
    {"rng", kEffect, 0, true},
    {"rng-get-and-update-state", kEffect, 0},
    {"send", kEffect, 2},
    {"send-done", kEffect, 1},
};

}  // namespace

std::span<const Opcode> all_opcodes() { return kOpcodes; }

const Opcode* find_opcode(std::string_view name) {
  static const auto* const table = [] {
    auto* rows = new std::unordered_map<std::string_view, const Opcode*>;
    for (const Opcode& opcode : kOpcodes) rows->emplace(opcode.name, &opcode);
    return rows;
  }();
  const auto found = table->find(name);
  return found == table->end() ? nullptr : found->second;
}

}  // namespace assay::hlo
