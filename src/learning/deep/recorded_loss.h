// SPDX-License-Identifier: Apache-2.0
// Losses written as tensor expressions: autograd finds the derivative. The weighting and summing of
// rows, which must be exact, is done here, so an expression only returns the loss of each row.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "train/loss.h"

namespace protium {

// The loss of each row, float32 [rows], or [rows, n] for n losses per row, from the outputs [rows,
// outputs] and the labels. Labels of values are float32 [rows, labels], scaled as the net learns
// them; labels of classes are int64 [rows], the index of a row's class. The losses of a row must
// depend only on that row.
using RowLosses = std::function<at::Tensor(const at::Tensor& outputs, const at::Tensor& labels)>;

// Weights each loss by its row's weight and, if `class_weights` are given, by that of its class. A
// call throws an exception, which Guard() turns into a Status, if the losses have another shape or
// type or do not depend on the outputs. One thread at a time, like any Loss.
Loss RecordedLoss(RowLosses losses, std::vector<double> class_weights = {});

// Builds losses of the class L, constructed as L(options) and called as loss(outputs, labels).
// Options are an aggregate with Fields().
template <class L, class Options>
LossBuilder RecordedLossBuilder() {
  return [](const Json& given, const std::vector<double>& class_weights) -> Result<Loss> {
    Options options;
    PT_TRY(FieldsFromJson(given, "loss", options));
    return RecordedLoss(L(options), class_weights);
  };
}

}  // namespace protium
