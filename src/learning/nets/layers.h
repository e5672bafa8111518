// SPDX-License-Identifier: Apache-2.0
// What a built-in net is: a list of layers with their parameters. Everything that computes such a
// net or writes it down reads this list: kernels that train it (kernel_net.h) and predict with it
// (forward.h), LibTorch's operations on devices (deep/operations.h), TorchScript
// (deep/script_source.h) and ONNX (onnx/net.h).
//
// The order of additions that a layer states is what kernels do, and decides the bits of weights
// and predictions; the others add in an order of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "protium/choice.h"
#include "tensor/net.h"

namespace protium {

// Batch norm, with the constants of torch.nn.BatchNorm1d: what is added to a variance, and how far
// a step moves the running statistics.
inline constexpr double kNormEpsilon = 1e-5;
inline constexpr double kNormMomentum = 0.1;

// The most categories of a column whose whole table is multiplied (kDense): with more of them this
// costs more than multiplying the rows of a usual shard of a batch.
inline constexpr int64_t kMostFactored = 128;

enum class LayerKind {
  // Reads the rows: bias + a row of the table of each category + numbers x weight'. The bias, then
  // the tables in their order, one addition each, then a fused multiply-add for each number.
  // Parameters: tables [cardinality, width], weight [width, numbers] if there are numbers, bias.
  kLinear,
  // Reads the rows: the embedding of each category, one after another, then the numbers.
  // Parameters: tables [cardinality, width of the embedding].
  kEmbed,
  // x weight' + bias; parameters: weight [width, inputs], bias. The bias, then a fused multiply-add
  // for each input in their order. Over kEmbed the columns of at most kMostFactored categories come
  // before the other inputs, in their order and in one addition each: a row of the product of their
  // table with their part of the weight.
  kDense,
  // (x - mean) / sqrt(variance + kNormEpsilon) * weight + bias; parameters: weight, bias; buffers:
  // running mean, running variance. Training takes mean and variance of the batch, in double, and
  // moves the running ones (batch_norm.h). Predictions multiply by
  // weight / sqrt(running variance + kNormEpsilon) and add what is left, rounded after each.
  kBatchNorm,
  // max(x, 0); in training each value is dropped with the probability `dropout` (ReluDropout() of
  // tensor/philox.h).
  kRelu,
  // x + the output of layer `other`. Of kLinear and kDense alone: both keep the derivative that
  // they
  // are given.
  kSum,
};

// What a value begins with.
enum class Start {
  kConstant,  // `start_value`.
  kNormal,    // DrawNormal() with this deviation.
  kUniform,   // DrawUniform() from -start_value to start_value.
};

struct LayerTensor : Variable {
  Start start = Start::kConstant;
  float start_value = 0;
  // The key of its draw: DrawKey(DrawTag::kInitialise, {key, word}) for one word after another.
  std::vector<uint64_t> draw = {};
};

// Reads the output of the layer before it, if it does not read the rows.
struct Layer {
  LayerKind kind;
  int64_t width = 0;  // Of its output.
  std::vector<LayerTensor> parameters = {};
  std::vector<LayerTensor> buffers = {};
  // Of kLinear and kEmbed: which of a row's categories have a table, among the first parameters.
  std::vector<int64_t> categories = {};
  int64_t numbers = 0;  // Likewise: how many numeric values a row has.
  double dropout = 0;   // Of kRelu.
  uint64_t position =
      0;  // Of kRelu: its number, from 0, among those of the net; a part of the draw's key.
  size_t other = 0;  // Of kSum.
};

// The output of the last one is that of the net. Parameters and buffers are those of the layers, in
// this order, under the names that they have in weights.safetensors (docs/model-folder.md).
using Layers = std::vector<Layer>;

// What a net reads of packed rows, and how much it gives.
struct NetShape {
  std::vector<std::string> categorical;  // The columns in the field "categories".
  std::vector<int64_t> cardinalities;    // Of each.
  int64_t numeric = 0;                   // Elements of the field "numeric".
  int64_t outputs = 1;
};

// The nets that are described so: linear, tabular_mlp and their sum, wide_and_deep.
std::vector<std::string> LayeredNetNames();
bool IsLayered(const std::string& net);

// One of them. Other nets, and options that make none, are faults of Exit::kUsage.
Result<Layers> DescribeNet(const Choice& net, const NetShape& shape);

}  // namespace protium
