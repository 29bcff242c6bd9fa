// Graphs as HLO text: what XLA prints for a module ("HloModule NAME, ..."), files *.hlo.txt. One
// module is the program of every rank (SPMD): ranks differ in replica-id, partition-id and the
// groups of their collectives.
//
// An instruction OPCODE becomes a node "hlo.OPCODE", a custom call a node "custom-call.TARGET";
// operands are its arguments, attributes its keyword arguments by their HLO names. Tuples, calls
// and fusions are dissolved. Layouts, metadata and hints to the compiler do not change values and
// are dropped; every other attribute reaches the operator's declaration or is an error.
// Source: the text printed by xla::HloModule::ToString; semantics of the instructions as in XLA's
// "Operation Semantics".
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

namespace hlo {
struct Module;
}

// A constant that the text leaves out ("constant({...})"). It has no arguments; make_input turns it
// into an input of the graph.
inline constexpr std::string_view kElidedConstantOp = "hlo.elided-constant";

class HloModule {
 public:
  // Reads a file. Throws UserError with file, line and column for text that is no HLO module, and
  // for what this importer does not know: instructions, attributes, element types.
  static HloModule read(const std::filesystem::path& file);

  // The same from text; `name` is the file that errors name, and Graph::name.
  static HloModule parse(std::string text, const std::string& name);

  // The program of `rank` among `ranks`, 0 <= rank < ranks; the groups of its collectives are added
  // to `groups` under names like "{0,1}". A tensor is named as its instruction; one of a call's
  // computation "CALL:NAME", an element of a tuple "NAME:INDEX". Where the module does not say how
  // many replicas and partitions run it, its ranks are replicas of one partition.
  // Throws UserError with line and column for operands that do not exist or do not fit, groups that
  // do not partition the ranks, and programs that no graph expresses (loops with collectives, side
  // effects).
  Graph graph(Rank rank, Int ranks, Groups& groups) const;

 private:
  explicit HloModule(std::shared_ptr<const hlo::Module> module) : module_(std::move(module)) {}

  std::shared_ptr<const hlo::Module> module_;
};

}  // namespace assay
