// SPDX-License-Identifier: Apache-2.0
// How much each column adds to a prediction: exact Shapley values of a forest, by the algorithm of
// Lundberg et al., "Consistent Individualized Feature Attribution for Tree Ensembles" (2018), with
// the expectation over a tree that follows both branches by the cover of the training rows.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trees/forest.h"

namespace protium {

// Immutable: any thread. Borrows the forest.
class Explainer {
 public:
  explicit Explainer(const Forest& forest);
  ~Explainer();
  Explainer(Explainer&&) noexcept;

  // What the forest predicts on average: one number per output. Explanations and mean add up to
  // the prediction, up to rounding in double.
  std::span<const double> mean() const { return mean_; }
  // Writes [outputs, columns] for one row.
  void Explain(std::span<const float> row, std::span<double> by_column) const;

 private:
  struct Paths;
  const Forest& forest_;
  std::vector<double> mean_;
  std::unique_ptr<const Paths> paths_;
};

}  // namespace protium
