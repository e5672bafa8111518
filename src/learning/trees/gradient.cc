// SPDX-License-Identifier: Apache-2.0
#include "trees/gradient.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/exp.h"
#include "base/fault.h"
#include "protium/fields.h"
#include "protium/losses.h"
#include "trees/features.h"
#include "trees/lambdarank.h"

namespace protium {
namespace {

// A rare count in an almost empty leaf would otherwise multiply predictions by a huge factor.
constexpr double kMostLogStep = 2;
// Where both derivatives are almost 0, no split needs them, but H + l2 must stay above 0.
constexpr float kLeastHessian = 1e-16F;
// Of a class that no row is of.
constexpr double kLeastShare = 1e-9;

// A loss whose outputs do not depend on each other. `Pair` is a function of (margin, label) that
// returns a GradientPair, `Value` one that returns the loss; both for output o.
struct Formula {
  std::function<double(float margin, float label, int64_t output)> loss;
  int64_t outputs_per_label = 1;
  std::vector<double> levels = {};  // Of the outputs of a label; empty: leaves are not quantiles.
  double most_step = 0;
  bool bends = false;
};

template <class Pair>
class Apart : public TreeLoss {
 public:
  Apart(Formula formula, Pair pair) : formula_(std::move(formula)), pair_(std::move(pair)) {}

  void Gradients(int64_t output, std::span<const float> margins, const TreeTargets& targets,
                 std::span<GradientPair> out) const override {
    const int64_t stride = targets.labels_per_row;
    const float* label_at = targets.labels.data() + label(output);
    for (size_t i = 0; i < out.size(); ++i, label_at += stride) {
      const GradientPair pair = pair_(margins[i], *label_at, output % formula_.outputs_per_label);
      out[i] = {pair.gradient * targets.weights[i], pair.hessian * targets.weights[i]};
    }
  }
  double LossOf(size_t, std::span<const float> margins,
                std::span<const float> labels) const override {
    double sum = 0;
    for (size_t o = 0; o < margins.size(); ++o) {
      sum += formula_.loss(margins[o], labels[size_t(label(int64_t(o)))],
                           int64_t(o) % formula_.outputs_per_label);
    }
    return sum / double(margins.size());
  }
  int64_t label(int64_t output) const override { return output / formula_.outputs_per_label; }
  std::optional<double> level(int64_t output) const override {
    if (formula_.levels.empty()) return std::nullopt;
    return formula_.levels[size_t(output % formula_.outputs_per_label)];
  }
  double most_step() const override { return formula_.most_step; }
  bool bends() const override { return formula_.bends; }

 private:
  Formula formula_;
  Pair pair_;
};

template <class Pair>
std::unique_ptr<TreeLoss> MakeApart(Formula formula, Pair pair) {
  return std::make_unique<Apart<Pair>>(std::move(formula), std::move(pair));
}

std::unique_ptr<TreeLoss> Squared() {
  const auto loss = [](float margin, float label, int64_t) {
    return (double(margin) - label) * (double(margin) - label);
  };
  // Half of both derivatives: only their ratio counts, and a hessian of 1 makes cover a weight.
  return MakeApart({loss}, [](float margin, float label, int64_t) {
    return GradientPair{margin - label, 1};
  });
}

std::unique_ptr<TreeLoss> Clamped(double delta) {
  const auto loss = [delta](float margin, float label, int64_t) {
    const double d = std::fabs(double(margin) - label);
    return d <= delta ? 0.5 * d * d : delta * (d - 0.5 * delta);
  };
  const auto most = float(delta);
  return MakeApart({.loss = loss, .bends = true}, [most](float margin, float label, int64_t) {
    return GradientPair{std::clamp(margin - label, -most, most), 1};
  });
}

// The pinball loss of the levels; mae is twice that of 0.5.
std::unique_ptr<TreeLoss> OfLevels(std::vector<double> levels, double factor) {
  const auto loss = [levels, factor](float margin, float label, int64_t o) {
    const double above = double(label) - margin;
    return factor * (above > 0 ? levels[size_t(o)] * above : (levels[size_t(o)] - 1) * above);
  };
  const Formula formula{loss, int64_t(levels.size()), levels};
  return MakeApart(formula, [levels, factor](float margin, float label, int64_t o) {
    const auto level = float(levels[size_t(o)]);
    return GradientPair{float(factor) * (label > margin ? -level : 1 - level), 1};
  });
}

std::unique_ptr<TreeLoss> LogCounts() {
  const auto loss = [](float margin, float label, int64_t) {
    return ReproducibleExp(margin) - double(label) * margin;
  };
  return MakeApart({.loss = loss, .most_step = kMostLogStep, .bends = true},
                   [](float margin, float label, int64_t) {
                     const auto mean = float(ReproducibleExp(margin));
                     return GradientPair{mean - label, std::max(mean, kLeastHessian)};
                   });
}

// The deviance of a compound Poisson distribution of power p, without what does not depend on the
// output: -y exp((1-p) o) / (1-p) + exp((2-p) o) / (2-p).
std::unique_ptr<TreeLoss> Tweedie(double power) {
  const double low = 1 - power, high = 2 - power;
  const auto loss = [low, high](float margin, float label, int64_t) {
    return -double(label) * ReproducibleExp(low * margin) / low +
           ReproducibleExp(high * margin) / high;
  };
  return MakeApart(
      {.loss = loss, .most_step = kMostLogStep, .bends = true},
      [low, high](float margin, float label, int64_t) {
        const double a = double(label) * ReproducibleExp(low * margin),
                     b = ReproducibleExp(high * margin);
        return GradientPair{float(b - a), std::max(float(high * b - low * a), kLeastHessian)};
      });
}

std::unique_ptr<TreeLoss> Logistic(const BinaryCrossEntropyOptions& options) {
  const auto positive = float(options.positive_weight), smoothing = float(options.label_smoothing);
  const auto loss = [positive, smoothing](float margin, float label, int64_t) {
    const double target = label + smoothing * (0.5F - label);
    const double size = std::fabs(double(margin));
    const double value =
        std::max(double(margin), 0.0) - margin * target + std::log1p(ReproducibleExp(-size));
    return (label > 0 ? positive : 1) * value;
  };
  return MakeApart(
      {.loss = loss, .bends = true}, [positive, smoothing](float margin, float label, int64_t) {
        const double likely = 1 / (1 + ReproducibleExp(-double(margin)));
        const float target = label + smoothing * (0.5F - label);
        const float weight = label > 0 ? positive : 1;
        return GradientPair{weight * (float(likely) - target),
                            weight * std::max(float(likely * (1 - likely)), kLeastHessian)};
      });
}

// Classes share their softmax, which is that of the margins before the round.
class OfClassesLoss : public TreeLoss {
 public:
  OfClassesLoss(int64_t classes, double smoothing) : classes_(classes), smoothing_(smoothing) {}

  Status Follow(std::span<const float> margins, const TreeTargets& targets,
                Communicator&) override {
    const auto rows = size_t(targets.rows);
    top_.assign(margins.begin(), margins.begin() + ptrdiff_t(rows));
    for (size_t at = rows; at < margins.size(); ++at) {
      top_[at % rows] = std::max(top_[at % rows], margins[at]);
    }
    sum_.assign(rows, 0);
    for (size_t at = 0; at < margins.size(); at += rows) {
      for (size_t i = 0; i < rows; ++i)
        sum_[i] += ReproducibleExp(double(margins[at + i]) - top_[i]);
    }
    return Status::OK();
  }
  void Gradients(int64_t output, std::span<const float> margins, const TreeTargets& targets,
                 std::span<GradientPair> out) const override {
    const auto factor = double(classes_) / double(classes_ - 1);
    const double spread = smoothing_ / double(classes_);
    for (size_t i = 0; i < out.size(); ++i) {
      const double likely = ReproducibleExp(double(margins[i]) - top_[i]) / sum_[i];
      const double target = spread + (targets.labels[i] == float(output) ? 1 - smoothing_ : 0);
      const float weight = targets.weights[i];
      out[i] = {weight * float(likely - target),
                weight * std::max(float(factor * likely * (1 - likely)), kLeastHessian)};
    }
  }
  double LossOf(size_t, std::span<const float> margins,
                std::span<const float> labels) const override {
    const double top = *std::ranges::max_element(margins);
    double sum = 0, mean = 0;
    for (const float margin : margins) {
      sum += ReproducibleExp(margin - top);
      mean += margin;
    }
    const double chosen = margins[size_t(labels[0])];
    return top + std::log(sum) - (1 - smoothing_) * chosen - smoothing_ * mean / double(classes_);
  }
  // With all outputs equal, every class has the probability 1 / n, so both sums give the class's
  // share of the weight; its logarithm is the best constant.
  double Step(double gradient, double hessian) const override {
    const auto n = double(classes_);
    return std::log(std::max(1 / n - gradient / (n * hessian), kLeastShare));
  }
  bool bends() const override { return false; }

 private:
  int64_t classes_;
  double smoothing_;
  std::vector<float> top_;
  std::vector<double> sum_;
};

template <class Options>
Result<Options> Read(const Choice& loss) {
  Options options;
  PT_TRY(FieldsFromJson(loss.options, "loss", options));
  return options;
}

}  // namespace

Result<TreeTargets> ReadTargets(const ShardedRows& rows, const Target& target,
                                std::span<const double> class_weights) {
  TreeTargets out{.rows = CountOwnRows(rows), .labels_per_row = target.label_count()};
  const bool classes = OfClasses(target.kind);
  PT_TRY(ForOwnRows(rows, [&](const PackedRows& block) {
    const FieldRows<float> weights = block.floats(kWeightField);
    const FieldRows<int32_t> groups = block.ints(kGroupField);
    for (int64_t i = 0; i < block.size(); ++i) {
      float weight = *weights.at(i);
      if (classes) {
        const int32_t label = *block.ints(kLabelField).at(i);
        out.labels.push_back(float(label));
        if (!class_weights.empty()) weight *= float(class_weights[size_t(label)]);
      } else {
        const float* const labels = block.floats(kLabelField).at(i);
        out.labels.insert(out.labels.end(), labels, labels + out.labels_per_row);
      }
      out.weights.push_back(weight);
      if (groups.first != nullptr) out.groups.push_back(GroupAt(groups, i));
    }
    return Status::OK();
  }));
  return out;
}

Result<std::unique_ptr<TreeLoss>> MakeTreeLoss(const Choice& loss, const Target& target) {
  if (loss.name == "mse") return Squared();
  if (loss.name == "mae") return OfLevels({0.5}, 2);
  if (loss.name == "quantile") return OfLevels(target.levels, 1);
  if (loss.name == "poisson") return LogCounts();
  if (loss.name == "huber") {
    PT_LET(const HuberOptions options, Read<HuberOptions>(loss));
    return Clamped(options.delta);
  }
  if (loss.name == "tweedie") {
    return Tweedie(loss.options.value("power", 1.5));
  }
  if (loss.name == "binary_cross_entropy") {
    PT_LET(const auto options, Read<BinaryCrossEntropyOptions>(loss));
    return Logistic(options);
  }
  if (loss.name == "cross_entropy") {
    PT_LET(const auto options, Read<CrossEntropyOptions>(loss));
    return std::unique_ptr<TreeLoss>(
        std::make_unique<OfClassesLoss>(target.classes, options.label_smoothing));
  }
  if (loss.name == "lambdarank") {
    PT_LET(const auto options, Read<LambdarankOptions>(loss));
    return MakeLambdarank(options);
  }
  return Fail({.exit = Exit::kUsage,
               .what = "trees cannot learn with the loss \"" + loss.name + "\"",
               .where = "loss.name"});
}

}  // namespace protium
