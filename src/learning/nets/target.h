// SPDX-License-Identifier: Apache-2.0
// What stands between the numbers a net gives and the numbers people read: scales, logarithms,
// classes.
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
  // Of numbers and flags: one a label; a packed label is on this scale, that of flags as it is.
  std::vector<ElementScale> labels;
  bool logarithmic = false;    // Of values: the net gives the logarithm of the value.
  std::vector<double> levels;  // Of quantiles, ascending.
  int64_t classes = 0;         // Of kClasses.
  Decision decision;           // Of classes and flags.

  // Of a net: one a label (and level), the logit of class 1, or one a class.
  int64_t outputs() const;
  // How many labels a row has.
  int64_t label_count() const;
  // From the outputs of one row to what metrics compare (Judged::scores); outputs() of each. The
  // quantiles of a label are put in ascending order: a net may let them cross, and in order they
  // are at least as close to the true ones (Chernozhukov, Fernandez-Val and Galichon, "Quantile and
  // Probability Curves Without Crossing", 2010).
  void Scores(const float* outputs, std::span<double> scores) const;
  // The labels of row i, as metrics compare them (Judged::labels); label_count() of them. Of rows
  // with own labels (WithOwnLabels()) they are exact, else rounded by the scale and back.
  void Labels(const PackedRows& rows, int64_t i, std::span<double> labels) const;
  // One row as metrics see it. Borrows all three.
  Judged Judge(std::span<const double> labels, std::span<const double> scores,
               double weight) const {
    return {labels, scores, weight, levels, decision.cut};
  }
};

}  // namespace protium
