// SPDX-License-Identifier: Apache-2.0
// Nets made of layers (nets/layers.h).
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "nets/dense.h"
#include "nets/dots.h"
#include "nets/pieces.h"
#include "nets/product.h"
#include "onnx_graph/int8_dense.h"
#include "onnx_graph/net_writer.h"

namespace protium::onnx {
namespace {

// The columns of `weight` [outputs, stride] in the ranges `inputs`, as rows [inputs, outputs].
std::vector<float> Turned(const std::vector<float>& weight, int64_t stride,
                          const std::vector<InputRange>& inputs) {
  std::vector<float> turned;
  for (const InputRange& each : inputs) {
    for (int64_t k = each.begin; k < each.end; ++k) {
      for (auto at = size_t(k); at < weight.size(); at += size_t(stride)) {
        turned.push_back(weight[at]);
      }
    }
  }
  return turned;
}

// What a dense layer over `embed` reads beside the tables that are multiplied as a whole.
std::vector<InputRange> EnteringOf(const Layer& embed) {
  std::vector<InputRange> entering;
  int64_t at = 0;
  for (const LayerTensor& table : embed.parameters) {
    if (table.table) entering.push_back({at, at + table.shape[1]});
    at += table.shape[1];
  }
  entering.push_back({at, embed.width});
  return entering;
}

int64_t CountOf(const std::vector<InputRange>& inputs) {
  int64_t count = 0;
  for (const InputRange& each : inputs) count += each.end - each.begin;
  return count;
}

class LayerWriter {
 public:
  explicit LayerWriter(NetWriter& writer) : writer_(writer), graph_(writer.graph()) {}

  Result<Value> Add(const Layers& layers) {
    for (size_t l = 0; l < layers.size(); ++l) {
      const bool dense_above = l + 1 < layers.size() && layers[l + 1].kind == LayerKind::kDense;
      const bool split = layers[l].kind == LayerKind::kEmbed && dense_above &&
                         Rounds(CountOf(EnteringOf(layers[l])), layers[l + 1].width);
      split_ = split ? &layers[l] : split_;
      PT_LET(values_.emplace_back(), Add(layers[l]));
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
        return Dense(layer);
      case LayerKind::kBatchNorm:
        return BatchNorm(layer);
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

  Result<Value> Tensor(const LayerTensor& tensor) { return writer_.Weight(tensor.name); }

  bool Rounds(int64_t inputs, int64_t outputs) const {
    return writer_.net().precision == WeightPrecision::kInt8 && GainsByInt8(inputs, outputs);
  }

  // sums + x weight'.
  Result<Value> Product(const Value& x, const LayerTensor& weight, const Value& sums) {
    const int64_t outputs = weight.shape[0], inputs = weight.shape[1];
    if (!Rounds(inputs, outputs)) {
      PT_LET(const Value exact, Tensor(weight));
      return writer_.Multiply(x, exact, sums);
    }
    PT_LET(const std::vector<float> numbers, writer_.NumbersOf(weight));
    return Rounded(x, Turned(numbers, inputs, {{0, inputs}}), outputs, sums);
  }

  // The same for a weight that is turned: [inputs, outputs].
  Value Rounded(const Value& x, const std::vector<float>& weight, int64_t outputs,
                const Value& sums) {
    return AddInInt8(graph_, x, RoundToInt8(weight, int64_t(weight.size()) / outputs, outputs),
                     sums);
  }

  Result<Value> Dense(const Layer& layer) {
    PT_LET(Value sums, Tensor(layer.parameters[1]));
    const Layer* const embed = std::exchange(split_, nullptr);
    if (embed == nullptr) return Product(values_.back(), layer.parameters[0], sums);
    PT_LET(const std::vector<float> weight, writer_.NumbersOf(layer.parameters[0]));
    const int64_t stride = layer.parameters[0].shape[1];
    InputRange range;
    for (size_t c = 0; c < embed->parameters.size(); ++c) {
      range = {range.end, range.end + embed->parameters[c].shape[1]};
      if (embed->parameters[c].table) continue;
      const protium::Dense part(weight.data(), layer.width, stride, {{range}});
      PT_LET(const Value product, TimesTable(*embed, c, part, layer.width));
      sums = graph_.Add("Add", {sums, product}, kFloat);
    }
    return Rounded(values_.back(), Turned(weight, stride, EnteringOf(*embed)), layer.width, sums);
  }

  // A row of the product of a table with its part of the weight, as nets/forward.h makes it.
  Result<Value> TimesTable(const Layer& embed, size_t table, const protium::Dense& part,
                           int64_t outputs) {
    PT_LET(const std::vector<float> rows, writer_.NumbersOf(embed.parameters[table]));
    const int64_t count = embed.parameters[table].shape[0], width = part.width();
    std::vector<float> padded(size_t(count * width), 0), product;
    part.Add(rows.data(), part.inputs(), count, padded.data());
    for (auto row = padded.begin(); row != padded.end(); row += width) {
      product.insert(product.end(), row, row + outputs);
    }
    PT_LET(const Value index, writer_.feed().Category(size_t(embed.categories[table])));
    return graph_.Add("Gather", {graph_.Floats(product, {count, outputs}), index}, kFloat);
  }

  Result<Value> BatchNorm(const Layer& layer) {
    std::vector<Value> tensors;
    for (const std::vector<LayerTensor>* each : {&layer.parameters, &layer.buffers}) {
      for (const LayerTensor& tensor : *each) {
        PT_LET(tensors.emplace_back(), Tensor(tensor));
      }
    }
    return writer_.BatchNorm(values_.back(), tensors);
  }

  Result<Value> Linear(const Layer& layer) {
    PT_LET(Value sum, Tensor(layer.parameters.back()));
    for (size_t c = 0; c < layer.categories.size(); ++c) {
      PT_LET(const Value part, Embedded(layer, c));
      sum = graph_.Add("Add", {part, sum}, kFloat);
    }
    if (layer.numbers == 0) return sum;
    PT_LET(const Value numbers, writer_.feed().Numbers());
    return Product(numbers, layer.parameters[layer.categories.size()], sum);
  }

  Result<Value> Embed(const Layer& layer) {
    embed_width_ = layer.width;
    std::vector<Value> parts;
    for (size_t c = 0; c < layer.categories.size(); ++c) {
      if (split_ == &layer && !layer.parameters[c].table) continue;
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
  Result<Value> Pairs(const Layer& layer) {
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
      PT_LET(const Value weight, Tensor(layer.parameters[0]));
      parts.push_back(graph_.Add("Mul", {apart, weight}, kFloat));
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
    PT_LET(const Value scale, Tensor(layer.parameters[0]));
    PT_LET(const Value bias, Tensor(layer.parameters[1]));
    const Value scaled = graph_.Add("Mul", {writer_.Apart(values_.back(), 1), scale}, kFloat);
    return writer_.Shaped(graph_.Add("Add", {scaled, bias}, kFloat), {-1, layer.width});
  }

  // The mean of the members' outputs, as one product.
  Result<Value> Heads(const Layer& layer) {
    PT_LET(std::vector<float> weight, writer_.NumbersOf(layer.parameters[0]));
    PT_LET(const std::vector<float> biases, writer_.NumbersOf(layer.parameters[1]));
    const auto members = size_t(layer.members);
    for (float& each : weight) each /= float(members);
    std::vector<float> bias(size_t(layer.width), 0);
    for (size_t i = 0; i < biases.size(); ++i) bias[i / members] += biases[i] / float(members);
    const int64_t inputs = layer.parameters[0].shape[1];
    const Value x = writer_.Shaped(values_.back(), {-1, inputs});
    const Value sums = graph_.Floats(bias, {layer.width});
    // nets/forward.h sees the members' rows with their padding.
    const int64_t padded = RoundUpToPanels(inputs / layer.members) * layer.members;
    if (Rounds(padded, layer.width)) {
      return Rounded(x, Turned(weight, inputs, {{0, inputs}}), layer.width, sums);
    }
    return writer_.Multiply(x, graph_.Floats(weight, {layer.width, inputs}), sums);
  }

  // The table rows for a column of indices.
  Result<Value> Embedded(const Layer& layer, size_t table) {
    PT_LET(const Value index, writer_.feed().Category(size_t(layer.categories[table])));
    PT_LET(const Value rows, Tensor(layer.parameters[table]));
    return graph_.Add("Gather", {rows, index}, kFloat);
  }

  NetWriter& writer_;
  Graph& graph_;
  std::vector<Value> values_;  // Outputs of the previous layers.
  int64_t embed_width_ = 0;    // Of the last kEmbed.
  // The last kEmbed, if the layer over it is rounded: short tables are then multiplied there.
  const Layer* split_ = nullptr;
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
