// SPDX-License-Identifier: Apache-2.0
#include "onnx/net.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <limits>
#include <vector>

#include "base/fault.h"
#include "nets/layers.h"
#include "nets/pieces.h"

namespace protium::onnx {
namespace {

class NetGraph {
 public:
  NetGraph(const Json& net, const Safetensors& weights, Cells& cells, Graph& graph)
      : net_(net), weights_(weights), cells_(cells), graph_(graph) {}

  Result<Value> Add(const Layers& layers) {
    for (const Layer& layer : layers) {
      PT_TRY(FindTensors(layer));
      PT_LET(values_.emplace_back(), Add(layer));
    }
    return values_.back();
  }

 private:
  Result<Value> Add(const Layer& layer) {
    switch (layer.kind) {
      case LayerKind::kLinear:
        return Linear(layer);
      case LayerKind::kEmbed:
        return Embed(layer);
      case LayerKind::kDense:
        return Multiply(values_.back(), tensors_[0], tensors_[1]);
      case LayerKind::kBatchNorm:
        return Normed();
      case LayerKind::kRelu:
        return graph_.Add("Relu", {values_.back()}, kFloat);
      case LayerKind::kMembers:
        return Members(layer);
      case LayerKind::kHeads:
        return Heads(layer);
      case LayerKind::kPairs:
        return Pairs(layer);
      case LayerKind::kSum:
        return graph_.Add("Add", {values_[layer.other], values_.back()}, kFloat);
    }
    return Value{};
  }

  // Finds the layer's parameters and buffers.
  Status FindTensors(const Layer& layer) {
    tensors_.clear();
    for (const std::vector<LayerTensor>* tensors : {&layer.parameters, &layer.buffers}) {
      for (const LayerTensor& tensor : *tensors) {
        PT_LET(tensors_.emplace_back(), Weight(tensor.name));
      }
    }
    return Status::OK();
  }

  Result<Value> Weight(const std::string& name) {
    PT_LET(const std::vector<float> numbers, NumbersOf(name));
    return graph_.Floats(numbers, weights_.Find(name)->shape);
  }

  Result<std::vector<float>> NumbersOf(const std::string& name) const {
    const NamedTensor* const tensor = weights_.Find(name);
    if (tensor == nullptr || tensor->dtype != "F32") {
      return Fail({.exit = Exit::kInput, .what = "the model has no weights \"" + name + "\""});
    }
    std::vector<float> numbers(tensor->data.size() / sizeof(float));
    std::memcpy(numbers.data(), tensor->data.data(), numbers.size() * sizeof(float));
    return numbers;
  }

  Result<Value> Linear(const Layer& layer) {
    Value sum = tensors_.back();
    for (size_t c = 0; c < layer.categories.size(); ++c) {
      PT_LET(const Value part, Embedded(layer, c));
      sum = graph_.Add("Add", {part, sum}, kFloat);
    }
    if (layer.numbers == 0) return sum;
    PT_LET(const Value numbers, Numbers());
    return Multiply(numbers, tensors_[layer.categories.size()], sum);
  }

  Result<Value> Embed(const Layer& layer) {
    embed_width_ = layer.width;
    std::vector<Value> parts;
    for (size_t c = 0; c < layer.categories.size(); ++c) {
      PT_LET(parts.emplace_back(), Embedded(layer, c));
    }
    if (layer.numbers > 0) {
      PT_LET(const Value numbers, Numbers());
      parts.push_back(layer.pieces == 0 ? numbers : PiecesOf(numbers, layer));
    }
    return Together(parts);
  }

  Value PiecesOf(const Value& numbers, const Layer& layer) {
    constexpr float kEndless = std::numeric_limits<float>::infinity();
    const PieceScale scale(layer.pieces);
    const auto width = size_t(layer.pieces);
    std::vector<float> bounds(width), low(width, 0), high(width, 1);
    for (size_t j = 0; j < width; ++j) bounds[j] = float(j);
    low.front() = -kEndless;
    high.back() = kEndless;
    const auto each = [&](const char* kind, const Value& x, const std::vector<float>& by) {
      return graph_.Add(kind, {x, graph_.Floats(by, {int64_t(by.size())})}, kFloat);
    };
    const Value at = each("Add", each("Mul", numbers, {scale.factor}), {scale.shift});
    const std::vector<int64_t> last = {2};
    const Value apart = graph_.Add("Unsqueeze", {at, graph_.Wholes(last)}, kFloat);
    return Shaped(each("Min", each("Max", each("Sub", apart, bounds), low), high),
                  layer.numbers * layer.pieces);
  }

  // As rows of this width.
  Value Shaped(const Value& x, int64_t width) {
    const std::vector<int64_t> shape = {-1, width};
    return graph_.Add("Reshape", {x, graph_.Wholes(shape)}, kFloat);
  }

  // Of [rows, width], the columns from `begin` on, before `end`.
  Value Columns(const Value& x, int64_t begin, int64_t end) {
    const std::vector<int64_t> first = {begin}, last = {end}, axis = {1};
    return graph_.Add("Slice", {x, graph_.Wholes(first), graph_.Wholes(last), graph_.Wholes(axis)},
                      kFloat);
  }

  Value SumOver(const Value& x, int64_t axis) {
    const std::vector<int64_t> axes = {axis};
    const Value sum = graph_.Add("ReduceSum", {x, graph_.Wholes(axes)}, kFloat);
    graph_.With("keepdims", int64_t{0});
    return sum;
  }

  // The embedded vectors come first, then the numbers.
  Value Pairs(const Layer& layer) {
    const bool numbers = !layer.parameters.empty();
    const int64_t count = numbers ? layer.parameters[0].shape[0] : 0;
    const int64_t width = layer.pairs_width, embedded = embed_width_ - count;
    std::vector<Value> parts;
    if (embedded > 0) {
      const std::vector<int64_t> shape = {-1, embedded / width, width};
      parts.push_back(graph_.Add(
          "Reshape", {Columns(values_.back(), 0, embedded), graph_.Wholes(shape)}, kFloat));
    }
    if (numbers) {
      const std::vector<int64_t> last = {2};
      const Value apart = graph_.Add(
          "Unsqueeze", {Columns(values_.back(), embedded, embed_width_), graph_.Wholes(last)},
          kFloat);
      parts.push_back(graph_.Add("Mul", {apart, tensors_[0]}, kFloat));
    }
    const Value vectors = Together(parts), sum = SumOver(vectors, 1);
    const Value squares = graph_.Add("Mul", {vectors, vectors}, kFloat);
    const Value square = graph_.Add("Mul", {sum, sum}, kFloat);
    const Value pairs = graph_.Add("Sub", {square, SumOver(squares, 1)}, kFloat);
    const std::vector<int64_t> by_output = {-1, layer.width, width / layer.width};
    const Value added =
        SumOver(graph_.Add("Reshape", {pairs, graph_.Wholes(by_output)}, kFloat), 2);
    const std::vector<float> half = {0.5f};
    return graph_.Add("Mul", {added, graph_.Floats(half, {1})}, kFloat);
  }

  // [rows * members, width].
  Result<Value> Members(const Layer& layer) {
    const std::vector<int64_t> second = {1};
    const Value apart = graph_.Add("Unsqueeze", {values_.back(), graph_.Wholes(second)}, kFloat);
    const Value scaled = graph_.Add("Mul", {apart, tensors_[0]}, kFloat);
    return Shaped(graph_.Add("Add", {scaled, tensors_[1]}, kFloat), layer.width);
  }

  // The mean of the members' outputs, as one product.
  Result<Value> Heads(const Layer& layer) {
    PT_LET(std::vector<float> weight, NumbersOf(layer.parameters[0].name));
    PT_LET(const std::vector<float> biases, NumbersOf(layer.parameters[1].name));
    const auto members = size_t(layer.members), width = biases.size() / members;
    for (float& each : weight) each /= float(members);
    std::vector<float> bias(width, 0);
    for (size_t i = 0; i < biases.size(); ++i) bias[i / members] += biases[i] / float(members);
    const auto inputs = int64_t(weight.size() / width);
    return Multiply(Shaped(values_.back(), inputs), graph_.Floats(weight, {int64_t(width), inputs}),
                    graph_.Floats(bias, {int64_t(width)}));
  }

  // The table rows for a column of indices.
  Result<Value> Embedded(const Layer& layer, size_t table) {
    const Json& columns = net_.at("categorical");
    const Json& column = columns[size_t(layer.categories[table])].at("column");
    PT_LET(const Value index, cells_.At(column.get<std::string>()));
    return graph_.Add("Gather", {tensors_[table], graph_.As(index, kWhole)}, kFloat);
  }

  // Each is cast once, from float64.
  Result<Value> Numbers() {
    std::vector<Value> columns;
    const std::vector<int64_t> last = {1};
    const Value axes = graph_.Wholes(last);
    for (const Json& column : net_.at("numeric")) {
      PT_LET(const Value number, cells_.Number(column.get<std::string>()));
      columns.push_back(graph_.Add("Unsqueeze", {graph_.As(number, kFloat), axes}, kFloat));
    }
    return Together(columns);
  }

  Value Together(const std::vector<Value>& parts) {
    if (parts.size() == 1) return parts.front();
    const Value joined = graph_.Add("Concat", parts, kFloat);
    graph_.With("axis", int64_t{1});
    return joined;
  }

  // x weight' + bias
  Value Multiply(const Value& x, const Value& weight, const Value& bias) {
    const Value product = graph_.Add("Gemm", {x, weight, bias}, kFloat);
    graph_.With("transB", int64_t{1});
    return product;
  }

  Value Normed() {
    std::vector<Value> inputs = tensors_;
    inputs.insert(inputs.begin(), values_.back());
    const Value normed = graph_.Add("BatchNormalization", inputs, kFloat);
    graph_.With("epsilon", float(kNormEpsilon));
    return normed;
  }

  const Json& net_;
  const Safetensors& weights_;
  Cells& cells_;
  Graph& graph_;
  std::vector<Value> tensors_;  // Tensors of the current layer.
  std::vector<Value> values_;   // Outputs of the previous layers.
  int64_t embed_width_ = 0;     // Of the last kEmbed.
};

// Leaves out the number of outputs, which the shapes of the weights give.
NetShape ShapeOf(const Json& net) {
  NetShape shape{.numeric = int64_t(net.at("numeric").size())};
  for (const Json& each : net.at("categorical")) {
    shape.categorical.push_back(each.at("column"));
    shape.cardinalities.push_back(each.at("cardinality"));
  }
  return shape;
}

}  // namespace

Result<Value> AddNet(const Json& net, const Safetensors& weights, Cells& cells, Graph& graph) {
  Choice choice;
  PT_TRY(FromJson(net.at("net"), "net", choice));
  if (!net.at("lists").empty()) {
    return CannotSay("a net over columns of lists", "inputs are single values a row");
  }
  if (!IsLayered(choice.name)) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the net \"" + choice.name + "\" cannot be said in ONNX",
                 .why = fmt::format("these nets can: {}", fmt::join(LayeredNetNames(), ", "))});
  }
  for (const Json& each : net.at("categorical")) {
    if (each.at("cardinality") >= 0) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the column of ids {} cannot be said in ONNX",
                                     each.at("column").get<std::string>()),
                 .why = "ids that were never learned have rows of their own",
                 .fix = "score tables with protium predict, or rows with protium serve"});
  }
  PT_LET(const Layers layers, DescribeNet(choice, ShapeOf(net)));
  return NetGraph(net, weights, cells, graph).Add(layers);
}

}  // namespace protium::onnx
