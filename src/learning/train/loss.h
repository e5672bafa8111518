// SPDX-License-Identifier: Apache-2.0
// Losses: how far outputs are from labels, and in which direction to move them. Sums over the rows
// of a shard are computed in double, in the order of the rows; what is added over shards is
// float32, as gradients are.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "protium/choice.h"
#include "rows/packed.h"

namespace protium {

// Sums over the rows of a shard, in their order.
struct LossSums {
  double loss = 0;  // Sum of weight * loss.
  double weight = 0;
};

// Compares outputs [rows, outputs] with the rows' labels; writes the derivative of the summed loss
// by each output to `gradient`, which has their shape. NaN propagates to the sums. Called by one
// thread.
using Loss = std::function<LossSums(std::span<const float> outputs, const PackedRows& rows,
                                    std::span<float> gradient)>;

// Makes a loss from the options in the job. A row of class c counts class_weights[c] times; if that
// is empty, all count once.
using LossBuilder =
    std::function<Result<Loss>(const Json& options, const std::vector<double>& class_weights)>;
using LossTable = std::map<std::string, LossBuilder, std::less<>>;

// The built-in losses by name: those of BuiltInCatalogue().
LossTable BuiltInLosses();
// Returns a loss of the table; an unknown name is a fault of Exit::kUsage that names the nearest
// one.
Result<Loss> MakeLoss(const LossTable& table, const Choice& choice,
                      const std::vector<double>& class_weights);

// The mean of `loss` over a net's members (Net::members()), each compared with all rows.
Loss LossOfMembers(Loss loss, int64_t members);

// For numeric labels, with one output per label; a row of several labels counts once per label, in
// loss and weight. (o - label)^2 and |o - label|, without a factor 1/2.
Loss SquaredLoss();
Loss AbsoluteLoss();
// With d = o - label: 0.5 d^2 up to |d| = delta, delta (|d| - 0.5 delta) beyond, as in
// torch.nn.HuberLoss.
Loss HuberLoss(double delta);
// exp(o) - label * o: the output is the logarithm of the expected count. The term log(label!) of
// the likelihood does not depend on the output and is left out, as in torch.nn.PoissonNLLLoss.
Loss PoissonLoss();

// With the power p between 1 and 2: exp((2 - p) o) / (2 - p) - label * exp((1 - p) o) / (1 - p),
// the negative logarithm of Tweedie's likelihood without what does not depend on the output, which
// is the logarithm of the expected amount.
Loss TweedieLoss(double power);

// One output per label and level, side by side: level * (label - o) if the label is above o, (1 -
// level) * (o - label) if it is below (the pinball loss). Each output counts once, in loss and
// weight.
Loss QuantileLoss(std::vector<double> levels);

// For two classes; the output is the logit of class 1. The loss of a row of class 1 counts
// `positive_weight` times (pos_weight of torch.nn.BCEWithLogitsLoss), while the sum of weights
// counts it once. With smoothing s the target is 1 - s/2 or s/2. `of_classes` as for
// CrossEntropyLoss(). For yes-or-no labels, given as floats, there is one output per label, and a
// row counts once per label.
struct BinaryLoss {
  double positive_weight = 1;
  double smoothing = 0;
  std::vector<double> of_classes = {};
};
Loss BinaryCrossEntropyLoss(const BinaryLoss& options);

// For many classes; outputs go through a softmax. A row counts as often as its class (`weights`:
// one per class, or empty), also in the sum of weights. With smoothing s a row of class c has the
// target 1 - s + s/n for c and s/n for each other of the n classes (label_smoothing of
// torch.nn.CrossEntropyLoss).
Loss CrossEntropyLoss(std::vector<double> weights, double smoothing);

}  // namespace protium
