// Small graphs and cases, written in C++.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/graph.h"

namespace assay::test {

/// A tensor of a graph under construction.
struct TensorRef {
  TensorId id = kNone;
};

/// An argument of an operator: a tensor, a scalar, a text, a dtype, nothing, or a list of those.
struct Argument {
  Argument(TensorRef tensor) : arg{TensorArg{tensor.id}} {}
  Argument(int value) : arg{int64_t{value}} {}
  Argument(int64_t value) : arg{value} {}
  Argument(double value) : arg{value} {}
  Argument(bool value) : arg{value} {}
  Argument(const char* text) : arg{std::string(text)} {}
  Argument(DType dtype) : arg{dtype} {}
  Argument(NoArg none) : arg{none} {}
  Argument(const std::vector<Argument>& list);
  Argument(std::initializer_list<Argument> list) : Argument(std::vector<Argument>(list)) {}

  Arg arg;
};

struct TensorType {
  Shape shape;
  DType dtype = DType::kFloat32;
};

class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name) { graph_.name = std::move(name); }

  TensorRef input(const std::string& name, Shape shape, DType dtype = DType::kFloat32);
  /// A call with one output, which bears `name`.
  TensorRef call(const std::string& name, const std::string& op, std::vector<Argument> args,
                 Shape shape, DType dtype = DType::kFloat32);
  /// A call with several outputs, named NAME_0, NAME_1, ...
  std::vector<TensorRef> call_many(const std::string& name, const std::string& op,
                                   std::vector<Argument> args,
                                   const std::vector<TensorType>& types);
  /// A call without results.
  void effect(const std::string& op, std::vector<Argument> args);
  /// No node writes: results of those that would are new values.
  void make_functional() { graph_.functional = true; }
  /// A keyword argument of the last call.
  void keyword(const std::string& name, Argument argument) {
    graph_.nodes.back().kwargs.emplace_back(name, std::move(argument.arg));
  }
  /// How the capture saw the tensor lie in memory.
  void strides(TensorRef tensor, std::vector<int64_t> strides) {
    graph_.tensors[static_cast<size_t>(tensor.id)].strides = std::move(strides);
  }
  /// The line that the calls from here on come from.
  void at(const std::string& file, int64_t line) { place_ = {file, line}; }
  void output(TensorRef tensor) { graph_.outputs.push_back(tensor.id); }
  /// An output under another name.
  void output(const std::string& alias, TensorRef tensor) {
    graph_.by_name.emplace(alias, tensor.id);
    output(tensor);
  }

  const std::string& name_of(TensorRef tensor) const {
    return graph_.tensors[static_cast<size_t>(tensor.id)].name;
  }
  const Shape& shape(TensorRef tensor) const {
    return graph_.tensors[static_cast<size_t>(tensor.id)].shape;
  }

  const Graph& graph() const { return graph_; }

 private:
  TensorRef add(const std::string& name, const TensorType& type, NodeId producer, int32_t output);
  Node node_of(const std::string& op, std::vector<Argument> args) const;

  Graph graph_;
  SourcePlace place_;
};

/// A sequential program and its ranks; all ranks form the group "tp".
class CaseBuilder {
 public:
  explicit CaseBuilder(int ranks);

  GraphBuilder& sequential() { return sequential_; }
  GraphBuilder& rank(int r) { return ranks_[static_cast<size_t>(r)]; }
  int ranks() const { return static_cast<int>(ranks_.size()); }

  /// Sequential input `tensor` = each of these clean expressions.
  void relate(const std::string& tensor, const std::vector<std::string>& replicas);
  /// `tensor` of every rank is the sequential one.
  void replicate(const std::string& tensor);
  /// The sequential tensor is the concatenation of the ranks' along `dim`.
  void shard(const std::string& tensor, int dim);
  /// Sequential `expression` must equal each of these.
  void expect(const std::string& expression, const std::vector<std::string>& replicas);

  /// The user accepts each of `replicas` as sequential `tensor`.
  void approximate(const std::string& tensor, const std::vector<std::string>& replicas,
                   const std::string& reason);

  /// The validated case; the checked outputs are the sequential graph's.
  Case build() const;

 private:
  GraphBuilder sequential_{"sequential"};
  std::vector<GraphBuilder> ranks_;
  std::vector<Relation> relations_;
  std::vector<Expectation> expectations_;
  std::vector<Approximation> approximations_;
};

}  // namespace assay::test
