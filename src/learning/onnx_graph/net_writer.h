// SPDX-License-Identifier: Apache-2.0
// The steps that several nets share, as nodes of a graph. Tensors go by their names in the weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/safetensors.h"
#include "nets/layers.h"
#include "nets/weight_precision.h"
#include "onnx_graph/graph.h"
#include "onnx_graph/net.h"

namespace protium::onnx {

class NetWriter {
 public:
  NetWriter(const GraphedNet& net, const Safetensors& weights, NetFeed& feed, Graph& graph)
      : net_(net), weights_(weights), feed_(feed), graph_(graph) {}

  const GraphedNet& net() const { return net_; }
  NetFeed& feed() { return feed_; }
  Graph& graph() { return graph_; }
  // Multiplications for a row so far.
  double work() const { return work_; }
  void Count(double multiplications) { work_ += multiplications; }

  // Fail with Exit::kInput for a tensor that there is not, or that is not of float32. Numbers are
  // rounded to bfloat16 if the graph is to hold them so; to 8 bits when they are Stored().
  Result<const NamedTensor*> Find(const std::string& name) const;
  Result<std::vector<float>> NumbersOf(const std::string& name) const;
  // Also fails for another shape than the net's.
  Result<std::vector<float>> NumbersOf(const Variable& tensor) const;
  Result<Value> Weight(const std::string& name);
  // The numbers of a tensor as a constant in the graph's precision.
  Value Stored(const std::vector<float>& numbers, std::vector<int64_t> dims);

  // x weight' + bias, of rows [rows, in].
  Result<Value> Dense(const Value& x, const std::string& name);
  Value Multiply(const Value& x, const Value& weight, const Value& bias);
  // The same of each of `tokens` [rows, tokens, in].
  Result<Value> DenseOfEach(const Value& x, const std::string& name, int64_t tokens);
  // Over the last dimension.
  Result<Value> LayerNorm(const Value& x, const std::string& name);
  // `tensors`: weight, bias, running mean and running variance.
  Value BatchNorm(const Value& x, const std::vector<Value>& tensors);
  // Dense layers with ReLU over `made` and the row's numbers, then the outputs, as
  // deep/dense_head.h.
  Result<Value> Head(const Value& made, size_t hidden);

  Value Relu(const Value& x) { return graph_.Add("Relu", {x}, kFloat); }
  Value Scalar(float number) { return graph_.Floats({&number, 1}, {}); }
  // -1: what is left; 0: as it is.
  Value Shaped(const Value& x, std::initializer_list<int64_t> shape);
  Value Transposed(const Value& x, std::initializer_list<int64_t> order);
  Value Apart(const Value& x, int64_t axis);  // With a dimension of 1 there.
  Value Without(const Value& x, int64_t axis);
  // The elements from `begin` to before `end` of an axis.
  Value Part(const Value& x, int64_t axis, int64_t begin, int64_t end);
  Value Together(const std::vector<Value>& parts, int64_t axis);

 private:
  bool IsStored16(const std::vector<int64_t>& shape) const {
    return net_.precision == WeightPrecision::kBfloat16 && IsRounded(shape);
  }
  // Layers are multiplied in int8 instead (int8_dense.h).
  bool IsStored8(const std::vector<int64_t>& shape) const {
    return net_.precision == WeightPrecision::kInt8 && !IsLayered(net_.net.name) &&
           IsRounded(shape);
  }
  Value StoredIn8(const std::vector<float>& numbers, std::vector<int64_t> dims);

  const GraphedNet& net_;
  const Safetensors& weights_;
  NetFeed& feed_;
  Graph& graph_;
  double work_ = 0;
};

// Each adds a net by name (net.cc).
Result<Value> AddLayered(NetWriter& writer);
Result<Value> AddCnn(NetWriter& writer);
Result<Value> AddFtTransformer(NetWriter& writer);
Result<Value> AddTextClassifier(NetWriter& writer);

// Reads the net's options, which may come from strangers.
template <class Options>
Result<Options> OptionsOf(const NetWriter& writer) {
  Options options;
  PT_TRY(FieldsFromJson(writer.net().net.options, "net", options));
  PT_TRY(options.Check("net"));
  return options;
}

// The columns that the net reads, for the checks of protium/net_columns.h.
NetColumns ColumnsOf(const GraphedNet& net);

}  // namespace protium::onnx
