// SPDX-License-Identifier: Apache-2.0
// Built-in nets with their weights as nodes of a graph: those made of layers (nets/layers.h), and
// those that LibTorch trains, cnn, ft_transformer and text_classifier.
//
// A graph adds in an order of its own, so its outputs agree with the net's up to float32's
// rounding, not to the bit. In int8 (int8_dense.h) that rounding can also decide to which of two
// levels a value goes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/safetensors.h"
#include "nets/layers.h"
#include "nets/weight_precision.h"
#include "onnx_graph/graph.h"
#include "protium/choice.h"
#include "protium/net_columns.h"

namespace protium::onnx {

// A net, and the columns that it reads in this order.
struct GraphedNet {
  Choice net;
  NetShape shape;
  std::vector<VectorColumn> lists;
  // In int8 the weights of 8 bits of a net made of layers are those that nets/forward.h computes
  // with; those of others are widened as the file is opened, as bfloat16 is.
  WeightPrecision precision = WeightPrecision::kFloat32;
};

// What a net reads, as values of the graph.
class NetFeed {
 public:
  virtual ~NetFeed() = default;
  virtual Result<Value> Numbers() = 0;            // float32 [rows, shape.numeric]; asked for once.
  virtual Result<Value> Category(size_t at) = 0;  // int64 [rows], of a column by its position.
  virtual Result<Value> List(size_t at) = 0;      // float32 [rows, length], likewise.
};

// The nets that graphs can express.
std::vector<std::string> GraphedNetNames();
bool IsGraphed(const std::string& net);

// Adds a net; the result is float32 [rows, outputs]. Fails with Exit::kUsage for another net and
// for invalid options, with Exit::kInput for weights that are not the net's.
Result<Value> AddNet(const GraphedNet& net, const Safetensors& weights, NetFeed& feed,
                     Graph& graph);

// A graph of a net alone, over fields of packed rows.
struct NetFile {
  std::string bytes;  // An ONNX file.
  int64_t work = 0;   // Multiplications for a row; 0: about as many as there are weights.
};
// Its inputs, those of them that the net reads: float32 [rows, numbers] and int64 [rows, columns],
// and float32 [rows, length] of each list.
inline constexpr const char* kNumbersInput = "numeric";
inline constexpr const char* kCategoriesInput = "categories";
std::string ListInputName(size_t at);  // "list.0"
inline constexpr const char* kNetOutput = "outputs";

Result<NetFile> WriteNet(const GraphedNet& net, const Safetensors& weights);

}  // namespace protium::onnx
