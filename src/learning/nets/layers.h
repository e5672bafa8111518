// SPDX-License-Identifier: Apache-2.0
// A built-in net as a list of layers with their parameters. Everything that computes or exports
// such a net reads this list: kernels that train it (kernel_net.h) and predict with it (forward.h),
// LibTorch's operations on devices (deep/operations.h), TorchScript (deep/script_source.h) and ONNX
// (onnx_graph/net.h).
//
// Our kernels add in the order stated for each layer, which determines the bits of weights and
// predictions; the others add in their own order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "protium/choice.h"
#include "tensor/net.h"

namespace protium {

// Constants of batch norm, as in torch.nn.BatchNorm1d: what is added to a variance, and how far a
// step moves the running statistics.
inline constexpr double kNormEpsilon = 1e-5;
inline constexpr double kNormMomentum = 0.1;

// The most categories of a column whose whole table is multiplied (kDense): with more, this costs
// more than multiplying the rows of a typical shard of a batch.
inline constexpr int64_t kMostFactored = 128;

enum class LayerKind {
  // Reads the rows: bias + a row of the table of each category + numbers x weight'. Order: the
  // bias, then the tables in their order, one addition each, then a fused multiply-add for each
  // number. Parameters: tables [cardinality, width], weight [width, numbers] if there are numbers,
  // bias.
  kLinear,
  // Reads the rows: the embedding of each category, one after another, then the numbers or, with
  // `pieces`, those of each number (pieces.h). Parameters: tables [cardinality, width of the
  // embedding].
  kEmbed,
  // x weight' + bias; parameters: weight [width, inputs], bias. Order: the bias, then a fused
  // multiply-add for each input in order. Over kEmbed, columns of at most kMostFactored categories
  // come before the other inputs, in their order and with one addition each: a row of the product
  // of their table with their part of the weight. Tables of ids are never among these.
  kDense,
  // (x - mean) / sqrt(variance + kNormEpsilon) * weight + bias; parameters: weight, bias; buffers:
  // running mean, running variance. Training uses the mean and variance of the batch, in double,
  // and moves the running ones (batch_norm.h). Predictions multiply by weight / sqrt(running
  // variance + kNormEpsilon) and add the remaining constant, rounding after each.
  kBatchNorm,
  // max(x, 0); in training each value is dropped with the probability `dropout` (ReluDropout() of
  // tensor/philox.h).
  kRelu,
  // Makes `members` rows of each row, one after another: member m of x is x * scale[m] + bias[m],
  // rounded after each. Parameters: scale and bias [members, width]. Order of the derivatives: by x
  // the members, by a parameter the rows. The layers above compute each of these rows by itself, up
  // to kHeads. Only over kDense.
  kMembers,
  // The outputs of each member, with a weight of its own. Parameters: weight [width, members *
  // inputs], bias [width, members]. In training the outputs of all rows by the first member come
  // first, then those by the next; each is the member's bias and a fused multiply-add for each
  // input. A prediction is their mean: the members' biases, added up and divided by their number,
  // then a fused multiply-add for each input of each member with its weight / members.
  kHeads,
  // What pairs of columns say together (pairs.h): only over kEmbed without `pieces`, whose
  // embeddings all have the width of the outputs times the factors. Parameters: weight [numbers,
  // that width] if there are numbers.
  kPairs,
  // Reads the rows and, unless it is the first layer, the output of the previous one, a vector as
  // wide as an embedding: that vector, then the products of every two of the vectors of a row
  // (dots.h). Parameters: tables [cardinality, width of the embedding].
  kDots,
  // x + the output of layer `other`, in training for each member. Only over kLinear, kDense,
  // kPairs and kHeads: they leave the derivative that they receive unchanged. That by `other` is
  // added up over the members in their order.
  kSum,
};

// The first value of a parameter.
enum class Start {
  kConstant,  // `start_value`.
  kNormal,    // DrawNormal() with this deviation.
  kUniform,   // DrawUniform() from -start_value to start_value.
};

struct LayerTensor : Variable {
  Start start = Start::kConstant;
  float start_value = 0;
  // The key of its draw: DrawKey(DrawTag::kInitialise, {key, word}) for one word after another.
  // A table of ids that begins uniformly does so row by row, by DrawIdRow().
  std::vector<uint64_t> draw = {};
};

// The key of its draw, where `key` is the net's.
uint64_t DrawKeyOf(const LayerTensor& tensor, uint64_t key);

// Reads the output of the previous layer, unless it reads the rows.
struct Layer {
  LayerKind kind;
  int64_t width = 0;  // Width of its output.
  std::vector<LayerTensor> parameters = {};
  std::vector<LayerTensor> buffers = {};
  // For kLinear, kEmbed and kDots: which of a row's categories have a table; tables are the first
  // parameters.
  std::vector<int64_t> categories = {};
  int64_t numbers = 0;  // Likewise: how many numeric values a row has.
  int64_t pieces = 0;   // Of kEmbed: what each becomes; 0: itself.
  int64_t members = 1;  // How many rows come in per row of the net; of kMembers: go out.
  double dropout = 0;   // Of kRelu.
  uint64_t position =
      0;  // For kRelu: its number, from 0, among those of the net; part of the draw's key.
  size_t other = 0;          // Of kSum.
  int64_t vector_width = 0;  // Of kPairs and kDots: that of its vectors.
};

// The output of the last layer is the net's output. Parameters and buffers are those of the layers,
// in this order, with their names in weights.safetensors (docs/model-folder.md).
using Layers = std::vector<Layer>;

// What a net reads from packed rows, and how many outputs it has.
struct NetShape {
  std::vector<std::string> categorical;  // The columns in the field "categories".
  std::vector<int64_t> cardinalities;    // One per column: of ids, how many have a row.
  int64_t ids = 0;                       // So many of these columns, the last ones, are ids.
  int64_t numeric = 0;                   // Elements of the field "numeric".
  int64_t outputs = 1;
};

// The nets described this way: linear, tabular_mlp and their sum, wide_and_deep;
// factorization_machine; dlrm; tabm.
std::vector<std::string> LayeredNetNames();
bool IsLayered(const std::string& net);
// Refuses (Exit::kUsage) other nets, which the calling process cannot compute.
Status CheckLayered(const Choice& net);

// Describes one of them. Fails with Exit::kUsage for other nets and for invalid options.
Result<Layers> DescribeNet(const Choice& net, const NetShape& shape);

}  // namespace protium
