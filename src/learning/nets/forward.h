// SPDX-License-Identifier: Apache-2.0
// Predictions of the nets of layers.h from named weights alone: those of validation, of batch
// scoring and of scoring in the process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "nets/layers.h"
#include "rows/packed.h"

namespace protium {

// A parameter or buffer of a net: floats in row-major order, borrowed.
struct NetWeight {
  std::vector<int64_t> shape;
  const float* values = nullptr;
};
// By the name that it has in weights.safetensors (docs/model-folder.md); nullopt: there is none.
using FindWeight = std::function<std::optional<NetWeight>(const std::string& name)>;

// Memory of one call, worth keeping for the next one. One thread.
struct ForwardScratch {
  std::vector<float> gathered;
  std::vector<float> layers[2];
  std::vector<float> outputs;
};

// A net with weights, ready to predict. Immutable: any thread.
class ForwardNet {
 public:
  virtual ~ForwardNet() = default;
  // Fills `out` [rows, outputs]. Categories have been checked (CheckCategories).
  virtual void Predict(const PackedRows& rows, ForwardScratch& scratch, float* out) const = 0;
};

// The net with these layers and the weights that `find` gives, a few of which are borrowed and must
// outlive it. Weights that are missing or of another shape are faults of Exit::kInput.
Result<std::unique_ptr<ForwardNet>> MakeForward(const Layers& layers, const FindWeight& find);

}  // namespace protium
