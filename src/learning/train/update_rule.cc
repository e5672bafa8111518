// SPDX-License-Identifier: Apache-2.0
#include "train/update_rule.h"

#include <cmath>
#include <type_traits>
#include <utility>

#include "base/unknown_name.h"
#include "protium/optimizers.h"

namespace protium {
namespace {

// base^exponent by squaring: std::pow may differ in the last bit between C libraries.
double Power(double base, int64_t exponent) {
  double out = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if (exponent & 1) out *= base;
  }
  return out;
}

// torch.optim.Adam and AdamW; m and v are the running means of gradients and of their squares:
//   w -= rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
// The two differ in the decay: Adam adds weight_decay * w to the gradient, AdamW first multiplies w
// by 1 - rate * weight_decay.
template <class Options>
class AdamRule : public UpdateRule {
 public:
  explicit AdamRule(const Options& options) : o_(options) {}
  std::vector<std::string> state() const override { return {"first", "second"}; }
  bool Update(const UpdateRange& range) const override {
    const double rate = o_.learning_rate * range.rate;
    GradientScale scale = range.scale;
    if constexpr (std::is_same_v<Options, AdamWOptions>) {
      scale.shrink = float(1 - rate * o_.weight_decay);
    } else {
      scale.weight_decay = float(o_.weight_decay);
    }
    // The bias corrections (Kingma and Ba, 2015, section 3): m and v begin at 0 and are too small
    // in the first steps.
    const double left1 = 1 - Power(o_.beta1, range.step);
    const double left2 = 1 - Power(o_.beta2, range.step);
    return AdamUpdate({.scale = scale,
                       .beta1 = float(o_.beta1),
                       .beta2 = float(o_.beta2),
                       .rest1 = float(1 - o_.beta1),
                       .rest2 = float(1 - o_.beta2),
                       .epsilon = float(o_.epsilon),
                       .rate = float(rate / left1),
                       .second_divisor = float(std::sqrt(left2))},
                      range.sum, range.count, range.weights, range.state[0], range.state[1]);
  }

 private:
  Options o_;
};

// torch.optim.SGD without dampening: v = momentum * v + g, and w -= rate * v; with nesterov
// w -= rate * (g + momentum * v). Without momentum v is g and is not stored.
class SgdRule final : public UpdateRule {
 public:
  explicit SgdRule(const SgdOptions& options) : o_(options) {}
  std::vector<std::string> state() const override {
    if (o_.momentum == 0) return {};
    return {"velocity"};
  }
  bool Update(const UpdateRange& range) const override {
    GradientScale scale = range.scale;
    scale.weight_decay = float(o_.weight_decay);
    return SgdUpdate({.scale = scale,
                      .momentum = float(o_.momentum),
                      .rate = float(o_.learning_rate * range.rate),
                      .nesterov = o_.nesterov},
                     range.sum, range.count, range.weights,
                     range.state.empty() ? nullptr : range.state[0]);
  }

 private:
  SgdOptions o_;
};

// torch.optim.Adagrad: s += g^2, and w -= rate / (1 + (t - 1) * rate_decay) * g / (sqrt(s) +
// epsilon).
class AdagradRule final : public UpdateRule {
 public:
  explicit AdagradRule(const AdagradOptions& options) : o_(options) {}
  std::vector<std::string> state() const override { return {"squares"}; }
  float initial() const override { return float(o_.initial); }
  bool Update(const UpdateRange& range) const override {
    GradientScale scale = range.scale;
    scale.weight_decay = float(o_.weight_decay);
    const double decay = 1 + double(range.step - 1) * o_.rate_decay;
    return AdagradUpdate({.scale = scale,
                          .epsilon = float(o_.epsilon),
                          .rate = float(o_.learning_rate * range.rate / decay)},
                         range.sum, range.count, range.weights, range.state[0]);
  }

 private:
  AdagradOptions o_;
};

// FBGEMM's row-wise Adagrad: a row of a table has one s, to which the mean of its g^2 is added.
// Other parameters follow adagrad.
class RowwiseAdagradRule final : public UpdateRule {
 public:
  explicit RowwiseAdagradRule(const RowwiseAdagradOptions& options) : o_(options) {}
  std::vector<std::string> state() const override { return {"squares"}; }
  float initial() const override { return float(o_.initial); }
  bool state_by_row() const override { return true; }
  bool Update(const UpdateRange& range) const override {
    const AdagradStep step{.scale = range.scale,
                           .epsilon = float(o_.epsilon),
                           .rate = float(o_.learning_rate * range.rate)};
    if (range.row_width == 0) {
      return AdagradUpdate(step, range.sum, range.count, range.weights, range.state[0]);
    }
    const int64_t rows = range.count / range.row_width;
    return RowwiseAdagradUpdate(step, range.sum, rows, range.row_width, range.weights,
                                range.state[0]);
  }

 private:
  RowwiseAdagradOptions o_;
};

// torch.optim.SparseAdam: Adam that is only asked to move the rows of tables that were read. Their
// moments did not decay while they were not; the bias corrections count the table's steps.
AdamOptions AsAdam(const LazyAdamOptions& o) {
  return {
      .learning_rate = o.learning_rate, .beta1 = o.beta1, .beta2 = o.beta2, .epsilon = o.epsilon};
}
class LazyAdamRule final : public AdamRule<AdamOptions> {
 public:
  explicit LazyAdamRule(const LazyAdamOptions& options) : AdamRule(AsAdam(options)) {}
};

// torch.optim.RMSprop: s = smoothing * s + (1 - smoothing) * g^2, v = momentum * v + g / (sqrt(s) +
// epsilon), and w -= rate * v. If centered, s - m^2 replaces s, where m is the running mean of g.
class RmspropRule final : public UpdateRule {
 public:
  explicit RmspropRule(const RmspropOptions& options) : o_(options) {}
  std::vector<std::string> state() const override {
    std::vector<std::string> names = {"squares", "velocity"};
    if (o_.centered) names.emplace_back("mean");
    return names;
  }
  bool Update(const UpdateRange& range) const override {
    GradientScale scale = range.scale;
    scale.weight_decay = float(o_.weight_decay);
    return RmspropUpdate({.scale = scale,
                          .smoothing = float(o_.smoothing),
                          .rest = float(1 - o_.smoothing),
                          .momentum = float(o_.momentum),
                          .epsilon = float(o_.epsilon),
                          .rate = float(o_.learning_rate * range.rate)},
                         range.sum, range.count, range.weights, range.state[0], range.state[1],
                         o_.centered ? range.state[2] : nullptr);
  }

 private:
  RmspropOptions o_;
};

template <class Rule, class Options>
Result<std::unique_ptr<UpdateRule>> MakeRule(const Json& given) {
  Options options;
  PT_TRY(FieldsFromJson(given, "train.optimizer", options));
  return std::make_unique<Rule>(options);
}

using RuleMaker = Result<std::unique_ptr<UpdateRule>> (*)(const Json& options);
constexpr std::pair<const char*, RuleMaker> kRules[] = {
    {"adam", MakeRule<AdamRule<AdamOptions>, AdamOptions>},
    {"adamw", MakeRule<AdamRule<AdamWOptions>, AdamWOptions>},
    {"sgd", MakeRule<SgdRule, SgdOptions>},
    {"adagrad", MakeRule<AdagradRule, AdagradOptions>},
    {"rowwise_adagrad", MakeRule<RowwiseAdagradRule, RowwiseAdagradOptions>},
    {"lazy_adam", MakeRule<LazyAdamRule, LazyAdamOptions>},
    {"rmsprop", MakeRule<RmspropRule, RmspropOptions>}};

}  // namespace

Result<std::unique_ptr<UpdateRule>> MakeUpdateRule(const Choice& optimizer) {
  std::vector<std::string> known;
  for (const auto& [name, make] : kRules) {
    if (optimizer.name == name) return make(optimizer.options);
    known.emplace_back(name);
  }
  return UnknownName("optimizer", optimizer.name, known, "train.optimizer");
}

}  // namespace protium
