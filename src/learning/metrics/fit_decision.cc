// SPDX-License-Identifier: Apache-2.0
#include "metrics/fit_decision.h"

#include <algorithm>
#include <cmath>

#include "metrics/kinds.h"
#include "protium/fields.h"

namespace protium {
namespace {

struct SlopesJson {
  std::vector<Json> slopes;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("slopes", slopes);
  }
};

// The derivative of -ln p(label) by b, where scores are multiplied by b: the mean score under the
// softmax, minus the score of the label's class.
double SlopeOfClasses(const Judged& row, double b) {
  const double top = *std::max_element(row.scores.begin(), row.scores.end());
  double sum = 0, mean = 0;
  for (const double score : row.scores) {
    const double share = std::exp(b * (score - top));
    sum += share;
    mean += share * score;
  }
  return mean / sum - row.scores[size_t(row.labels[0])];
}

double SlopeOfFlags(const Judged& row, double b) {
  double slope = 0;
  for (size_t i = 0; i < row.scores.size(); ++i) {
    slope += (Sigmoid(b * row.scores[i]) - row.labels[i]) * row.scores[i];
  }
  return slope;
}

// A range of scores that share one probability.
struct Pool {
  double first = 0;
  double last = 0;
  double positive = 0;
  double all = 0;
  double share() const { return positive / all; }
};

// Weights of rows by label and prediction.
struct Counts {
  double true_positive = 0;
  double false_positive = 0;
  double false_negative = 0;
  double true_negative = 0;
};

// The mean of two shares; leaves out one that is 0/0.
double MeanOf(double a, double b) {
  if (std::isnan(a)) return b;
  return std::isnan(b) ? a : (a + b) / 2;
}

double Accuracy(const Counts& n) {
  return (n.true_positive + n.true_negative) /
         (n.true_positive + n.true_negative + n.false_positive + n.false_negative);
}
double BalancedAccuracy(const Counts& n) {
  return MeanOf(n.true_positive / (n.true_positive + n.false_negative),
                n.true_negative / (n.true_negative + n.false_positive));
}
double F1(const Counts& n) {
  const double wrong = n.false_positive + n.false_negative;
  return MeanOf(2 * n.true_positive / (2 * n.true_positive + wrong),
                2 * n.true_negative / (2 * n.true_negative + wrong));
}

struct ThresholdMetric {
  const char* name;
  double (*of)(const Counts& n);
};
constexpr ThresholdMetric kThresholdMetrics[] = {
    {"f1", F1}, {"accuracy", Accuracy}, {"balanced_accuracy", BalancedAccuracy}};

// The best cut so far.
struct Best {
  double value = -1;
  double cut = 0;
  void Take(double other, double at) {
    if (other < value || std::isnan(other)) return;
    if (other == value && std::fabs(at) >= std::fabs(cut)) return;
    value = other;
    cut = at;
  }
};

}  // namespace

double TemperatureFit::PointAt(size_t i) const {
  return low_ + (high_ - low_) * double(i + 1) / double(kPoints + 1);
}

void TemperatureFit::Add(const Judged& row, TargetKind kind) {
  for (size_t i = 0; i < kPoints; ++i) {
    const double b = std::exp(PointAt(i));
    slopes_[i].AddProduct(
        row.weight, kind == TargetKind::kClasses ? SlopeOfClasses(row, b) : SlopeOfFlags(row, b));
  }
}

Json TemperatureFit::ToJson() const {
  SlopesJson out;
  for (const ExactSum& each : slopes_) out.slopes.push_back(each.ToJson());
  return FieldsToJson(out);
}

Status TemperatureFit::Merge(const Json& json) {
  SlopesJson in;
  PT_TRY(FieldsFromJson(json, "state", in));
  if (in.slopes.size() != kPoints) return Fail({.what = "a state of another temperature fit"});
  for (size_t i = 0; i < kPoints; ++i) PT_TRY(MergeSum(in.slopes[i], slopes_[i]));
  return Status::OK();
}

void TemperatureFit::Narrow() {
  size_t below = 0;
  while (below < kPoints && slopes_[below].Rounded() < 0) ++below;
  const double low = below == 0 ? low_ : PointAt(below - 1);
  const double high = below == kPoints ? high_ : PointAt(below);
  low_ = low;
  high_ = high;
  slopes_ = {};
}

double TemperatureFit::temperature() const { return std::exp(-(low_ + high_) / 2); }

void FitIsotonic(const std::vector<Ranked>& sorted, Decision& decision) {
  std::vector<Pool> pools;
  double all = 0;
  ForScores(sorted.begin(), sorted.end(), [&](double score, double positive, double negative) {
    if (positive + negative == 0) return;
    all += positive + negative;
    pools.push_back({score, score, positive, positive + negative});
    // Merges a pool that is not above the previous one into it.
    while (pools.size() > 1 && pools[pools.size() - 2].share() >= pools.back().share()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back() = {pools.back().first, last.last, pools.back().positive + last.positive,
                      pools.back().all + last.all};
    }
  });
  const double least = 1 / (all + 2);
  for (const Pool& pool : pools) {
    const double share = std::clamp(pool.share(), least, 1 - least);
    decision.outputs.push_back(pool.first);
    decision.probabilities.push_back(share);
    if (pool.last == pool.first) continue;
    decision.outputs.push_back(pool.last);
    decision.probabilities.push_back(share);
  }
}

std::vector<std::string> ThresholdMetrics() {
  std::vector<std::string> names;
  for (const ThresholdMetric& each : kThresholdMetrics) names.push_back(each.name);
  return names;
}

double ChooseCut(const std::vector<Ranked>& sorted, const std::string& metric) {
  const auto* const found =
      std::find_if(std::begin(kThresholdMetrics), std::end(kThresholdMetrics),
                   [&](const ThresholdMetric& each) { return each.name == metric; });
  if (sorted.empty() || found == std::end(kThresholdMetrics)) return 0;
  Counts counts;
  ForScores(sorted.begin(), sorted.end(), [&](double, double positive, double negative) {
    counts.false_negative += positive;
    counts.true_negative += negative;
  });
  Best best;
  double above = sorted.back().value() + 2;
  ForScores(sorted.rbegin(), sorted.rend(), [&](double score, double positive, double negative) {
    best.Take(found->of(counts), (above + score) / 2);
    counts.true_positive += positive;
    counts.false_negative -= positive;
    counts.false_positive += negative;
    counts.true_negative -= negative;
    above = score;
  });
  best.Take(found->of(counts), above - 1);
  return best.cut;
}

}  // namespace protium
