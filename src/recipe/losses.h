// SPDX-License-Identifier: Apache-2.0
// The options of the built-in losses, and functions that programs choose them with. The formulas
// are in train/loss.h. Public API.
#pragma once

#include <string>

#include "recipe/choice.h"

namespace protium {

// Squared error up to `delta`, linear beyond it, so that outliers pull less. In units of what the
// net learns: of the scaled label where the label is scaled.
struct HuberOptions {
  double delta = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("delta", delta,
          {.help = "errors up to this size count squared, larger ones linearly", .above = 0});
  }
};
Choice Huber(const HuberOptions& options = {});
Choice MeanSquaredError();
Choice MeanAbsoluteError();
Choice Poisson();  // For counts and amounts >= 0; the net outputs the logarithm of the mean.

// For a label with two values. The loss of a positive row counts `positive_weight` times, as
// pos_weight of torch.nn.BCEWithLogitsLoss.
struct BinaryCrossEntropyOptions {
  double positive_weight = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("positive_weight", positive_weight,
          {.help = "weight of a row of the positive class", .above = 0});
  }
};
Choice BinaryCrossEntropy(const BinaryCrossEntropyOptions& options = {});

// For a label with any number of classes: the softmax of one output per class, as
// torch.nn.CrossEntropyLoss.
struct CrossEntropyOptions {
  // "none"; "balanced": all classes weigh the same in total; or a table such as {"rare": 5.0}: rows
  // of the listed classes count that many times, all others once.
  Json class_weights = "none";
  double label_smoothing = 0;  // Share of the target that is spread over all classes equally.
  Status Check(const std::string& path) const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("class_weights", class_weights,
          {.help = "\"none\", \"balanced\", or a table such as { rare = 5.0 }"});
    visit("label_smoothing", label_smoothing,
          {.help = "share of the target that is spread evenly over all classes",
           .at_least = 0,
           .below = 1});
  }
};
Choice CrossEntropy(const CrossEntropyOptions& options = {});

}  // namespace protium
