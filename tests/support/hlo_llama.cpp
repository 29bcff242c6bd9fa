#include "tests/support/hlo_llama.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::test {
namespace {

using Sizes = std::vector<int64_t>;

// The program of each of `ranks`; the sequential one where there is one rank.
class Program {
 public:
  Program(const HloLlama& model, int64_t ranks)
      : model_(model),
        ranks_(ranks),
        keys_(model.key_heads / ranks),
        queries_(keys_ * model.queries_per_key),
        rows_(model.tokens * model.batch) {}

  std::string text() {
    std::string x = parameter("x", {model_.hidden, model_.tokens, model_.batch}, "f16");
    const std::string positions = parameter("positions", {model_.tokens}, "s32");
    angles(positions);
    mask(positions);
    for (int layer = 0; layer < model_.layers; ++layer) {
      prefix_ = fmt::format("l{}_", layer);
      x = emit("f16", shape_x(), "add", {attention(x), x});
      x = emit("f16", shape_x(), "add", {mlp(x), x});
    }
    prefix_ = "";
    const std::string last =
        emit("f16", {model_.hidden, rows_}, "reshape", {normalized(x, "last_norm")});
    const std::string head = parameter("head", {model_.hidden, model_.vocabulary / ranks_}, "f16");
    add_result(
        "logits",
        emit("f16", {model_.vocabulary / ranks_, rows_}, "dot", {head, last}, contract(0, 0)),
        {model_.vocabulary / ranks_, rows_});
    std::string root = fmt::format("  ROOT %results = ({}) tuple({})\n",
                                   fmt::join(result_types_, ", "), fmt::join(results_, ", "));
    return "HloModule decoder\n\n" + combiner("greatest", "maximum") + combiner("total", "add") +
           "ENTRY %decoder {\n" + body_ + root + "}\n";
  }

 private:
  static std::string combiner(const std::string& name, const std::string& opcode) {
    return fmt::format(
        "%{} (p0: f16[], p1: f16[]) -> f16[] {{\n  %p0 = f16[] parameter(0)\n"
        "  %p1 = f16[] parameter(1)\n  ROOT %r = f16[] {}(%p0, %p1)\n}}\n\n",
        name, opcode);
  }

  static std::string contract(int lhs, int rhs) {
    return fmt::format("lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}", lhs, rhs);
  }

  static std::string type_of(const std::string& type, const Sizes& sizes) {
    return fmt::format("{}[{}]", type, fmt::join(sizes, ","));
  }

  // The name of a new instruction.
  std::string emit(const std::string& type, const Sizes& sizes, const std::string& opcode,
                   const std::vector<std::string>& operands, const std::string& attributes = "") {
    const std::string name = fmt::format("%{}.{}", opcode, next_++);
    body_ += fmt::format("  {} = {} {}({}){}{}\n", name, type_of(type, sizes), opcode,
                         fmt::join(operands, ", "), attributes.empty() ? "" : ", ", attributes);
    return name;
  }

  std::string parameter(const std::string& name, const Sizes& sizes, const std::string& type) {
    const std::string full = "%" + prefix_ + name;
    body_ += fmt::format("  {} = {} parameter({})\n", full, type_of(type, sizes), parameters_++);
    return full;
  }

  void add_result(const std::string& name, const std::string& value, const Sizes& sizes) {
    const std::string full = "%" + prefix_ + name;
    body_ += fmt::format("  {} = {} copy({})\n", full, type_of("f16", sizes), value);
    results_.push_back(full);
    result_types_.push_back(type_of("f16", sizes));
  }

  std::string scalar(const std::string& type, const std::string& value, const Sizes& sizes) {
    const std::string name = fmt::format("%constant.{}", next_++);
    body_ += fmt::format("  {} = {}[] constant({})\n", name, type, value);
    return emit(type, sizes, "broadcast", {name}, "dimensions={}");
  }

  Sizes shape_x() const { return {model_.hidden, model_.tokens, model_.batch}; }

  void angles(const std::string& positions) {
    const int64_t half = model_.head / 2;
    const std::string times = emit("f32", {model_.tokens}, "convert", {positions});
    const std::string frequencies = parameter("frequencies", {half}, "f32");
    const std::string angle = emit("f32", {model_.tokens, half}, "dot",
                                   {emit("f32", {model_.tokens, 1}, "reshape", {times}),
                                    emit("f32", {1, half}, "reshape", {frequencies})},
                                   contract(1, 0));
    cosine_ = emit("f16", {model_.tokens, half}, "convert",
                   {emit("f32", {model_.tokens, half}, "cosine", {angle})});
    sine_ = emit("f16", {model_.tokens, half}, "convert",
                 {emit("f32", {model_.tokens, half}, "sine", {angle})});
  }

  void mask(const std::string& positions) {
    const Sizes square{model_.tokens, model_.tokens};
    const std::string count = emit("s32", {model_.tokens}, "iota", {}, "iota_dimension=0");
    const std::string seen = emit("pred", square, "compare",
                                  {emit("s32", square, "broadcast", {count}, "dimensions={1}"),
                                   emit("s32", square, "broadcast", {positions}, "dimensions={0}")},
                                  "direction=LE");
    mask_ = emit("pred", scores(), "broadcast", {seen}, "dimensions={2,3}");
  }

  Sizes scores() const { return {model_.batch, queries_, model_.tokens, model_.tokens}; }

  std::string normalized(const std::string& x, const std::string& name) {
    const std::string weight = parameter(name, {model_.hidden}, "f32");
    const std::string epsilon = fmt::format("%constant.{}", next_++);
    body_ += fmt::format("  {} = f32[] constant(1e-05)\n", epsilon);
    return emit("f16", shape_x(), "custom-call",
                {emit("f32", shape_x(), "convert", {x}), weight, epsilon},
                "custom_call_target=\"AwsNeuronRmsNorm\", backend_config=\"0\"");
  }

  std::string rotated(const std::string& x, int64_t heads) {
    const int64_t half = model_.head / 2;
    const Sizes sizes{model_.tokens, model_.batch, heads, half};
    const auto part = [&](int64_t start) {
      return emit("f16", sizes, "slice", {x},
                  fmt::format("slice={{[0:{}], [0:{}], [0:{}], [{}:{}]}}", model_.tokens,
                              model_.batch, heads, start, start + half));
    };
    const std::string low = part(0), high = part(half);
    const std::string cosine = emit("f16", sizes, "broadcast", {cosine_}, "dimensions={0,3}");
    const std::string sine = emit("f16", sizes, "broadcast", {sine_}, "dimensions={0,3}");
    const auto times = [&](const std::string& a, const std::string& b) {
      return emit("f16", sizes, "multiply", {a, b});
    };
    const std::string first =
        emit("f16", sizes, "subtract", {times(cosine, low), times(sine, high)});
    const std::string second = emit("f16", sizes, "add", {times(cosine, high), times(sine, low)});
    return emit("f16", {model_.tokens, model_.batch, heads, model_.head}, "concatenate",
                {first, second}, "dimensions={3}");
  }

  // Each key for the queries of its group.
  std::string repeated(const std::string& keys) {
    const std::string groups =
        emit("f16", {model_.tokens, model_.batch, keys_, model_.queries_per_key, model_.head},
             "broadcast", {keys}, "dimensions={0,1,2,4}");
    return emit("f16", {model_.tokens, model_.batch, queries_, model_.head}, "reshape", {groups});
  }

  std::string softmax(const std::string& x) {
    const Sizes row{model_.batch, queries_, model_.tokens};
    const auto reduced = [&](const std::string& of, const std::string& init,
                             const std::string& by) {
      const std::string start = fmt::format("%constant.{}", next_++);
      body_ += fmt::format("  {} = f16[] constant({})\n", start, init);
      const std::string result =
          emit("f16", row, "reduce", {of, start}, "dimensions={3}, to_apply=%" + by);
      return emit("f16", scores(), "broadcast", {result}, "dimensions={0,1,2}");
    };
    const std::string shifted =
        emit("f16", scores(), "subtract", {x, reduced(x, "-inf", "greatest")});
    const std::string powers = emit("f16", scores(), "exponential", {shifted});
    return emit("f16", scores(), "divide", {powers, reduced(powers, "0", "total")});
  }

  // [rows, hidden] to what x looks like; each rank has a part of a sum.
  std::string joined(const std::string& parts) {
    const std::string turned =
        emit("f16", {model_.hidden, rows_}, "transpose", {parts}, "dimensions={1,0}");
    const std::string shaped = emit("f16", shape_x(), "reshape", {turned});
    if (ranks_ == 1) return shaped;
    std::vector<int64_t> all;
    for (int64_t rank = 0; rank < ranks_; ++rank) all.push_back(rank);
    return emit("f16", shape_x(), "all-reduce", {shaped},
                fmt::format("replica_groups={{{{{}}}}}, to_apply=%total", fmt::join(all, ",")));
  }

  std::string attention(const std::string& x) {
    const int64_t q = queries_ * model_.head, k = keys_ * model_.head;
    const std::string rows =
        emit("f16", {model_.hidden, rows_}, "reshape", {normalized(x, "attention_norm")});
    const std::string packed =
        emit("f16", {rows_, q + 2 * k}, "dot",
             {rows, parameter("qkv", {model_.hidden, q + 2 * k}, "f16")}, contract(0, 0));
    const auto heads = [&](int64_t start, int64_t count) {
      const std::string columns =
          emit("f16", {rows_, count * model_.head}, "slice", {packed},
               fmt::format("slice={{[0:{}], [{}:{}]}}", rows_, start, start + count * model_.head));
      return emit("f16", {model_.tokens, model_.batch, count, model_.head}, "reshape", {columns});
    };
    const Sizes cache{model_.tokens, model_.batch, keys_, model_.head};
    const std::string query = rotated(heads(0, queries_), queries_);
    const std::string key = rotated(heads(q, keys_), keys_), value = heads(q + k, keys_);
    add_result("keys", key, cache);
    add_result("values", value, cache);
    const Sizes spread{model_.tokens, model_.batch, queries_, model_.head};
    const std::string scaled = emit("f16", spread, "divide", {query, scalar("f16", "2", spread)});
    const std::string scores_of =
        emit("f16", scores(), "dot", {scaled, repeated(key)},
             "lhs_batch_dims={1,2}, lhs_contracting_dims={3}, rhs_batch_dims={1,2}, "
             "rhs_contracting_dims={3}");
    const std::string masked =
        emit("f16", scores(), "select", {mask_, scores_of, scalar("f16", "-30000", scores())});
    const std::string mixed =
        emit("f16", {model_.batch, queries_, model_.tokens, model_.head}, "dot",
             {softmax(masked), repeated(value)},
             "lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={1,2}, "
             "rhs_contracting_dims={0}");
    const std::string ordered = emit("f16", spread, "transpose", {mixed}, "dimensions={2,0,1,3}");
    const std::string flat = emit("f16", {rows_, q}, "reshape", {ordered});
    return joined(emit("f16", {rows_, model_.hidden}, "dot",
                       {flat, parameter("out", {model_.hidden, q}, "f16")}, contract(1, 1)));
  }

  std::string mlp(const std::string& x) {
    const int64_t inner = model_.inner / ranks_;
    const Sizes wide{rows_, inner}, weight{model_.hidden, inner};
    const std::string rows =
        emit("f16", {model_.hidden, rows_}, "reshape", {normalized(x, "mlp_norm")});
    const std::string gate =
        emit("f16", wide, "dot", {rows, parameter("gate", weight, "f16")}, contract(0, 0));
    const std::string open =
        emit("f16", wide, "multiply", {gate, emit("f16", wide, "logistic", {gate})});
    const std::string up =
        emit("f16", wide, "dot", {rows, parameter("up", weight, "f16")}, contract(0, 0));
    return joined(
        emit("f16", {rows_, model_.hidden}, "dot",
             {emit("f16", wide, "multiply", {open, up}), parameter("down", weight, "f16")},
             contract(1, 1)));
  }

  const HloLlama& model_;
  int64_t ranks_, keys_, queries_, rows_;
  std::string prefix_, body_, cosine_, sine_, mask_;
  std::vector<std::string> results_, result_types_;
  int next_ = 1;
  int parameters_ = 0;
};

class Relations {
 public:
  explicit Relations(const HloLlama& model) : model_(model) {}

  std::string text() const {
    std::string result;
    for (const std::string name : {"x", "positions", "frequencies", "last_norm"})
      result += replicas(name);
    for (int layer = 0; layer < model_.layers; ++layer) {
      const std::string prefix = fmt::format("l{}_", layer);
      result += packed(prefix + "qkv");
      for (const std::string name : {"attention_norm", "mlp_norm"})
        result += replicas(prefix + name);
      for (const std::string name : {"out", "gate", "up", "down"})
        result += relation(prefix + name, {joined(prefix + name)});
    }
    return result + relation("head", {joined("head")});
  }

 private:
  std::string replicas(const std::string& name) const {
    std::vector<std::string> all;
    for (int rank = 0; rank < model_.ranks; ++rank) all.push_back(leaf(name, rank));
    return relation(name, all);
  }

  static std::string leaf(const std::string& name, int rank) {
    return fmt::format("{}@{}", name, rank);
  }

  static std::string relation(const std::string& name, const std::vector<std::string>& replicas) {
    std::string list;
    for (const std::string& replica : replicas) list += fmt::format("\"{}\", ", replica);
    return fmt::format("\"{}\" = [{}]\n", name, list);
  }

  std::string joined(const std::string& name) const {
    std::vector<std::string> shards;
    for (int rank = 0; rank < model_.ranks; ++rank) shards.push_back(leaf(name, rank));
    return fmt::format("concat({}; dim=1)", fmt::join(shards, ", "));
  }

  // Every rank packs its own q, k and v.
  std::string packed(const std::string& name) const {
    const int64_t k = model_.key_heads / model_.ranks * model_.head;
    const int64_t q = k * model_.queries_per_key;
    std::vector<std::string> parts;
    for (const auto& [start, end] : {std::pair{int64_t{0}, q}, {q, q + k}, {q + k, q + 2 * k}}) {
      std::vector<std::string> shards;
      for (int rank = 0; rank < model_.ranks; ++rank)
        shards.push_back(
            fmt::format("slice({}; dim=1, start={}, end={})", leaf(name, rank), start, end));
      parts.push_back(fmt::format("concat({}; dim=1)", fmt::join(shards, ", ")));
    }
    return relation(name, {fmt::format("concat({}; dim=1)", fmt::join(parts, ", "))});
  }

  const HloLlama& model_;
};

}  // namespace

std::map<std::string, std::string> hlo_llama_case(const HloLlama& model) {
  const std::string head = fmt::format(
      "version = 1\nname = \"decoder\"\n[sequential]\ngraphs = [\"sequential.hlo.txt\"]\n"
      "[distributed]\ngraphs = [\"distributed.hlo.txt\"]\nranks = {}\n[inputs]\n",
      model.ranks);
  return {{"case.toml", head + Relations(model).text()},
          {"sequential.hlo.txt", Program(model, 1).text()},
          {"distributed.hlo.txt", Program(model, model.ranks).text()}};
}

}  // namespace assay::test
