// SPDX-License-Identifier: Apache-2.0
// Weights from another program: a safetensors file, or a state dict or TorchScript module of
// PyTorch.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/file.h"
#include "format/safetensors.h"
#include "weights/torch_state.h"

namespace protium {

class WeightsFile {
 public:
  // Reads the file by its content, whatever its name. `key`: see ReadTorchState(). Failures are
  // faults of Exit::kInput, those about the key of Exit::kUsage.
  static Result<WeightsFile> Read(const std::filesystem::path& file, const std::string& key = "");

  const std::vector<NamedTensor>& tensors() const { return tensors_; }  // In name order.

 private:
  std::unique_ptr<MappedFile> mapped_;
  std::optional<Safetensors> safetensors_;
  std::deque<std::vector<std::byte>> gathered_;
  std::vector<NamedTensor> tensors_;
};

// Tensors as Protium's nets have them, in float32; those that had to be converted have memory of
// their own.
struct FloatTensors {
  std::vector<NamedTensor> tensors;
  std::deque<std::vector<float>> converted;
  std::vector<std::string> rounded;  // Names of the float64 tensors that lost digits.
};

// Converts F64, F16, BF16, whole numbers and booleans. A whole number beyond 2^24, which float32
// may not represent, and another type are faults of Exit::kInput. The result borrows from
// `tensors`.
Result<FloatTensors> ToFloat32(const std::vector<NamedTensor>& tensors);

}  // namespace protium
