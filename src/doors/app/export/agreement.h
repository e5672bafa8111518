// SPDX-License-Identifier: Apache-2.0
// Whether a net that LibTorch trained computes the same as a graph.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/status.h"

namespace protium {

// Compares what ONNX Runtime computes from the graph of a model's net with what LibTorch computes
// from the net, on up to 10,000 rows: those that the model keeps from its training, then rows drawn
// from their values; fewer of a net that takes longer than a few seconds. Returns how far they
// differ, for people; none for a model whose net LibTorch does not compute.
//
// Fails with Exit::kUsage if an output differs by more than 1e-5, or by that share of the row's
// largest output if that is beyond 1, and with Exit::kEnvironment without LibTorch or ONNX Runtime.
Result<std::optional<std::string>> CheckAgreement(const std::filesystem::path& model);

}  // namespace protium
