// SPDX-License-Identifier: Apache-2.0
// Runs an average in the calling process: the weighted sum of its members' outputs.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/estimator_kind.h"
#include "pipeline/torch_task.h"

namespace protium {

// sum of weights[m] * outputs[m], in double and in the order of members, as float32. `outputs` has
// one list of equal length for each member.
std::vector<float> Blended(std::span<const std::vector<float>> outputs,
                           std::span<const double> weights);

// Reads the members and their weights (average_file.h), once.
Result<std::shared_ptr<const RowPredictor>> OpenRowAverage(const NetConfig& config,
                                                           const std::filesystem::path& weights);

// The members alone, in order.
Result<std::vector<std::shared_ptr<const RowPredictor>>> OpenMembers(
    const NetConfig& config, const std::filesystem::path& weights);

}  // namespace protium
