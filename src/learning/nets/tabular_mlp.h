// SPDX-License-Identifier: Apache-2.0
// Embeddings of categories beside numeric values, then dense layers. Forward and backward are
// written out: at a few hundred rows a recorded graph costs as much as the arithmetic, and the
// order of every sum is ours.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "recipe/nets.h"
#include "tensor/net.h"

namespace protium {

// The net `tabular_mlp` of recipe/nets.h (TabularMlpOptions). Parameters, in order:
//   embedding.<c>.weight [cardinality, width]    one per categorical column
//   dense.<l>.weight [out, in], dense.<l>.bias   input: embeddings in column order, then numerics
//   norm.<l>.weight, norm.<l>.bias               with batch_norm, each after its dense.<l>
//   output.weight [outputs, in], output.bias [outputs]
// Buffers, with batch_norm: norm.<l>.running_mean, norm.<l>.running_var. A hidden layer is dense,
// batch norm, ReLU, dropout. It computes on the CPU, with deep/operations.h on devices.
// Options out of range and inputs without any column are refused (exit code of usage).
Result<std::unique_ptr<Net>> MakeTabularMlp(const Json& options, const NetInputs& inputs);
// The same net over some of the categorical columns: embedding.<c> is that of column categories[c].
Result<std::unique_ptr<Net>> MakeTabularMlpOver(const TabularMlpOptions& options,
                                                const NetInputs& inputs,
                                                const std::vector<int64_t>& categories);

}  // namespace protium
