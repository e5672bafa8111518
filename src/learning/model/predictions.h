// SPDX-License-Identifier: Apache-2.0
// Turns the raw outputs of a net into the columns of a table: values on the label's own scale, or
// classes with probabilities.
#pragma once

#include <arrow/array.h>

#include <memory>
#include <span>

#include "nets/target.h"
#include "pipeline/objective.h"

namespace protium {

// Makes the columns of a prediction (PredictedFields of pipeline/objective.h) from a net's outputs.
// For values and quantiles: one double column per label (and level), in the label's units. For
// flags: whether the probability is above the threshold, and the probability, per label. For
// classes: the predicted class in the label's own type, its probability (with two classes always
// that of the second) and, if there is a third field, a list of the probabilities of all classes.
class Predictions {
 public:
  // `fields` are the columns that the driver announced. If their number is not what the target
  // makes, or the label's type cannot parse the text of a class, that is a bug of ours.
  static Result<Predictions> Make(const Objective& objective, const Target& target,
                                  arrow::FieldVector fields);
  // Returns one array per field, in order, from `outputs` [rows, outputs].
  Result<arrow::ArrayVector> Columns(std::span<const float> outputs) const;

 private:
  Result<arrow::ArrayVector> Values(std::span<const float> outputs) const;
  Result<arrow::ArrayVector> Classes(std::span<const float> outputs) const;
  Result<arrow::ArrayVector> Flags(std::span<const float> outputs) const;
  // Computes the probabilities of all classes from the scores of one row.
  void Shares(std::span<const double> scores, std::span<double> shares) const;

  Target target_;
  arrow::FieldVector fields_;
  std::shared_ptr<arrow::Array> classes_;  // Each class once, in the label's type.
};

}  // namespace protium
