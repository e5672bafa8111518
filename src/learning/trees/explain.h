// SPDX-License-Identifier: Apache-2.0
// How much each column adds to a prediction: exact Shapley values of a forest, as defined by
// Lundberg et al., "Consistent Individualized Feature Attribution for Tree Ensembles", 2018. What a
// forest predicts when only some columns of a row are known is the mean over both branches of every
// split on an unknown one, by the cover of the training rows; half each where none came.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trees/forest.h"

namespace protium {

// Immutable: any thread. Borrows the forest, which has passed CheckForest().
class ForestExplainer {
 public:
  explicit ForestExplainer(const Forest& forest);
  ~ForestExplainer();
  ForestExplainer(ForestExplainer&&) noexcept;

  // What the forest predicts on average: one number per output. Explanations and mean add up to
  // the prediction, up to rounding in double.
  std::span<const double> mean() const { return mean_; }
  // Writes [rows, outputs, columns] for `rows` [rows, columns], values as in Forest. With `of`,
  // which names an output for each row, it writes [rows, columns]. Several rows at once are faster;
  // a row's numbers do not depend on the others.
  void Explain(std::span<const float> rows, std::span<double> by_column,
               std::span<const int32_t> of = {}) const;

 private:
  struct Paths;
  const Forest& forest_;
  std::vector<double> mean_;
  std::unique_ptr<const Paths> paths_;
};

}  // namespace protium
