// SPDX-License-Identifier: Apache-2.0
// Runs a net that LibTorch trained in the calling process without LibTorch: as a graph
// (onnx_graph/net.h) that ONNX Runtime computes. The graph is made of the weights each time a model
// is opened and lies in memory alone, so it cannot be another model's.
//
// A row has the same bits whichever rows are beside it, for one version of the runtime and one kind
// of processor; they are not LibTorch's, from which they differ by the rounding of float32.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "nets/weight_precision.h"
#include "pipeline/estimator_kind.h"
#include "pipeline/torch_task.h"

namespace protium {

// Whether a net that is not made of layers can be run this way.
bool IsRunAsGraph(const std::string& net);
// Whether this process can do so: ONNX Runtime is here.
bool CanRunGraphs();

// Fails with Exit::kUsage for other nets, and with Exit::kEnvironment, naming the command that
// brings it, where ONNX Runtime is missing. `scaled`: numbers that are made while rows are packed.
// `precision`: that of the graph's weights, for any net that graphs express.
Result<std::shared_ptr<const RowPredictor>> OpenRowGraph(
    const NetConfig& config, const std::filesystem::path& weights,
    const std::vector<ScaledNumber>& scaled = {},
    WeightPrecision precision = WeightPrecision::kFloat32);

}  // namespace protium
