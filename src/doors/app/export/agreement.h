// SPDX-License-Identifier: Apache-2.0
// Whether a graph computes the same as the net that it is made of.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/status.h"
#include "nets/weight_precision.h"

namespace protium {

// Compares what ONNX Runtime computes from the graph of a model's net with what LibTorch computes
// from the net, on up to 10,000 rows: those that the model keeps from its training, then rows drawn
// from their values; fewer of a net that takes longer than a few seconds. Returns how far they
// differ, for people; none for a model whose net LibTorch does not compute.
//
// Fails with Exit::kUsage if an output differs by more than 1e-5, or by that share of the row's
// largest output if that is beyond 1, and with Exit::kEnvironment without LibTorch or ONNX Runtime.
Result<std::optional<std::string>> CheckAgreement(const std::filesystem::path& model);

// Likewise for a graph whose weights are rounded: compared with the net in float32 with the same
// rounded weights. In int8 that of a net made of layers is compared with what
// `predict --precision int8` computes: both round rows to the same levels, except a value that the
// rounding of float32 puts on the other side of the middle between two of them, so that up to 5
// rows in 100 may be further apart, by up to 0.05. Without ONNX Runtime it is returned that nothing
// was compared, unless LibTorch computes the net.
Result<std::string> CheckRoundedAgreement(const std::filesystem::path& model,
                                          WeightPrecision precision);

}  // namespace protium
