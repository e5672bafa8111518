// SPDX-License-Identifier: Apache-2.0
// Nets as nodes of a graph.
#pragma once

#include "base/json.h"
#include "format/safetensors.h"
#include "onnx/cells.h"
#include "onnx/graph.h"

namespace protium::onnx {

// Adds the net of net.json over its columns; the result is float32 of shape [rows, outputs].
Result<Value> AddNet(const Json& net, const Safetensors& weights, Cells& cells, Graph& graph);

}  // namespace protium::onnx
