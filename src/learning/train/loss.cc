// SPDX-License-Identifier: Apache-2.0
#include "train/loss.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/exp.h"
#include "base/strict_math.h"
#include "base/unknown_name.h"
#include "nets/softmax.h"
#include "protium/losses.h"

namespace protium {
namespace {

// exp(x), the same bits on every machine, unlike the C library's for float: they go into weights.
float Exp(float x) { return float(ReproducibleExp(double(x))); }

// The loss of one output.
struct Term {
  float loss = 0;
  float slope = 0;  // The derivative of the loss by the output.
};

// A loss that looks at one output and its label at a time: each(output, label, o) for a label's
// outputs o = 0 .. of_label - 1.
template <class Each>
Loss OfEachOutput(size_t of_label, Each each) {
  return [of_label, each](std::span<const float> outputs, const PackedRows& rows,
                          std::span<float> gradient) {
    const int64_t labels = rows.schema().Find(kLabelField)->elements();
    const FieldRows<float> label = rows.floats(kLabelField), weights = rows.floats(kWeightField);
    LossSums sums;
    size_t at = 0;
    for (int64_t i = 0; i < rows.size(); ++i) {
      const float weight = *weights.at(i);
      for (int64_t l = 0; l < labels; ++l) {
        for (size_t o = 0; o < of_label; ++o, ++at) {
          const Term term = each(outputs[at], label.at(i)[l], o);
          gradient[at] = weight * term.slope;
          sums.loss += double(weight) * double(term.loss);
          sums.weight += double(weight);
        }
      }
    }
    return sums;
  };
}

// The same for numeric labels, which have one output each.
template <class Each>
Loss OfValues(Each each) {
  return OfEachOutput(1, [each](float output, float label, size_t) { return each(output, label); });
}

struct LogitTerms {
  float positive_weight = 1;
  float smoothing = 0;
};

// log(1 + exp(o)) - target * o without overflow: for o > 0 it is o + log(1 + exp(-o)), so exp is
// only computed for numbers below 0. The slope is sigmoid(o) - target, by the same exp.
Term OfLogit(float logit, float label, const LogitTerms& terms) {
  const float decay = Exp(-std::fabs(logit));
  const float likely = logit < 0 ? decay / (1 + decay) : 1 / (1 + decay);
  // Without smoothing the target equals the label, to the bit.
  const float target = label + terms.smoothing * (0.5f - label);
  const Term term{(logit < 0 ? 0 : logit) - logit * target + float(StrictLog1p(double(decay))),
                  likely - target};
  if (label == 0 || terms.positive_weight == 1) return term;
  return {terms.positive_weight * term.loss, terms.positive_weight * term.slope};
}

// Like OfValues(), for labels that are 0 or 1.
LossSums OfFlags(const LogitTerms& terms, std::span<const float> outputs, const PackedRows& rows,
                 std::span<float> gradient) {
  return OfValues([terms](float output, float label) { return OfLogit(output, label, terms); })(
      outputs, rows, gradient);
}

// The loss of one row of class `label`, the sum over classes c of t_c * (log_sum - o_c), where t_c
// is the smoothed target and log_sum the logarithm of the sum of exp(o). Its derivatives are
// softmax_c - t_c; Softmax() stores softmax_c in `slopes`.
double OfSoftmax(std::span<const float> outputs, size_t label, double smoothing,
                 std::span<double> slopes) {
  const double log_sum = Softmax(outputs, slopes), share = smoothing / double(outputs.size());
  double loss = 0;
  for (size_t c = 0; c < outputs.size(); ++c) {
    const double meant = share + (c == label ? 1 - smoothing : 0);
    loss += meant * (log_sum - double(outputs[c]));
    slopes[c] -= meant;
  }
  return loss;
}

template <class Options>
Result<Options> ReadOptions(const Json& given) {
  Options options;
  PT_TRY(FieldsFromJson(given, "loss", options));
  return options;
}

template <Loss (*make)()>
Result<Loss> WithoutOptions(const Json&, const std::vector<double>&) {
  return make();
}

}  // namespace

LossTable BuiltInLosses() {
  return {{"mse", WithoutOptions<SquaredLoss>},
          {"mae", WithoutOptions<AbsoluteLoss>},
          {"huber",
           [](const Json& given, const std::vector<double>&) -> Result<Loss> {
             PT_LET(const auto options, ReadOptions<HuberOptions>(given));
             return HuberLoss(options.delta);
           }},
          {"poisson", WithoutOptions<PoissonLoss>},
          {"tweedie",
           [](const Json& given, const std::vector<double>&) -> Result<Loss> {
             PT_LET(const auto options, ReadOptions<TweedieOptions>(given));
             return TweedieLoss(options.power);
           }},
          {"quantile",
           [](const Json& given, const std::vector<double>&) -> Result<Loss> {
             PT_LET(const auto options, ReadOptions<QuantileOptions>(given));
             return QuantileLoss(options.levels);
           }},
          {"binary_cross_entropy",
           [](const Json& given, const std::vector<double>& class_weights) -> Result<Loss> {
             PT_LET(const auto options, ReadOptions<BinaryCrossEntropyOptions>(given));
             return BinaryCrossEntropyLoss(
                 {options.positive_weight, options.label_smoothing, class_weights});
           }},
          {"cross_entropy",
           [](const Json& given, const std::vector<double>& class_weights) -> Result<Loss> {
             PT_LET(const auto options, ReadOptions<CrossEntropyOptions>(given));
             return CrossEntropyLoss(class_weights, options.label_smoothing);
           }}};
}

Result<Loss> MakeLoss(const LossTable& table, const Choice& choice,
                      const std::vector<double>& class_weights) {
  const auto found = table.find(choice.name);
  if (found != table.end()) return found->second(choice.options, class_weights);
  std::vector<std::string> known;
  for (const auto& [name, make] : table) known.push_back(name);
  return UnknownName("loss", choice.name, known, "loss");
}

Loss LossOfMembers(Loss loss, int64_t members) {
  return [loss = std::move(loss), members](std::span<const float> outputs, const PackedRows& rows,
                                           std::span<float> gradient) {
    const size_t each = outputs.size() / size_t(members);
    LossSums sums;
    for (size_t at = 0; at < outputs.size(); at += each) {
      const LossSums own = loss(outputs.subspan(at, each), rows, gradient.subspan(at, each));
      sums.loss += own.loss;
      sums.weight = own.weight;  // The same for all.
    }
    sums.loss /= double(members);
    for (float& each_slope : gradient) each_slope /= float(members);
    return sums;
  };
}

Loss SquaredLoss() {
  return OfValues([](float output, float label) -> Term {
    const float d = output - label;
    return {d * d, 2 * d};
  });
}

// At d = 0, where the slope does not exist, it is set to 0, as in torch.nn.L1Loss.
Loss AbsoluteLoss() {
  return OfValues([](float output, float label) -> Term {
    const float d = output - label;
    return {std::fabs(d), float(d > 0) - float(d < 0)};
  });
}

Loss HuberLoss(double given) {
  const float delta = float(given);
  return OfValues([delta](float output, float label) -> Term {
    const float d = output - label;
    const float size = std::fabs(d);
    return {size <= delta ? 0.5f * d * d : delta * (size - 0.5f * delta),
            std::clamp(d, -delta, delta)};
  });
}

Loss PoissonLoss() {
  return OfValues([](float output, float label) -> Term {
    const float rate = Exp(output);
    return {rate - label * output, rate - label};
  });
}

// `low` is below 0.
Loss TweedieLoss(double power) {
  const auto low = float(1 - power), high = float(2 - power);
  return OfValues([low, high](float output, float label) -> Term {
    const float least = label * Exp(low * output), most = Exp(high * output);
    return {most / high - least / low, most - least};
  });
}

// If label and output are equal, the slope does not exist and is set to 0. NaN propagates to the
// sum.
Loss QuantileLoss(std::vector<double> levels) {
  return OfEachOutput(
      levels.size(),
      [levels = std::vector<float>(levels.begin(), levels.end())](float output, float label,
                                                                  size_t o) -> Term {
        const float above = label - output;
        const float slope = above > 0 ? -levels[o] : above < 0 ? 1 - levels[o] : 0 * above;
        return {-slope * above, slope};
      });
}

Loss BinaryCrossEntropyLoss(const BinaryLoss& options) {
  const LogitTerms terms{float(options.positive_weight), float(options.smoothing)};
  return [terms, of_classes = options.of_classes](
             std::span<const float> outputs, const PackedRows& rows, std::span<float> gradient) {
    const bool flags = rows.schema().Find(kLabelField)->element == RowElement::kFloat32;
    if (flags) return OfFlags(terms, outputs, rows, gradient);
    const FieldRows<int32_t> labels = rows.ints(kLabelField);
    const FieldRows<float> weights = rows.floats(kWeightField);
    LossSums sums;
    for (int64_t i = 0; i < rows.size(); ++i) {
      const int32_t label = *labels.at(i);
      const double factor = of_classes.empty() ? 1 : of_classes[size_t(label)];
      const float weight = float(double(*weights.at(i)) * factor);
      const Term term = OfLogit(outputs[size_t(i)], float(label), terms);
      gradient[size_t(i)] = weight * term.slope;
      sums.loss += double(weight) * double(term.loss);
      sums.weight += double(weight);
    }
    return sums;
  };
}

Loss CrossEntropyLoss(std::vector<double> of_classes, double smoothing) {
  // `slopes` is scratch memory that lives as long as the loss; a loss is called by one thread.
  return [of_classes = std::move(of_classes), smoothing, slopes = std::vector<double>()](
             std::span<const float> outputs, const PackedRows& rows,
             std::span<float> gradient) mutable {
    const FieldRows<int32_t> labels = rows.ints(kLabelField);
    const FieldRows<float> weights = rows.floats(kWeightField);
    LossSums sums;
    if (rows.size() == 0) return sums;
    slopes.resize(outputs.size() / size_t(rows.size()));
    for (int64_t i = 0; i < rows.size(); ++i) {
      const auto label = size_t(*labels.at(i));
      const double weight = double(*weights.at(i)) * (of_classes.empty() ? 1 : of_classes[label]);
      const size_t at = size_t(i) * slopes.size();
      sums.loss += weight * OfSoftmax(outputs.subspan(at, slopes.size()), label, smoothing, slopes);
      sums.weight += weight;
      for (size_t c = 0; c < slopes.size(); ++c) gradient[at + c] = float(weight * slopes[c]);
    }
    return sums;
  };
}

}  // namespace protium
