// SPDX-License-Identifier: Apache-2.0
// Losses written as an expression of tensors: autograd finds the derivative. What makes them exact,
// the weighting and adding up of rows, is done here, so they give only what each row loses.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "train/loss.h"

namespace protium {

// The loss of each row, float32 [rows], or [rows, n] for n losses per row, from the outputs [rows,
// outputs] and the labels. Labels of values are float32 [rows, labels], scaled as the net learns
// them; labels of classes are int64 [rows], the index of a row's class. The losses of a row must
// depend on that row alone.
using RowLosses = std::function<at::Tensor(const at::Tensor& outputs, const at::Tensor& labels)>;

// Each loss is weighted by its row's weight and, where `class_weights` are given, by that of its
// class. Calling it throws what Guard() turns into a Status for losses of another
// shape or type and for those that do not depend on the outputs. May be called by one thread at a
// time, as any Loss.
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
