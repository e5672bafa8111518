// SPDX-License-Identifier: Apache-2.0
// Where the nets of this folder write gradients. A matrix product overwrites its target, but a sink
// with `add` already holds the gradient of other shards. The tree over shards (docs/rows.md, "The
// sum over shards") requires one addition per element, of a shard's whole gradient; a kernel that
// accumulated into the sink would add its partial sums one by one, and the bits would depend on the
// shard's position in the tree. So such a gradient is computed in spare memory and added when it is
// complete.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "collective/sparse_rows.h"
#include "nets/mlp_kernels.h"
#include "tensor/net.h"

namespace protium {

// One per net. Spare memory is allocated on first use and reused from step to step.
class GradientTargets {
 public:
  // Memory for the gradient of parameter i: the sink's if it may be overwritten, otherwise spare
  // memory with undefined content.
  float* At(size_t i, const GradientSink& sink) {
    const FloatValues& parameter = sink.parameters[i];
    if (!sink.add) return parameter.data;
    if (spare_.size() < sink.parameters.size()) spare_.resize(sink.parameters.size());
    spare_[i].resize(size_t(parameter.count()));
    return spare_[i].data();
  }

  // Rows for the gradient of parameter i, none at first, if it is a table that the sink takes row
  // by row; else nullptr.
  SparseRows* RowsAt(size_t i, const GradientSink& sink) {
    if (sink.tables.empty() || sink.tables[i] == nullptr) return nullptr;
    if (!sink.add) {
      sink.tables[i]->Clear();
      return sink.tables[i];
    }
    // All at once: pointers to the rows of other tables stay valid.
    spare_rows_.resize(sink.tables.size());
    return &SpareRows(i, *sink.tables[i]);
  }

  // Reports that the gradient of parameter i is complete; call it exactly once per parameter and
  // backward pass. Counts it in `defined`: the optimiser does not change a parameter for which no
  // shard had a gradient.
  void Settle(size_t i, const GradientSink& sink) {
    const bool rows = !sink.tables.empty() && sink.tables[i] != nullptr;
    if (sink.add && rows) sink.tables[i]->Add(*spare_rows_[i]);
    if (sink.add && !rows) AddTo(sink.parameters[i].host(), spare_[i]);
    sink.defined[i] += 1;
  }

 private:
  SparseRows& SpareRows(size_t i, const SparseRows& like) {
    if (!spare_rows_[i]) spare_rows_[i].emplace(like.width());
    spare_rows_[i]->Clear();
    return *spare_rows_[i];
  }

  std::vector<std::vector<float>> spare_;
  std::vector<std::optional<SparseRows>> spare_rows_;  // Of tables.
};

}  // namespace protium
