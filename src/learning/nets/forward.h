// SPDX-License-Identifier: Apache-2.0
// Predictions of tabular_mlp, linear, and their sum, wide_and_deep, from named weights alone. Their
// training is beside them (tabular_mlp.h, linear.h, wide_and_deep.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "recipe/choice.h"
#include "recipe/nets.h"
#include "rows/packed.h"

namespace protium {

// A parameter or buffer of a net: floats in row-major order, borrowed.
struct NetWeight {
  std::vector<int64_t> shape;
  const float* values = nullptr;
};
// By the name that it has in weights.safetensors (docs/model-folder.md); nullopt: there is none.
using FindWeight = std::function<std::optional<NetWeight>(const std::string& name)>;

// What a net reads of packed rows, and how much it gives.
struct ForwardShape {
  std::vector<std::string> categorical;  // The columns in the field "categories".
  std::vector<int64_t> cardinalities;    // Of each.
  int64_t numeric = 0;                   // Elements of the field "numeric".
  int64_t outputs = 1;
};

// What batch norm adds to a variance, when nets are trained as when they predict: that of
// torch.nn.BatchNorm1d.
inline constexpr double kNormEpsilon = 1e-5;

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

// Whether a net of this name is computed here.
bool IsForward(const std::string& net);

// The net with the weights that `find` gives, named after `prefix`; a few of them are borrowed and
// must outlive it. Weights that are missing or of another shape are faults of Exit::kInput.
Result<std::unique_ptr<ForwardNet>> MakeForwardLinear(const ForwardShape& shape,
                                                      const FindWeight& find,
                                                      const std::string& prefix = {});
// `categories`: positions of the columns that have an embedding.
Result<std::unique_ptr<ForwardNet>> MakeForwardMlp(const TabularMlpOptions& options,
                                                   const ForwardShape& shape,
                                                   const std::vector<int64_t>& categories,
                                                   const FindWeight& find,
                                                   const std::string& prefix = {});
// One of the nets for which IsForward(); others are faults that name it.
Result<std::unique_ptr<ForwardNet>> MakeForward(const Choice& net, const ForwardShape& shape,
                                                const FindWeight& find);

// The embedding's width of a column with `cardinality` categories, unless the options say one.
int64_t EmbeddingWidth(const TabularMlpOptions& options, int64_t cardinality);

// The weight of this name, or a fault if it is missing or its shape is another.
Result<const float*> FindShaped(const FindWeight& find, const std::string& name,
                                const std::vector<int64_t>& shape);

}  // namespace protium
