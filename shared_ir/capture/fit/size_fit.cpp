#include "shared_ir/capture/fit/size_fit.h"

#include <algorithm>

#include "shared_ir/capture/fit/node_integers.h"

namespace assay {
namespace {

constexpr const char* kNoBranches =
    "a program with sizes that depend on values calls the same operators for all values: what it "
    "computes with may be empty, but must not be left out";

bool is_number(const SymbolExpr& expr) { return expr.kind == SymbolExpr::Kind::kNumber; }

bool communicates(const Node& node) {
  return node.op.starts_with("_c10d_functional") || node.op.starts_with("c10d.");
}

bool is_made_in_given_size(const Node& node) {
  return tensor_arguments(node).empty() || node.op.starts_with("aten.new_") ||
         node.op.starts_with("aten.expand.");
}

bool same_size(const SymbolExpr& a, const SymbolExpr& b) {
  return a.kind == b.kind && a.number == b.number && a.name == b.name &&
         std::ranges::equal(a.operands, b.operands, same_size);
}

[[noreturn]] void differ(const Graph& graph, const SourcePlace& place, size_t index,
                         const std::string& how) {
  throw UserError(place,
                  graph.name + ": the program branches on values: operator " +
                      std::to_string(index) + " " + how,
                  kNoBranches);
}

// In all but integers.
void require_same_program(const RecordedRun& one, const RecordedRun& other) {
  const std::vector<Node>&a = one.graph.nodes, &b = other.graph.nodes;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const std::string how = difference(one.graph, a[i], other.graph, b[i]);
    if (!how.empty()) differ(one.graph, b[i].source, i, how);
  }
  if (a.size() != b.size()) {
    const size_t i = std::min(a.size(), b.size());
    const Node& more = a.size() > b.size() ? a[i] : b[i];
    differ(one.graph, more.source, i, more.op + " is missing in another run");
  }
  const bool same_reads =
      std::ranges::equal(one.sizes, other.sizes, [](const SizeRead& left, const SizeRead& right) {
        return left.before == right.before && left.tensor == right.tensor &&
               left.at_most == right.at_most;
      });
  if (same_reads && one.graph.outputs == other.graph.outputs) return;
  throw UserError({}, one.graph.name + ": the program reads other sizes in one run than in another",
                  kNoBranches);
}

}  // namespace

SizeFit::SizeFit(std::vector<RecordedRun> runs) : runs_(std::move(runs)) {
  ASSAY_CHECK(runs_.size() >= 2, "one run shows nothing that varies");
  for (size_t run = 1; run < runs_.size(); ++run) require_same_program(runs_[0], runs_[run]);
  find_dead();
  arguments_.resize(first().nodes.size());
  for (size_t i = 0; i < first().nodes.size(); ++i) {
    read_sizes(static_cast<NodeId>(i));
    fit_node(static_cast<NodeId>(i));
  }
  read_sizes(static_cast<NodeId>(first().nodes.size()));
}

RunValues SizeFit::sizes_of(TensorId id, size_t dim) const {
  RunValues values;
  for (const RecordedRun& run : runs_)
    values.push_back(run.graph.tensors[static_cast<size_t>(id)].shape[dim]);
  return values;
}

// Memory that a collective fills, say.
void SizeFit::find_dead() {
  const Graph& graph = first();
  std::vector<bool> needed(graph.tensors.size());
  for (const TensorId id : graph.outputs) needed[static_cast<size_t>(id)] = true;
  for (const SizeRead& read : runs_[0].sizes) needed[static_cast<size_t>(read.tensor)] = true;
  dead_.assign(graph.nodes.size(), false);
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    bool used = communicates(node), unknown = false;
    for (const TensorId id : node.outputs) {
      if (id == kNone) continue;
      used = used || needed[static_cast<size_t>(id)];
      for (size_t dim = 0; dim < graph.tensors[static_cast<size_t>(id)].shape.size(); ++dim)
        unknown = unknown || varies(sizes_of(id, dim));
    }
    dead_[i] = unknown && !used;
    if (dead_[i]) continue;
    for (const TensorId id : tensor_arguments(node)) needed[static_cast<size_t>(id)] = true;
  }
}

void SizeFit::read_sizes(NodeId before) {
  for (size_t i = read_.size(); i < runs_[0].sizes.size(); ++i) {
    if (runs_[0].sizes[i].before != before) return;
    RunValues values;
    for (const RecordedRun& run : runs_) values.push_back(run.sizes[i].value);
    read_.push_back(forms_.add(std::move(values)));
    symbols_.push_back({.expr = read_.back(), .read = i});
  }
}

void SizeFit::fit_node(NodeId id) {
  const auto index = static_cast<size_t>(id);
  const Node& node = first().nodes[index];
  if (dead_[index]) return;
  std::vector<RunValues> integers(integers_of(node).size());
  for (const RecordedRun& run : runs_) {
    const std::vector<int64_t> own = integers_of(run.graph.nodes[index]);
    for (size_t i = 0; i < integers.size(); ++i) integers[i].push_back(own[i]);
  }
  std::map<RunValues, SymbolExpr> given;
  for (const RunValues& values : integers) {
    arguments_[index].push_back(varies(values) ? fit_argument(node, values)
                                               : number_expr(values[0]));
    if (varies(values)) given.emplace(values, arguments_[index].back());
  }
  for (const TensorId output : node.outputs)
    if (output != kNone) fit_result(id, output, given);
}

SymbolExpr SizeFit::fit_argument(const Node& node, const RunValues& values) {
  if (auto form = forms_.find(values)) return *form;
  std::string seen;
  for (const int64_t value : values) seen += (seen.empty() ? "" : ", ") + std::to_string(value);
  throw UserError(
      node.source,
      first().name + ": " + node.op + ": an argument depends on values (" + seen +
          " in as many runs), and is no sum of sizes that the program reads or makes",
      "read it through p.size_of(tensor), and compute with it on the host by + and * alone");
}

void SizeFit::fit_result(NodeId at, TensorId id, const std::map<RunValues, SymbolExpr>& given) {
  const Node& node = first().nodes[static_cast<size_t>(at)];
  const std::optional<size_t> made = made_dimension(first(), node);
  const Shape& shape = first().tensors[static_cast<size_t>(id)].shape;
  std::vector<SymbolExpr> sizes;
  bool unknown = false;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const RunValues values = sizes_of(id, dim);
    if (!varies(values)) {
      sizes.push_back(number_expr(values[0]));
      continue;
    }
    unknown = true;
    const auto known = known_sizes_.find(values);
    const auto wanted = given.find(values);
    if (made == dim || (known == known_sizes_.end() && wanted == given.end())) {
      sizes.push_back(forms_.add(values));
      symbols_.push_back({.expr = sizes.back(), .tensor = id, .dim = dim});
      known_sizes_.insert_or_assign(values, sizes.back());
      continue;
    }
    sizes.push_back(known != known_sizes_.end() ? known->second : wanted->second);
    known_sizes_.emplace(values, sizes.back());
    // A tensor that is made in a size of the program has that of another tensor, if they agree.
    if (wanted != given.end() && is_made_in_given_size(node) &&
        !same_size(wanted->second, sizes.back()))
      equal_[at].emplace_back(wanted->second, sizes.back());
  }
  if (unknown) sizes_.emplace(id, std::move(sizes));
}

// The graph, with nodes for what reads and asserts sizes.
class UnbackedWriter {
 public:
  explicit UnbackedWriter(const Graph& graph) {
    result_.graph.name = graph.name;
    result_.graph.functional = graph.functional;
    result_.graph.tensors = graph.tensors;
    result_.graph.inputs = graph.inputs;
    result_.graph.outputs = graph.outputs;
    result_.graph.by_name = graph.by_name;
    for (Tensor& tensor : result_.graph.tensors) tensor.producer = kNone;
  }

  void read(const SizeRead& read, const SymbolExpr& symbol) {
    Node node;
    node.op = "aten.item.default";
    node.args = {{TensorArg{read.tensor}}};
    node.source = read.place;
    result_.items.emplace(static_cast<NodeId>(result_.graph.nodes.size()), symbol.name);
    result_.graph.nodes.push_back(std::move(node));
  }

  void require(const std::string& comparison, const SymbolExpr& left, const SymbolExpr& right,
               const SourcePlace& place) {
    Node node;
    node.op = std::string(kAssertOp);
    node.args = {{comparison}, argument(left), argument(right)};
    node.source = place;
    result_.graph.nodes.push_back(std::move(node));
  }

  void add(Node node, const std::vector<SymbolExpr>& integers) {
    std::vector<Arg> with;
    for (const SymbolExpr& expr : integers) with.push_back(argument(expr));
    replace_integers(node, with);
    const auto id = static_cast<NodeId>(result_.graph.nodes.size());
    for (const TensorId output : node.outputs)
      if (output != kNone) result_.graph.tensors[static_cast<size_t>(output)].producer = id;
    result_.graph.nodes.push_back(std::move(node));
  }

  UnbackedGraph finish(const std::map<TensorId, std::vector<SymbolExpr>>& sizes) {
    for (const auto& [id, of_tensor] : sizes) {
      Shape& shape = result_.graph.tensors[static_cast<size_t>(id)].shape;
      for (size_t dim = 0; dim < shape.size(); ++dim)
        if (!is_number(of_tensor[dim])) shape[dim] = kUnknownSize;
      result_.shapes.emplace(id, of_tensor);
    }
    return std::move(result_);
  }

 private:
  Arg argument(const SymbolExpr& expr) {
    if (is_number(expr)) return {Int{expr.number}};
    result_.integers.push_back(expr);
    return {TensorArg{integer_argument(result_.integers.size() - 1)}};
  }

  UnbackedGraph result_;
};

UnbackedGraph SizeFit::unbacked() const {
  UnbackedWriter writer(first());
  size_t next = 0;
  const auto read_before = [&](NodeId before) {
    for (; next < read_.size() && runs_[0].sizes[next].before == before; ++next) {
      const SizeRead& read = runs_[0].sizes[next];
      writer.read(read, read_[next]);
      if (read.at_most) writer.require("le", read_[next], number_expr(*read.at_most), read.place);
      const bool same_always = std::ranges::all_of(
          runs_, [&](const RecordedRun& run) { return run.sizes[next].value == read.value; });
      if (same_always) writer.require("eq", read_[next], number_expr(read.value), read.place);
    }
  };
  for (size_t i = 0; i < first().nodes.size(); ++i) {
    read_before(static_cast<NodeId>(i));
    if (dead_[i]) continue;
    const Node& node = first().nodes[i];
    if (const auto equal = equal_.find(static_cast<NodeId>(i)); equal != equal_.end())
      for (const auto& [left, right] : equal->second)
        writer.require("eq", left, right, node.source);
    writer.add(node, arguments_[i]);
  }
  read_before(static_cast<NodeId>(first().nodes.size()));
  return writer.finish(sizes_);
}

void SizeFit::check(const RecordedRun& run) const {
  require_same_program(runs_[0], run);
  SymbolValues values;
  for (const Symbol& symbol : symbols_) {
    const bool is_read = symbol.tensor == kNone;
    values[symbol.expr.name] =
        is_read ? run.sizes[symbol.read].value
                : run.graph.tensors[static_cast<size_t>(symbol.tensor)].shape[symbol.dim];
  }
  for (size_t i = 0; i < first().nodes.size(); ++i) {
    if (dead_[i]) continue;
    const Node& node = run.graph.nodes[i];
    bool same = true;
    const std::vector<int64_t> integers = integers_of(node);
    for (size_t k = 0; k < integers.size(); ++k)
      same = same && evaluate(arguments_[i][k], values, node.source) == integers[k];
    for (const TensorId output : node.outputs) {
      const auto sizes = output == kNone ? sizes_.end() : sizes_.find(output);
      if (output == kNone) continue;
      const Shape& shape = run.graph.tensors[static_cast<size_t>(output)].shape;
      if (sizes == sizes_.end()) {
        same = same && shape == first().tensors[static_cast<size_t>(output)].shape;
        continue;
      }
      for (size_t dim = 0; dim < shape.size(); ++dim)
        same = same && evaluate(sizes->second[dim], values, node.source) == shape[dim];
    }
    if (same) continue;
    throw UserError(node.source,
                    first().name + ": " + node.op +
                        ": its sizes are other sums of those that the program reads than in " +
                        std::to_string(runs_.size()) + " runs before",
                    "compute with sizes on the host by + and * alone");
  }
}

}  // namespace assay
