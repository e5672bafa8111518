// SPDX-License-Identifier: Apache-2.0
// What stands between the numbers a net gives and the numbers people read: scales, logarithms,
// classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/metrics.h"
#include "rows/schema.h"
#include "tensor/batch.h"

namespace protium {

// What the outputs of a net mean.
struct Target {
  TargetKind kind = TargetKind::kValues;
  std::vector<ElementScale> labels;  // Of values: one a label; a packed label is on this scale.
  bool logarithmic = false;          // Of values: the net gives the logarithm of the value.
  int64_t classes = 0;               // Of kClasses.

  // Of a net: one a label, the logit of class 1, or one a class.
  int64_t outputs() const;
  // How many labels a row has.
  int64_t label_count() const;
  // From the outputs of one row to what metrics compare (Judged::scores); outputs() of each.
  void Scores(const float* outputs, std::span<double> scores) const;
  // The labels of row i, as metrics compare them (Judged::labels); label_count() of them.
  void Labels(const Batch& rows, int64_t i, std::span<double> labels) const;
};

}  // namespace protium
