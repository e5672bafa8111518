// SPDX-License-Identifier: Apache-2.0
// Turns a net's outputs into predictions, as nodes of a graph.
#pragma once

#include <vector>

#include "base/json.h"
#include "onnx/onnx.h"
#include "onnx_graph/graph.h"

namespace protium::onnx {

// Adds the model's predictions as outputs of the graph. `objective` is that of net.json, `columns`
// the "output" of schema.json, and `net` the float32 outputs of the net, [rows, outputs].
Result<std::vector<OnnxColumn>> AddPredictions(const Json& objective, const Json& columns,
                                               const Value& net, Graph& graph);

}  // namespace protium::onnx
