// SPDX-License-Identifier: Apache-2.0
// From the outputs of a net to the columns of a table.
#pragma once

#include <arrow/array.h>

#include <memory>
#include <span>

#include "learn/objective.h"
#include "tensor/target.h"

namespace protium {

// Makes the columns of a prediction (PredictedFields of learn/objective.h) of a net's outputs: of
// values each in its own units; of classes the class in the label's own type, its probability (of
// two classes that of the second) and, where asked for, those of all.
class Predictions {
 public:
  static Result<Predictions> Make(const Objective& objective, const Target& target,
                                  arrow::FieldVector fields);
  // One array a field, from `outputs` [rows, outputs].
  Result<arrow::ArrayVector> Columns(std::span<const float> outputs) const;

 private:
  Result<arrow::ArrayVector> Values(std::span<const float> outputs) const;
  Result<arrow::ArrayVector> Classes(std::span<const float> outputs) const;
  // The probabilities of all classes for one row.
  void Shares(const float* outputs, std::span<double> shares) const;

  Target target_;
  arrow::FieldVector fields_;
  std::shared_ptr<arrow::Array> classes_;  // Each class once, in the label's type.
};

}  // namespace protium
