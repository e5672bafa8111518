// SPDX-License-Identifier: Apache-2.0
// Predictions of the nets of layers.h from named weights, for validation, batch scoring and scoring
// in the calling process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "nets/id_rows.h"
#include "nets/int8_panels.h"
#include "nets/layers.h"
#include "rows/packed.h"

namespace protium {

// A parameter or buffer of a net: floats in row-major order, borrowed.
struct NetWeight {
  std::vector<int64_t> shape;
  const float* values = nullptr;
};
// Finds a weight by its name in weights.safetensors (docs/model-folder.md); nullopt: there is none.
using FindWeight = std::function<std::optional<NetWeight>(const std::string& name)>;

// Memory of one call; reuse it for the next. One thread.
struct ForwardScratch {
  std::vector<std::byte> resolved;
  std::vector<float> gathered;
  std::vector<float> layers[2];
  std::vector<float> members;
  std::vector<float> dots;
  std::vector<float> outputs;
  Int8Scratch int8;
};

// A net with weights, ready to predict. Immutable: any thread.
class ForwardNet {
 public:
  virtual ~ForwardNet() = default;
  // Fills `out` [rows, outputs]. Categories must have been checked (CheckCategories).
  virtual void Predict(const PackedRows& rows, ForwardScratch& scratch, float* out) const = 0;
};

// Makes the net with these layers and the weights that `find` returns, some of which are borrowed
// and must outlive it. Fails with Exit::kInput for weights that are missing or have another shape.
// `ids`: of rows with ids; nullptr: they have none. `int8`: the weights of dense layers are rounded
// to 8 bits (int8_panels.h), except where a table of at most kMostFactored rows is multiplied by
// them.
Result<std::unique_ptr<ForwardNet>> MakeForward(const Layers& layers, const FindWeight& find,
                                                std::shared_ptr<const IdRows> ids = nullptr,
                                                bool int8 = false);

}  // namespace protium
