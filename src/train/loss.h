// SPDX-License-Identifier: Apache-2.0
// How far outputs are from labels. Sums over rows are made in double, in the order of the rows;
// what is added up over shards is float32, as gradients are.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "recipe/choice.h"
#include "tensor/batch.h"

namespace protium {

// Sums over the rows of a shard, in their order.
struct LossSums {
  double loss = 0;  // Weight times loss.
  double weight = 0;
};

// Compares outputs [rows, outputs] with the rows' labels; `gradient`, of their shape, becomes the
// derivative of the summed loss by each output. NaN goes through to the sums. Called by one thread.
using Loss = std::function<LossSums(std::span<const float> outputs, const Batch& rows,
                                    std::span<float> gradient)>;

// Makes a loss of the options that a job gives it. Rows of class c count class_weights[c] times;
// without any, all count once.
using LossBuilder =
    std::function<Result<Loss>(const Json& options, const std::vector<double>& class_weights)>;
using LossTable = std::map<std::string, LossBuilder, std::less<>>;

// The losses of the house by name.
LossTable BuiltInLosses();
// A loss of the table, or the refusal of a name with the nearest.
Result<Loss> MakeLoss(const LossTable& table, const Choice& choice,
                      const std::vector<double>& class_weights);

// Of values, one output a label; a row of several labels counts once a label.
Loss SquaredLoss();
Loss AbsoluteLoss();
// 0.5 d^2 up to delta and delta (|d| - 0.5 delta) beyond.
Loss HuberLoss(double delta);
// exp(o) - label * o: the output is the logarithm of what is expected.
Loss PoissonLoss();

// Of two classes; the output is the logit of class 1, whose rows count `positive_weight` times.
Loss BinaryCrossEntropyLoss(double positive_weight);

// Of many classes; outputs go through a softmax. A row counts as often as its class (`weights`:
// one a class, or none). With smoothing s a row of class c is meant to be 1 - s of c, and s of all
// classes in equal parts.
Loss CrossEntropyLoss(std::vector<double> weights, double smoothing);

}  // namespace protium
