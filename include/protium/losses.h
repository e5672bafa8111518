// SPDX-License-Identifier: Apache-2.0
// The options of the built-in losses, and the functions with which programs choose them. The
// formulas are in train/loss.h.
#pragma once

#include <string>
#include <vector>

#include "protium/choice.h"

namespace protium {

// Squared error up to `delta`, linear beyond it, so that outliers pull less. The unit is that of
// the value the net learns: the scaled label if the label is scaled.
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

// For amounts of 0 or more of which many are 0, such as the cost of claims: the variance grows with
// the power of the mean, like that of counts with power 1, of amounts with power 2. The net outputs
// the logarithm of the mean.
struct TweedieOptions {
  double power = 1.5;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("power", power,
          {.help = "the variance is the mean to this power", .above = 1, .below = 2});
  }
};
Choice Tweedie(const TweedieOptions& options = {});

// One output per level: the value below which that share of the labels lies, given the inputs.
struct QuantileOptions {
  std::vector<double> levels = {0.1, 0.5, 0.9};
  Status Check(const std::string& path) const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("levels", levels,
          {.help = "shares of the labels that lie below, ascending, each between 0 and 1"});
  }
};
Choice Quantile(const QuantileOptions& options = {});

// How much rows of a class count: "none"; "balanced": all classes have the same total weight; or a
// table such as {"rare": 5.0}: rows of the listed classes count that many times, all others once.
Status CheckClassWeights(const Json& class_weights, const std::string& path);

// For a label with two values, or for several yes/no labels. The loss of a positive row is
// multiplied by `positive_weight`, like pos_weight of torch.nn.BCEWithLogitsLoss. With smoothing s,
// the target 1 becomes 1 - s/2 and 0 becomes s/2.
struct BinaryCrossEntropyOptions {
  double positive_weight = 1;
  Json class_weights = "none";  // For a single label.
  double label_smoothing = 0;
  Status Check(const std::string& path) const { return CheckClassWeights(class_weights, path); }
  template <class Visit>
  void Fields(Visit& visit) {
    visit("positive_weight", positive_weight,
          {.help = "weight of the loss of a row of the positive class", .above = 0});
    visit("class_weights", class_weights,
          {.help = "for one label: \"none\", \"balanced\", or a table such as { yes = 5.0 }"});
    visit("label_smoothing", label_smoothing,
          {.help = "share of the target that is spread evenly over yes and no",
           .at_least = 0,
           .below = 1});
  }
};
Choice BinaryCrossEntropy(const BinaryCrossEntropyOptions& options = {});

// For a label with any number of classes: the softmax of one output per class, like
// torch.nn.CrossEntropyLoss.
struct CrossEntropyOptions {
  Json class_weights = "none";
  double label_smoothing = 0;  // Share of the target that is spread over all classes equally.
  Status Check(const std::string& path) const { return CheckClassWeights(class_weights, path); }
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
