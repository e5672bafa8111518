// SPDX-License-Identifier: Apache-2.0
// Turns a net's outputs into the numbers that people read: scales, logarithms, classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/decision.h"
#include "metrics/metrics.h"
#include "rows/packed.h"
#include "rows/schema.h"

namespace protium {

// What the outputs of a net mean.
struct Target {
  TargetKind kind = TargetKind::kValues;
  // For numbers and flags: one per label. A packed label is on this scale; flags are not scaled.
  std::vector<ElementScale> labels;
  bool logarithmic = false;    // For values: the net outputs the logarithm of the value.
  std::vector<double> levels;  // For quantiles, ascending.
  int64_t classes = 0;         // For kClasses.
  Decision decision;           // For classes and flags.

  // The number of a net's outputs: one per label (and level), the logit of class 1, or one per
  // class.
  int64_t outputs() const;
  // The number of labels of a row.
  int64_t label_count() const;
  // Turns the outputs of one row into what metrics compare (Judged::scores); each has outputs()
  // elements. Sorts the quantiles of a label in ascending order: a net may let them cross, and
  // sorted they are at least as close to the true ones (Chernozhukov, Fernandez-Val and Galichon,
  // "Quantile and Probability Curves Without Crossing", 2010).
  void Scores(const float* outputs, std::span<double> scores) const;
  // Fills in the label_count() labels of row i, as metrics compare them (Judged::labels). They are
  // exact for rows with own labels (WithOwnLabels()), otherwise rounded by scaling and back.
  void Labels(const PackedRows& rows, int64_t i, std::span<double> labels) const;
  // The scales of row i, for metrics of series: those of the field kScaleField, in its order;
  // `scales` has the seasons.
  static void Scales(const PackedRows& rows, int64_t i, std::span<SeasonScale> scales);
  // The seasons of that field, without scales; empty if rows have none.
  static std::vector<SeasonScale> SeasonsIn(const RowSchema& rows);
  // One row for metrics. Borrows its arguments.
  Judged Judge(std::span<const double> labels, std::span<const double> scores, double weight,
               uint64_t group = 0, std::span<const SeasonScale> scales = {}) const {
    return {labels, scores, weight, levels, decision.cut, group, scales};
  }
};

}  // namespace protium
