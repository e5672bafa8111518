// SPDX-License-Identifier: Apache-2.0
// A forest as the tensors of a safetensors file, the weights of a model folder
// (docs/model-folder.md). Names and cardinalities of columns are in net.json, not here.
//
// base F32 [outputs]; tree_nodes and tree_sets I64 [trees]: how many nodes and words of sets each
// tree has; then, for the nodes of all trees side by side: column I32 (-1: a leaf), left I32,
// threshold F32, set I32, missing_left U8, value F32, gain F32, cover F64; and sets U32.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "format/safetensors.h"
#include "trees/forest.h"

namespace protium {

// The tensors of a forest, which must outlive them. Immutable.
class ForestTensors {
 public:
  explicit ForestTensors(const Forest& forest);
  // In the order of the names.
  std::vector<NamedTensor> tensors() const;

 private:
  std::vector<float> base_, threshold_, value_, gain_;
  std::vector<int64_t> tree_nodes_, tree_sets_;
  std::vector<int32_t> column_, left_, set_;
  std::vector<uint8_t> missing_left_;
  std::vector<double> cover_;
  std::vector<uint32_t> sets_;
};

// Reads a forest over these columns. Fails with Exit::kInput, naming `where`, for missing tensors,
// other types or lengths, and whatever CheckForest() refuses.
Result<Forest> ForestOf(const Safetensors& file, std::vector<ForestColumn> columns,
                        const std::string& where);

}  // namespace protium
