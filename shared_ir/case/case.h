// One refinement question: a sequential graph, one distributed graph per rank, and how their inputs
// relate.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"
#include "shared_ir/symbolic/size_expression.h"

namespace assay {

// One sequential tensor = each of `replicas` (clean expressions over distributed tensors). Tensors
// go by the names that they bear (Tensor::name); load_case replaces aliases.
struct Relation {
  std::string tensor;
  std::vector<CleanExpr> replicas;
  SourcePlace place;
};

// A sequential tensor, or a clean expression over several (leaves at rank 0), that each of
// `replicas` must equal.
struct Expectation {
  CleanExpr sequential;
  std::vector<CleanExpr> replicas;
  SourcePlace place;
};

struct Accepted {
  std::vector<std::string> tensors;  // sequential outputs whose proof may be missing
  std::string reason;
  SourcePlace place = {};
};

// A sequential tensor that the ranks compute otherwise, with the user's consent (statistics of
// their own batches, say): it counts as each of `replicas`, whatever its operator and theirs
// compute. See approximation.h for what that means.
struct Approximation {
  std::string tensor;  // sequential; an operator computes it
  std::vector<CleanExpr> replicas;
  std::string reason;
  SourcePlace place;
};

// A size that the graphs leave open, and the values that it may have.
struct Symbol {
  std::string name;
  SourcePlace place;
  std::vector<Constraint> constraints;  // at least one
};

// A value for each symbol.
using SymbolInstance = std::map<std::string, PlainInt>;

struct Case {
  std::string name;
  std::filesystem::path folder;  // empty when captured in memory
  Graph sequential;
  std::vector<Graph> ranks;  // index = rank
  Groups sequential_groups;
  Groups distributed_groups;
  std::vector<Relation> inputs;
  std::vector<std::string> outputs;  // checked sequential tensors; never empty after loading
  std::vector<Expectation> expect;
  std::vector<Symbol> symbols;
  SymbolInstance instance;  // of the symbols: the sizes that the graphs have here
  std::optional<Accepted> accept;
  std::vector<Approximation> approximations;
  bool allow_scale = false;
  bool exact = false;  // proofs by evaluation at random places do not count
  bool random_agrees = true;
  bool no_target_ignored = false;  // no target of a loss is its ignore_index
  // Sequential inputs that hold classes alone: as targets of a loss, none is its ignore_index.
  std::vector<std::string> never_ignored;
  std::vector<std::filesystem::path>
      operator_files;  // the user's declarations, added to the built-in ones
  std::vector<std::filesystem::path> lemma_files;  // the user's lemmas, the same way
  // Parameters that the distributed program makes itself; checked against the input relation at run
  // time.
  std::vector<std::string> self_made;

  // The known answer of a test case; never read by a checker.
  struct KnownAnswer {
    std::string verdict;  // "refines" or "violates"
    std::vector<std::string> at;
  };
  std::optional<KnownAnswer> known;
};

// Makes a value that the capture lost (uninitialised memory, by "aten.empty" and the like; a
// constant that HLO text leaves out) an input of the graph: its node goes, the tensor stays.
// Returns false, and leaves the graph alone, when an operator computes the tensor.
bool make_input(Graph& graph, TensorId tensor);

// Loads FOLDER/case.toml (or the file itself) and its graphs; checks everything that can be checked
// without proving: keys, names, ranks, groups, shapes, contradictory relations. Throws UserError
// with file, line and column.
// `instance` gives the symbols of the case values that satisfy their constraints; without it, a
// case that has symbols is an error.
Case load_case(const std::filesystem::path& path, const SymbolInstance& instance = {});

// The same; nullopt for a case that has symbols, which is checked for all their values
// (static_check/symbolic/all_sizes.h).
std::optional<Case> load_case_without_symbols(const std::filesystem::path& path);

// The symbols of a case, in the order of its file; throws UserError as load_case does.
std::vector<Symbol> load_symbols(const std::filesystem::path& path);

// Writes a folder that load_case reads back to the same case (graphs as fx-JSON). Throws UserError
// if it cannot write.
void save_case(const Case& refinement, const std::filesystem::path& folder);

// The checks of load_case for a case that was built in memory. Throws UserError.
void validate(const Case& refinement);

}  // namespace assay
