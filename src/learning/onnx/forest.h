// SPDX-License-Identifier: Apache-2.0
// Forests as nodes of a graph.
#pragma once

#include "base/json.h"
#include "format/safetensors.h"
#include "onnx/cells.h"
#include "onnx_graph/graph.h"

namespace protium::onnx {

// Whether net.json is about a forest.
bool IsForest(const Json& net);

// Adds the forest of net.json over its columns; the result is float32 of shape [rows, outputs].
// Thresholds are those of the forest to the bit.
Result<Value> AddForest(const Json& net, const Safetensors& weights, Cells& cells, Graph& graph);

}  // namespace protium::onnx
