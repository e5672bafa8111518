// SPDX-License-Identifier: Apache-2.0
// Nets made of layers (nets/layers.h).
#include <limits>
#include <vector>

#include "base/fault.h"
#include "nets/dots.h"
#include "nets/pieces.h"
#include "onnx_graph/net_writer.h"

namespace protium::onnx {
namespace {

class LayerWriter {
 public:
  explicit LayerWriter(NetWriter& writer) : writer_(writer), graph_(writer.graph()) {}

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
        return writer_.Multiply(values_.back(), tensors_[0], tensors_[1]);
      case LayerKind::kBatchNorm:
        return writer_.BatchNorm(values_.back(), tensors_);
      case LayerKind::kRelu:
        return writer_.Relu(values_.back());
      case LayerKind::kMembers:
        return Members(layer);
      case LayerKind::kHeads:
        return Heads(layer);
      case LayerKind::kPairs:
        return Pairs(layer);
      case LayerKind::kDots:
        return Dots(layer);
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
        PT_LET(tensors_.emplace_back(), writer_.Weight(tensor.name));
      }
    }
    return Status::OK();
  }

  Result<Value> Linear(const Layer& layer) {
    Value sum = tensors_.back();
    for (size_t c = 0; c < layer.categories.size(); ++c) {
      PT_LET(const Value part, Embedded(layer, c));
      sum = graph_.Add("Add", {part, sum}, kFloat);
    }
    if (layer.numbers == 0) return sum;
    PT_LET(const Value numbers, writer_.feed().Numbers());
    return writer_.Multiply(numbers, tensors_[layer.categories.size()], sum);
  }

  Result<Value> Embed(const Layer& layer) {
    embed_width_ = layer.width;
    std::vector<Value> parts;
    for (size_t c = 0; c < layer.categories.size(); ++c) {
      PT_LET(parts.emplace_back(), Embedded(layer, c));
    }
    if (layer.numbers > 0) {
      PT_LET(const Value numbers, writer_.feed().Numbers());
      parts.push_back(layer.pieces == 0 ? numbers : PiecesOf(numbers, layer));
    }
    return writer_.Together(parts, 1);
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
    const Value apart = writer_.Apart(at, 2);
    return writer_.Shaped(each("Min", each("Max", each("Sub", apart, bounds), low), high),
                          {-1, layer.numbers * layer.pieces});
  }

  Value SumOver(const Value& x, int64_t axis) {
    const Value sum = graph_.Add("ReduceSum", {x, graph_.Wholes({axis})}, kFloat);
    graph_.With("keepdims", int64_t{0});
    return sum;
  }

  // The embedded vectors come first, then the numbers.
  Value Pairs(const Layer& layer) {
    const bool numbers = !layer.parameters.empty();
    const int64_t count = numbers ? layer.parameters[0].shape[0] : 0;
    const int64_t width = layer.vector_width, embedded = embed_width_ - count;
    const Value x = values_.back();
    std::vector<Value> parts;
    if (embedded > 0) {
      parts.push_back(
          writer_.Shaped(writer_.Part(x, 1, 0, embedded), {-1, embedded / width, width}));
    }
    if (numbers) {
      const Value apart = writer_.Apart(writer_.Part(x, 1, embedded, embed_width_), 2);
      parts.push_back(graph_.Add("Mul", {apart, tensors_[0]}, kFloat));
    }
    const Value vectors = writer_.Together(parts, 1), sum = SumOver(vectors, 1);
    const Value squares = graph_.Add("Mul", {vectors, vectors}, kFloat);
    const Value square = graph_.Add("Mul", {sum, sum}, kFloat);
    const Value pairs = graph_.Add("Sub", {square, SumOver(squares, 1)}, kFloat);
    const Value added = SumOver(writer_.Shaped(pairs, {-1, layer.width, width / layer.width}), 2);
    return graph_.Add("Mul", {added, writer_.Scalar(0.5f)}, kFloat);
  }

  Result<Value> Dots(const Layer& layer) {
    const DotShape shape = DotsOf(layer);
    std::vector<Value> parts;
    if (shape.has_input) parts.push_back(writer_.Apart(values_.back(), 1));
    for (size_t c = 0; c < layer.categories.size(); ++c) {
      PT_LET(const Value embedded, Embedded(layer, c));
      parts.push_back(writer_.Apart(embedded, 1));
    }
    const Value vectors = writer_.Together(parts, 1);
    const int64_t count = shape.vectors();
    const Value all =
        graph_.Add("MatMul", {vectors, writer_.Transposed(vectors, {0, 2, 1})}, kFloat);
    std::vector<int64_t> chosen;
    for (int64_t v = 1; v < count; ++v) {
      for (int64_t other = 0; other < v; ++other) chosen.push_back(v * count + other);
    }
    const Value products = graph_.Add(
        "Gather", {writer_.Shaped(all, {-1, count * count}), graph_.Wholes(chosen)}, kFloat);
    graph_.With("axis", int64_t{1});
    if (!shape.has_input) return products;
    return writer_.Together({values_.back(), products}, 1);
  }

  // [rows * members, width].
  Result<Value> Members(const Layer& layer) {
    const Value scaled = graph_.Add("Mul", {writer_.Apart(values_.back(), 1), tensors_[0]}, kFloat);
    return writer_.Shaped(graph_.Add("Add", {scaled, tensors_[1]}, kFloat), {-1, layer.width});
  }

  // The mean of the members' outputs, as one product.
  Result<Value> Heads(const Layer& layer) {
    PT_LET(std::vector<float> weight, writer_.NumbersOf(layer.parameters[0].name));
    PT_LET(const std::vector<float> biases, writer_.NumbersOf(layer.parameters[1].name));
    const auto members = size_t(layer.members), width = biases.size() / members;
    for (float& each : weight) each /= float(members);
    std::vector<float> bias(width, 0);
    for (size_t i = 0; i < biases.size(); ++i) bias[i / members] += biases[i] / float(members);
    const auto inputs = int64_t(weight.size() / width);
    return writer_.Multiply(writer_.Shaped(values_.back(), {-1, inputs}),
                            graph_.Floats(weight, {int64_t(width), inputs}),
                            graph_.Floats(bias, {int64_t(width)}));
  }

  // The table rows for a column of indices.
  Result<Value> Embedded(const Layer& layer, size_t table) {
    PT_LET(const Value index, writer_.feed().Category(size_t(layer.categories[table])));
    return graph_.Add("Gather", {tensors_[table], index}, kFloat);
  }

  NetWriter& writer_;
  Graph& graph_;
  std::vector<Value> tensors_;  // Tensors of the current layer.
  std::vector<Value> values_;   // Outputs of the previous layers.
  int64_t embed_width_ = 0;     // Of the last kEmbed.
};

}  // namespace

Result<Value> AddLayered(NetWriter& writer) {
  const GraphedNet& net = writer.net();
  if (!net.lists.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the net " + net.net.name + " does not read lists",
                 .where = "net"});
  }
  PT_LET(const Layers layers, DescribeNet(net.net, net.shape));
  return LayerWriter(writer).Add(layers);
}

}  // namespace protium::onnx
