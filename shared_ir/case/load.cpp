#include <algorithm>
#include <map>
#include <optional>

#include "shared_ir/case/case.h"
#include "shared_ir/case/symbols.h"
#include "shared_ir/case/toml_reader.h"
#include "shared_ir/import/fx_json/fx_json.h"
#include "shared_ir/import/hlo/hlo.h"
#include "shared_ir/import/pt2/pt2.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class Loader {
 public:
  explicit Loader(const fs::path& path, SymbolInstance instance = {})
      : folder_(is_folder(path) ? path : path.parent_path()),
        file_((is_folder(path) ? path / "case.toml" : path).string()),
        instance_(std::move(instance)) {
    if (!is_folder(path) && !is_file(path)) {
      throw UserError({path.string()}, "no such case folder or file");
    }
  }

  std::vector<Symbol> symbols() {
    const toml::table parsed = parse_toml_file(file_);
    return read_symbols(TomlTable(parsed, "the case", file_).table("symbols"));
  }

  // nullopt where there are symbols that are not wanted.
  std::optional<Case> run(bool with_symbols) {
    const toml::table parsed = parse_toml_file(file_);
    TomlTable root(parsed, "the case", file_);
    if (root.integer("version") != 1) {
      throw UserError(root.place("version"), "this Assay reads case version 1");
    }
    case_.name = root.text("name");
    case_.folder = folder_;
    case_.symbols = read_symbols(root.table("symbols"));
    if (!with_symbols && !case_.symbols.empty()) return std::nullopt;
    symbols_ = values_at(case_.symbols, instance_);
    for (const Symbol& symbol : case_.symbols) case_.instance.insert(*instance_.find(symbol.name));
    read_sequential(root.table("sequential", true));
    read_distributed(root.table("distributed", true));
    read_groups(root.table("groups"));
    read_inputs(root.table("inputs", true));
    read_check(root.table("check"));
    read_expect(root.table("expect"));
    read_accept(root);
    read_assume(root.table("assume"));
    read_files(root.table("operators"), "operator", case_.operator_files);
    read_files(root.table("lemmas"), "lemma", case_.lemma_files);
    read_verdict(root);
    root.finish();
    validate(case_);
    return std::move(case_);
  }

 private:
  // False, too, for names that the file system refuses.
  static bool is_file(const fs::path& path) {
    std::error_code refused;
    return fs::is_regular_file(path, refused);
  }
  static bool is_folder(const fs::path& path) {
    std::error_code refused;
    return fs::is_directory(path, refused);
  }

  // The programs of `count` ranks of `world`, from `first` on, which all run this file.
  std::vector<Graph> read_graphs(const PlacedText& name, Int first, Int count, Int world,
                                 Groups& groups) {
    const fs::path path = folder_ / name.text;
    const bool hlo = name.text.ends_with(".hlo.txt"), pt2 = path.extension() == ".pt2";
    if (path.extension() != ".json" && !hlo && !pt2) {
      throw UserError(name.place, "cannot read '" + name.text + "'",
                      "graphs are fx-JSON files (.json), HLO text (.hlo.txt) or archives of "
                      "torch.export.save (.pt2)");
    }
    if (path.extension() != ".json" && !case_.symbols.empty()) {
      throw UserError(name.place, "'" + name.text + "' cannot have the symbols of this case",
                      "sizes over symbols are read from fx-JSON files (.json)");
    }
    if (!is_file(path)) {
      throw UserError(name.place, "graph file '" + path.string() + "' does not exist");
    }
    if (!hlo) {
      Graph graph = pt2 ? import_pt2(path) : import_fx_json(path, symbols_);
      check_size(name, count, graph);
      std::vector<Graph> graphs(static_cast<size_t>(count - 1), graph);
      graphs.push_back(std::move(graph));
      return graphs;
    }
    const HloModule module = HloModule::read(path);
    std::vector<Graph> graphs;
    for (Int rank = first; rank < first + count; ++rank) {
      graphs.push_back(module.graph(static_cast<Rank>(rank), world, groups));
      check_size(name, count, graphs.back());
    }
    return graphs;
  }

  // Every rank has a graph of its own in memory.
  static void check_size(const PlacedText& name, Int ranks, const Graph& graph) {
    constexpr Int kMaxTensors = 1 << 21;
    const auto tensors = static_cast<Int>(graph.tensors.size());
    if (ranks > 1 && tensors > kMaxTensors / ranks) {
      throw UserError(
          name.place,
          decimal(ranks) + " ranks of " + decimal(tensors) + " tensors each are too many",
          "check the program on fewer ranks");
    }
  }

  void read_sequential(TomlTable table) {
    const auto names = table.texts("graphs");
    if (names.size() != 1) {
      throw UserError(table.place("graphs"), "[sequential] has one graph, for its one rank");
    }
    case_.sequential = std::move(read_graphs(names[0], 0, 1, 1, case_.sequential_groups).front());
    table.finish();
  }

  void read_distributed(TomlTable table) {
    const auto names = table.texts("graphs");
    if (names.empty()) throw UserError(table.place("graphs"), "[distributed] has no graph");
    const auto files = static_cast<Int>(names.size());
    Int ranks = files;
    if (table.has("ranks")) {
      constexpr Int kMaxRanks = 1 << 16;  // each has a graph and a proof of its own
      ranks = table.integer("ranks");
      if (ranks > kMaxRanks) {
        throw UserError(
            table.place("ranks"),
            "ranks = " + decimal(ranks) + ": at most " + decimal(kMaxRanks) + " ranks are checked",
            "check the program on fewer ranks");
      }
      if (ranks < 1 || (files != 1 && files != ranks)) {
        throw UserError(table.place("ranks"),
                        "ranks = " + decimal(ranks) + " does not fit " + decimal(files) + " graphs",
                        "give one graph a rank, or one graph that all ranks run");
      }
    }
    for (const PlacedText& name : names) {
      for (Graph& graph : read_graphs(name, static_cast<Int>(case_.ranks.size()), ranks / files,
                                      ranks, case_.distributed_groups)) {
        case_.ranks.push_back(std::move(graph));
      }
    }
    table.finish();
  }

  void read_groups(TomlTable table) {
    read_side(table.table("sequential"), 1, "sequential", case_.sequential_groups);
    read_side(table.table("distributed"), static_cast<Int>(case_.ranks.size()), "distributed",
              case_.distributed_groups);
    table.finish();
  }

  // Adds to the groups that the graphs themselves give.
  static void read_side(TomlTable table, Int world, const char* side, Groups& groups) {
    for (const PlacedText& id : table.keys()) {
      const std::string name = "group '" + id.text + "' of the " + side + " program";
      if (groups.contains(id.text)) {
        throw UserError(table.place(id.text), name + " is one that the graph gives",
                        "give it another id");
      }
      for (Int rank : table.integers(id.text)) {
        if (rank < 0 || rank >= world) {
          throw UserError(table.place(id.text),
                          name + " has rank " + decimal(rank) + ", which does not exist",
                          "its ranks are 0 to " + decimal(world - 1));
        }
        std::vector<Rank>& members = groups[id.text];
        if (!members.empty() && rank < members.back())
          throw UserError(table.place(id.text),
                          name + " lists rank " + std::to_string(members.back()) + " before rank " +
                              decimal(rank),
                          "torch.distributed orders the members of a group by rank, in whatever "
                          "order new_group is given them: list them in ascending order");
        members.push_back(static_cast<Rank>(rank));
      }
      check_group(groups[id.text], name, table.place(id.text));
    }
  }

  static void check_group(std::vector<Rank> ranks, const std::string& name,
                          const SourcePlace& place) {
    if (ranks.empty()) throw UserError(place, name + " is empty");
    std::sort(ranks.begin(), ranks.end());
    const auto twice = std::adjacent_find(ranks.begin(), ranks.end());
    if (twice != ranks.end()) {
      throw UserError(place, name + " has rank " + std::to_string(*twice) + " twice");
    }
  }

  // Names of values that the capture lost become inputs, where an input relation speaks of them.
  void make_lost_inputs(const Relation& relation) {
    const TensorId tensor = case_.sequential.find(relation.tensor);
    if (tensor != kNone) make_input(case_.sequential, tensor);
    for (const CleanExpr& replica : relation.replicas) {
      for_each_leaf(replica, [&](const CleanExpr& leaf) {
        if (static_cast<size_t>(leaf.rank) >= case_.ranks.size()) return;
        Graph& graph = case_.ranks[static_cast<size_t>(leaf.rank)];
        const TensorId local = graph.find(leaf.name);
        if (local != kNone) make_input(graph, local);
      });
    }
  }

  // A tensor with several names keeps the one that it bears; what does not exist is left to
  // validate().
  static void use_own_name(const Graph& graph, std::string& name) {
    const TensorId tensor = graph.find(name);
    if (tensor != kNone) name = graph.tensors[static_cast<size_t>(tensor)].name;
  }

  void use_own_names(CleanExpr& expr) const {
    for (CleanExpr& operand : expr.operands) use_own_names(operand);
    if (expr.kind == CleanExpr::Kind::kTensor &&
        static_cast<size_t>(expr.rank) < case_.ranks.size()) {
      use_own_name(case_.ranks[static_cast<size_t>(expr.rank)], expr.name);
    }
  }

  std::vector<CleanExpr> read_replicas(TomlTable& table, const PlacedText& key) const {
    std::vector<CleanExpr> replicas;
    for (const PlacedText& text : table.texts(key.text)) {
      replicas.push_back(parse_clean_expr(text.text, text.place, Leaves::kDistributed, symbols_));
    }
    if (replicas.empty()) throw UserError(key.place, "'" + key.text + "' has no expression");
    return replicas;
  }

  void read_inputs(TomlTable table) {
    for (const PlacedText& key : table.keys()) {
      case_.inputs.push_back({key.text, read_replicas(table, key), key.place});
      Relation& relation = case_.inputs.back();
      make_lost_inputs(relation);
      use_own_name(case_.sequential, relation.tensor);
      for (CleanExpr& replica : relation.replicas) use_own_names(replica);
    }
    refuse_elided_constants(case_.sequential);
    for (const Graph& graph : case_.ranks) refuse_elided_constants(graph);
  }

  static void refuse_elided_constants(const Graph& graph) {
    for (const Node& node : graph.nodes) {
      if (node.op != kElidedConstantOp) continue;
      const Tensor& tensor = graph.tensors[static_cast<size_t>(node.outputs.front())];
      throw UserError(node.source, "the value of constant '" + tensor.name + "' is left out",
                      "print the module with large constants, or say in [inputs] what it is");
    }
  }

  static std::vector<std::string> names(TomlTable& table, const std::string& key) {
    std::vector<std::string> result;
    for (const PlacedText& text : table.texts(key)) result.push_back(text.text);
    return result;
  }

  void check_outputs(const PlacedText& output) const {
    if (case_.sequential.find(output.text) != kNone) return;
    throw UserError(output.place, "the sequential graph has no tensor '" + output.text + "'");
  }

  void read_check(TomlTable table) {
    if (table.has("outputs")) {
      for (const PlacedText& output : table.texts("outputs")) {
        check_outputs(output);
        case_.outputs.push_back(output.text);
      }
      if (case_.outputs.empty()) throw UserError(table.place("outputs"), "no output is checked");
    } else {
      for (TensorId id : case_.sequential.outputs) {
        const std::string& name = case_.sequential.tensors[static_cast<size_t>(id)].name;
        if (std::find(case_.outputs.begin(), case_.outputs.end(), name) == case_.outputs.end()) {
          case_.outputs.push_back(name);
        }
      }
    }
    case_.allow_scale = table.boolean("allow_scale", false);
    case_.exact = table.boolean("exact", false);
    if (table.has("self_made")) case_.self_made = names(table, "self_made");
    table.finish();
  }

  void read_expect(TomlTable table) {
    for (const PlacedText& key : table.keys()) {
      case_.expect.push_back({parse_clean_expr(key.text, key.place, Leaves::kSequential, symbols_),
                              read_replicas(table, key), key.place});
    }
  }

  void read_accept(TomlTable& root) {
    TomlTable table = root.table("accept");
    if (!root.has("accept")) return;
    if (!case_.symbols.empty()) {
      throw UserError(root.place("accept"), "what is accepted is not checked for all sizes",
                      "give the graphs sizes without symbols, or accept nothing");
    }
    if (table.has("approximation")) {
      for (TomlTable& one : table.tables("approximation")) read_approximation(one);
      if (!table.has("unproved") && !table.has("reason")) return table.finish();
    }
    Accepted accepted{names(table, "unproved"), table.text("reason"), table.place("unproved")};
    if (accepted.reason.empty()) {
      throw UserError(table.place("reason"), "an accepted output needs a reason");
    }
    case_.accept = std::move(accepted);
    table.finish();
  }

  void read_approximation(TomlTable& table) {
    const PlacedText tensor = table.placed_text("tensor");
    PlacedText relation{"relation", table.place("relation")};
    case_.approximations.push_back(
        {tensor.text, read_replicas(table, relation), table.text("reason"), tensor.place});
    table.finish();
  }

  void read_assume(TomlTable table) {
    if (table.has("random")) {
      const std::string random = table.text("random");
      if (random != "agree" && random != "independent") {
        throw UserError(table.place("random"), "random is \"agree\" or \"independent\"");
      }
      case_.random_agrees = random == "agree";
    }
    if (table.has("ignored_targets")) {
      if (table.text("ignored_targets") != "none")
        throw UserError(table.place("ignored_targets"),
                        "ignored_targets is \"none\", or is not there");
      case_.no_target_ignored = true;
    }
    if (table.has("never_ignored")) case_.never_ignored = names(table, "never_ignored");
    table.finish();
  }

  // what: "operator" or "lemma"; the table's one key is `files`.
  void read_files(TomlTable table, const std::string& what, std::vector<fs::path>& files) {
    if (table.has("files")) {
      for (const PlacedText& name : table.texts("files")) {
        if (!is_file(folder_ / name.text)) {
          throw UserError(name.place,
                          what + " file '" + (folder_ / name.text).string() + "' does not exist");
        }
        files.push_back(folder_ / name.text);
      }
    }
    table.finish();
  }

  void read_verdict(TomlTable& root) {
    TomlTable table = root.table("verdict");
    if (!root.has("verdict")) return;
    Case::KnownAnswer known;
    known.verdict = table.text("static");
    if (known.verdict != "refines" && known.verdict != "violates") {
      throw UserError(table.place("static"), "static is \"refines\" or \"violates\"");
    }
    if (table.has("at")) known.at = names(table, "at");
    case_.known = std::move(known);
    table.finish();
  }

  fs::path folder_;
  std::string file_;
  SymbolInstance instance_;
  SymbolValues symbols_;
  Case case_;
};

}  // namespace

Case load_case(const std::filesystem::path& path, const SymbolInstance& instance) {
  return *Loader(path, instance).run(true);
}

std::optional<Case> load_case_without_symbols(const std::filesystem::path& path) {
  return Loader(path).run(false);
}

std::vector<Symbol> load_symbols(const std::filesystem::path& path) {
  return Loader(path).symbols();
}

}  // namespace assay
