// SPDX-License-Identifier: Apache-2.0
// Losses as trees use them: for one row and one output, the first and second derivative of the loss
// by the output (the margin), both times the row's weight. The formulas of the losses are those of
// train/loss.h; what differs:
//
// - mae, quantile: the hessian is the weight, and leaves take the exact quantile of what is left of
//   their labels (leaf_quantile.h).
// - huber: the hessian is the weight.
// - cross_entropy: the hessian is n / (n - 1) p (1 - p) for n classes (Friedman, "Greedy function
//   approximation", 2001).
// - poisson and tweedie: outputs are logarithms; steps of leaves are bounded by kMostLogStep.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "nets/target.h"
#include "protium/choice.h"
#include "rows/rows.h"
#include "trees/grid.h"

namespace protium {

// The labels and weights of the own rows, in the order of the shards.
struct TreeTargets {
  int64_t rows = 0;
  int64_t labels_per_row = 1;
  std::vector<float> labels;   // [rows, labels_per_row]; a class is its index.
  std::vector<float> weights;  // The row's, times that of its class.
};
// `class_weights`: empty: all 1.
Result<TreeTargets> ReadTargets(const ShardedRows& rows, const Target& target,
                                std::span<const double> class_weights);

// Margins are [outputs, rows]: one output after another.
class TreeLoss {
 public:
  virtual ~TreeLoss() = default;
  // Called at the start of a round: what its outputs depend on together.
  virtual void Begin(std::span<const float> margins, const TreeTargets& targets) {}
  // Writes the pairs of all rows for one output, from its margins.
  virtual void Gradients(int64_t output, std::span<const float> margins, const TreeTargets& targets,
                         std::span<GradientPair> out) const = 0;
  // The loss of one row, unweighted, from its margins (one per output) and labels.
  virtual double LossOf(std::span<const float> margins, std::span<const float> labels) const = 0;
  // Set: leaves of this output take that quantile of label - margin.
  virtual std::optional<double> level(int64_t output) const { return std::nullopt; }
  // The label that an output learns.
  virtual int64_t label(int64_t output) const { return 0; }
  // Bounds what a leaf adds to an output, before the learning rate.
  virtual double most_step() const { return 0; }  // 0: no bound.
  // By how much a constant output should change, from its sums; exact if it does not bend.
  virtual double Step(double gradient, double hessian) const { return -gradient / hessian; }
  virtual bool bends() const { return true; }
};

// Fails with Exit::kUsage for a loss that trees do not know; options are complete.
Result<std::unique_ptr<TreeLoss>> MakeTreeLoss(const Choice& loss, const Target& target);

}  // namespace protium
