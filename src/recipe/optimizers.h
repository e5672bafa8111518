// SPDX-License-Identifier: Apache-2.0
// The options of the built-in optimizers. Public API.
#pragma once

#include <string>

#include "recipe/choice.h"

namespace protium {

// Adam (Kingma and Ba, 2015). `weight_decay` is added to the gradient, as in the original paper's
// L2 form and torch.optim.Adam; this is not AdamW.
struct AdamOptions {
  double learning_rate = 1e-3;
  double weight_decay = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("learning_rate", learning_rate, {.help = "step size", .above = 0});
    visit("weight_decay", weight_decay,
          {.help = "pulls weights towards 0, added to the gradient", .at_least = 0});
    visit("beta1", beta1,
          {.help = "decay of the running mean of gradients", .at_least = 0, .below = 1});
    visit("beta2", beta2,
          {.help = "decay of the running mean of their squares", .at_least = 0, .below = 1});
    visit("epsilon", epsilon, {.help = "added to the divisor, which could be 0", .above = 0});
  }
};
Choice Adam(const AdamOptions& options = {});

// Adam with decoupled weight decay (Loshchilov and Hutter, 2019), as torch.optim.AdamW: in each
// step weights also shrink by learning_rate * weight_decay of themselves, whatever their gradients.
struct AdamWOptions {
  double learning_rate = 1e-3;
  double weight_decay = 1e-2;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("learning_rate", learning_rate, {.help = "step size", .above = 0});
    visit("weight_decay", weight_decay,
          {.help = "share of itself, times the learning rate, that a weight loses in a step",
           .at_least = 0});
    visit("beta1", beta1,
          {.help = "decay of the running mean of gradients", .at_least = 0, .below = 1});
    visit("beta2", beta2,
          {.help = "decay of the running mean of their squares", .at_least = 0, .below = 1});
    visit("epsilon", epsilon, {.help = "added to the divisor, which could be 0", .above = 0});
  }
};
Choice AdamW(const AdamWOptions& options = {});

// Stochastic gradient descent, with momentum, Nesterov's form of it and weight decay as in
// torch.optim.SGD: the learning rate scales the velocity, and decay is added to the gradient.
struct SgdOptions {
  double learning_rate = 1e-2;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
  Status Check(const std::string& path) const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("learning_rate", learning_rate, {.help = "step size", .above = 0});
    visit("momentum", momentum,
          {.help = "share of the previous step that is added to the next",
           .at_least = 0,
           .below = 1});
    visit("nesterov", nesterov, {.help = "look ahead: needs momentum"});
    visit("weight_decay", weight_decay,
          {.help = "pulls weights towards 0, added to the gradient", .at_least = 0});
  }
};
Choice Sgd(const SgdOptions& options = {});

// Adagrad (Duchi and others, 2011), as torch.optim.Adagrad: a weight's steps shrink with the sum of
// all its squared gradients so far.
struct AdagradOptions {
  double learning_rate = 1e-2;
  double weight_decay = 0;
  double rate_decay = 0;
  double initial = 0;
  double epsilon = 1e-10;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("learning_rate", learning_rate, {.help = "step size", .above = 0});
    visit("weight_decay", weight_decay,
          {.help = "pulls weights towards 0, added to the gradient", .at_least = 0});
    visit("rate_decay", rate_decay,
          {.help = "step n, from 0, is divided by 1 + n * rate_decay", .at_least = 0});
    visit("initial", initial, {.help = "where sums of squares begin", .at_least = 0});
    visit("epsilon", epsilon, {.help = "added to the divisor, which could be 0", .above = 0});
  }
};
Choice Adagrad(const AdagradOptions& options = {});

// RMSprop (Tieleman and Hinton, 2012), as torch.optim.RMSprop: steps scaled by the root of a moving
// mean of squared gradients; `centered` takes the variance instead of the mean square.
struct RmspropOptions {
  double learning_rate = 1e-2;
  double weight_decay = 0;
  double smoothing = 0.99;
  double momentum = 0;
  bool centered = false;
  double epsilon = 1e-8;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("learning_rate", learning_rate, {.help = "step size", .above = 0});
    visit("weight_decay", weight_decay,
          {.help = "pulls weights towards 0, added to the gradient", .at_least = 0});
    visit("smoothing", smoothing,
          {.help = "how slowly the mean of squares forgets", .at_least = 0, .below = 1});
    visit("momentum", momentum,
          {.help = "share of the previous step that is added to the next",
           .at_least = 0,
           .below = 1});
    visit("centered", centered, {.help = "divide by the deviation of gradients"});
    visit("epsilon", epsilon, {.help = "added to the divisor, which could be 0", .above = 0});
  }
};
Choice Rmsprop(const RmspropOptions& options = {});

}  // namespace protium
