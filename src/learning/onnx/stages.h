// SPDX-License-Identifier: Apache-2.0
// What stages learned, as nodes of a graph.
#pragma once

#include <set>
#include <string>

#include "base/json.h"
#include "onnx/cells.h"
#include "onnx_graph/graph.h"

namespace protium::onnx {

// Adds the outputs of a stage to the cells. `stage` is its entry of stages.json, `options` that of
// pipeline.json (docs/model-folder.md).
Status AddStage(const Json& stage, const Json& options, Cells& cells, Graph& graph);

// The columns whose texts the stage looks up.
std::set<std::string> CategoriesOf(const Json& stage);

}  // namespace protium::onnx
