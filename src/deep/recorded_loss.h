// SPDX-License-Identifier: Apache-2.0
// A loss whose derivative LibTorch finds out.
#pragma once

#include <functional>
#include <vector>

#include "train/loss.h"

namespace protium {

// What each row loses: float32 [rows], or [rows, n] for n losses a row, of outputs [rows, outputs]
// and labels. Labels of values are float32 [rows, labels], on the scale that is learned; of classes
// int64 [rows], the index of a row's class. A row's losses may depend on that row alone.
using RowLosses = std::function<at::Tensor(const at::Tensor& outputs, const at::Tensor& labels)>;

// Each loss counts as often as its row does, and as its class where `class_weights` are given.
// Throws LibTorch's exceptions for losses of another shape or type.
Loss RecordedLoss(RowLosses losses, std::vector<double> class_weights = {});

// The builder of losses L, made as L(options) and called as loss(outputs, labels).
template <class L, class Options>
LossBuilder RecordedLossBuilder() {
  return [](const Json& given, const std::vector<double>& class_weights) -> Result<Loss> {
    Options options;
    PT_TRY(FieldsFromJson(given, "loss", options));
    return RecordedLoss(L(options), class_weights);
  };
}

}  // namespace protium
