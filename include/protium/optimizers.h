// SPDX-License-Identifier: Apache-2.0
// The options of the built-in optimizers, and the functions with which programs choose them.
// Formulas and defaults are PyTorch's, except for the learning rate of sgd; some options have other
// names. In every step `learning_rate` is multiplied by the schedule and by the parameter's own
// rate. The arithmetic is in train/update_rule.cc and train/update_kernels.h.
#pragma once

#include <string>

#include "protium/choice.h"

namespace protium {

// Adam (Kingma and Ba, 2015), like torch.optim.Adam; m and v are the running means of the gradients
// g and of their squares, both corrected for starting at 0:
//   w -= learning_rate * m / (sqrt(v) + epsilon)
// `weight_decay` times w is added to g (the L2 form); for AdamW's decay see below.
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

// Adam with decoupled weight decay (Loshchilov and Hutter, 2019), like torch.optim.AdamW: each step
// first applies w -= learning_rate * weight_decay * w; the gradient contains no decay. The learning
// rate here is that of the step, so the decay follows the schedule.
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
          {.help = "in each step a weight loses this share of itself, times the learning rate",
           .at_least = 0});
    visit("beta1", beta1,
          {.help = "decay of the running mean of gradients", .at_least = 0, .below = 1});
    visit("beta2", beta2,
          {.help = "decay of the running mean of their squares", .at_least = 0, .below = 1});
    visit("epsilon", epsilon, {.help = "added to the divisor, which could be 0", .above = 0});
  }
};
Choice AdamW(const AdamWOptions& options = {});

// Stochastic gradient descent, like torch.optim.SGD without dampening, with `weight_decay` times w
// added to the gradient g:
//   v = momentum * v + g,  w -= learning_rate * v
// or, with `nesterov`,
//   w -= learning_rate * (g + momentum * v)
// The learning rate scales the whole velocity, so changing it takes effect at once.
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
    visit("nesterov", nesterov, {.help = "Nesterov momentum; needs momentum above 0"});
    visit("weight_decay", weight_decay,
          {.help = "pulls weights towards 0, added to the gradient", .at_least = 0});
  }
};
Choice Sgd(const SgdOptions& options = {});

// Adagrad (Duchi et al., 2011), like torch.optim.Adagrad: a weight's steps shrink with the sum s of
// all its squared gradients so far, which starts at `initial`:
//   s += g^2,  w -= learning_rate / (1 + n * rate_decay) * g / (sqrt(s) + epsilon)
// in step n, counted from 0. PyTorch calls the two lr_decay and initial_accumulator_value.
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
          {.help = "step n, counted from 0, is divided by 1 + n * rate_decay", .at_least = 0});
    visit("initial", initial, {.help = "initial value of the sums of squares", .at_least = 0});
    visit("epsilon", epsilon, {.help = "added to the divisor, which could be 0", .above = 0});
  }
};
Choice Adagrad(const AdagradOptions& options = {});

// Adagrad with one sum s for each row of a table (docs/nets.md, "Tables of many ids"), to which the
// mean of the squares of the row's gradients is added: a table's state takes one number a row. A
// step leaves rows alone that no row of the batch reads. Other parameters follow adagrad. Like
// FBGEMM's EXACT_ROWWISE_ADAGRAD.
struct RowwiseAdagradOptions {
  double learning_rate = 1e-2;
  double initial = 0;
  double epsilon = 1e-8;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("learning_rate", learning_rate, {.help = "step size", .above = 0});
    visit("initial", initial, {.help = "initial value of the sums of squares", .at_least = 0});
    visit("epsilon", epsilon, {.help = "added to the divisor, which could be 0", .above = 0});
  }
};
Choice RowwiseAdagrad(const RowwiseAdagradOptions& options = {});

// Adam that leaves rows of a table alone, with their running means, while no row of the batch reads
// them; both means are corrected by the number of the table's steps, as if the row had made them
// all. Other parameters follow adam. Like torch.optim.SparseAdam.
struct LazyAdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("learning_rate", learning_rate, {.help = "step size", .above = 0});
    visit("beta1", beta1,
          {.help = "decay of the running mean of gradients", .at_least = 0, .below = 1});
    visit("beta2", beta2,
          {.help = "decay of the running mean of their squares", .at_least = 0, .below = 1});
    visit("epsilon", epsilon, {.help = "added to the divisor, which could be 0", .above = 0});
  }
};
Choice LazyAdam(const LazyAdamOptions& options = {});

// RMSprop (Tieleman and Hinton, 2012), like torch.optim.RMSprop, where `smoothing` is called alpha:
//   s = smoothing * s + (1 - smoothing) * g^2,  v = momentum * v + g / (sqrt(s) + epsilon),
//   w -= learning_rate * v
// `centered` uses the variance s - m^2 instead of s, with a running mean m of g.
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
          {.help = "decay of the running mean of squared gradients", .at_least = 0, .below = 1});
    visit("momentum", momentum,
          {.help = "share of the previous step that is added to the next",
           .at_least = 0,
           .below = 1});
    visit("centered", centered,
          {.help = "divides by the standard deviation of gradients, not their root mean square"});
    visit("epsilon", epsilon, {.help = "added to the divisor, which could be 0", .above = 0});
  }
};
Choice Rmsprop(const RmspropOptions& options = {});

}  // namespace protium
