// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "metrics/decision.h"
#include "metrics/kinds.h"

// Metrics of classes. There are two kinds of state: means of a term per row (log loss, Brier score,
// accuracy), and weights by class, for metrics that depend on a whole class (recall, precision,
// F1). Definitions follow scikit-learn, F1 with average="macro".

namespace protium {
namespace {

size_t LabelClass(const Judged& row) { return size_t(row.labels[0]); }

// The predicted class: of two, the second if its logit is above that of the threshold; of many, the
// first with the highest score. Predictions choose in the same way (model/predictions.cc).
size_t PredictedClass(const Judged& row, TargetKind kind) {
  if (kind == TargetKind::kTwoClasses) return row.scores[0] > row.cut ? 1 : 0;
  return size_t(std::max_element(row.scores.begin(), row.scores.end()) - row.scores.begin());
}

// log(sum of exp(score)). With the greatest score factored out no term overflows and one is 1.
double LogOfAll(std::span<const double> scores) {
  const double top = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - top);
  return top + std::log(sum);
}

// -log(p) of the row's class, without computing p, which would round to 0 or 1: for two classes
// log(1 + exp(s)) - s * label, rearranged so that exp() gets no positive number.
double LogLossTerm(const Judged& row, TargetKind kind) {
  if (kind == TargetKind::kClasses) return LogOfAll(row.scores) - row.scores[LabelClass(row)];
  const double logit = row.scores[0];
  return std::max(logit, 0.0) - logit * row.labels[0] + std::log1p(std::exp(-std::abs(logit)));
}

double AddLogLoss(const Judged& row, TargetKind kind, ExactSum& sum) {
  sum.AddProduct(row.weight, LogLossTerm(row, kind));
  return row.weight;
}

// Whether the row's class is among those with the `best` highest scores; of equal scores the first
// class counts as the higher one.
bool IsAmong(const Judged& row, int64_t best) {
  const size_t label = LabelClass(row);
  int64_t better = 0;
  for (size_t c = 0; c < row.scores.size(); ++c) {
    const bool ahead = row.scores[c] == row.scores[label] && c < label;
    better += ahead || row.scores[c] > row.scores[label] ? 1 : 0;
  }
  return better < best;
}

double AddRight(const Judged& row, TargetKind kind, ExactSum& sum) {
  sum.AddProduct(row.weight, PredictedClass(row, kind) == LabelClass(row) ? 1.0 : 0.0);
  return row.weight;
}

// The squared distance between the probabilities and the actual class (Brier, 1950): for two
// classes only that of class 1, so from 0 to 1; for many the sum over all classes, so from 0 to 2.
double AddBrier(const Judged& row, TargetKind kind, ExactSum& sum) {
  double distance = 0;
  if (kind == TargetKind::kTwoClasses) {
    const double off = Sigmoid(row.scores[0]) - row.labels[0];
    distance = off * off;
  } else {
    const double all = LogOfAll(row.scores);
    for (size_t c = 0; c < row.scores.size(); ++c) {
      const double off = std::exp(row.scores[c] - all) - (c == LabelClass(row) ? 1 : 0);
      distance += off * off;
    }
  }
  sum.AddProduct(row.weight, distance);
  return row.weight;
}

// Weights of rows for one class: labelled, predicted, and both.
struct ClassSums {
  ExactSum labelled;
  ExactSum predicted;
  ExactSum right;
};

struct ClassSumsJson {
  Json labelled = Json::object();
  Json predicted = Json::object();
  Json right = Json::object();
  template <class Visit>
  void Fields(Visit& visit) {
    visit("labelled", labelled);
    visit("predicted", predicted);
    visit("right", right);
  }
};

struct CountedJson {
  std::vector<ClassSumsJson> classes;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("classes", classes);
  }
};

// Metrics that follow from the weights of labelled and predicted classes. Classes are added as they
// occur, so the state without rows is empty.
class Counted final : public Metric {
 public:
  using Finish = double (*)(const std::vector<ClassSums>& classes);
  Counted(Finish finish, TargetKind kind) : finish_(finish), kind_(kind) {}

  void Add(const Judged& row) override {
    const size_t label = LabelClass(row), predicted = PredictedClass(row, kind_);
    // A merged state may know fewer classes than the row has.
    if (classes_.size() <= std::max(label, predicted)) {
      classes_.resize(std::max(label, predicted) + 1);
    }
    classes_[label].labelled.Add(row.weight);
    classes_[predicted].predicted.Add(row.weight);
    if (label == predicted) classes_[label].right.Add(row.weight);
  }
  Json ToJson() const override {
    CountedJson out;
    for (const ClassSums& each : classes_) {
      out.classes.push_back({each.labelled.ToJson(), each.predicted.ToJson(), each.right.ToJson()});
    }
    return FieldsToJson(out);
  }
  Status Merge(const Json& json) override {
    CountedJson in;
    PT_TRY(FieldsFromJson(json, "state", in));
    classes_.resize(std::max(classes_.size(), in.classes.size()));
    for (size_t c = 0; c < in.classes.size(); ++c) {
      PT_TRY(MergeSum(in.classes[c].labelled, classes_[c].labelled));
      PT_TRY(MergeSum(in.classes[c].predicted, classes_[c].predicted));
      PT_TRY(MergeSum(in.classes[c].right, classes_[c].right));
    }
    return Status::OK();
  }
  double Value() const override { return finish_(classes_); }

 private:
  Finish finish_;
  TargetKind kind_;
  std::vector<ClassSums> classes_;
};

// The mean of `of` over the classes for which it is a number: a class without rows is 0/0 and left
// out. Additions are in the order of the classes, which is the same everywhere.
template <class Of>
double MeanOverClasses(const std::vector<ClassSums>& classes, Of of) {
  double sum = 0;
  int64_t count = 0;
  for (const ClassSums& each : classes) {
    const double value = of(each);
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return sum / double(count);
}

double MeanRecall(const std::vector<ClassSums>& classes) {
  return MeanOverClasses(
      classes, [](const ClassSums& c) { return c.right.Rounded() / c.labelled.Rounded(); });
}

double MeanF1(const std::vector<ClassSums>& classes) {
  return MeanOverClasses(classes, [](const ClassSums& c) {
    return 2 * c.right.Rounded() / (c.labelled.Rounded() + c.predicted.Rounded());
  });
}

// `right` divided by `of`; 0 rather than 0/0 for a class that occurs only on the other side, NaN
// for one that does not occur at all.
double ShareOfClass(const ClassSums& each, const ExactSum& of) {
  if (each.labelled.IsZero() && each.predicted.IsZero()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return of.IsZero() ? 0 : each.right.Rounded() / of.Rounded();
}

double PrecisionOf(const ClassSums& each) { return ShareOfClass(each, each.predicted); }
double RecallOf(const ClassSums& each) { return ShareOfClass(each, each.labelled); }

double MeanPrecision(const std::vector<ClassSums>& classes) {
  return MeanOverClasses(classes, PrecisionOf);
}
double MeanRecallOfAll(const std::vector<ClassSums>& classes) {
  return MeanOverClasses(classes, RecallOf);
}

// For two classes, the value of class 1; 0 if there are rows but none of class 1.
double OfPositive(const std::vector<ClassSums>& classes, double (*of)(const ClassSums&)) {
  if (classes.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double value = classes.size() < 2 ? std::nan("") : of(classes[1]);
  return std::isnan(value) ? 0 : value;
}
double PrecisionOfPositive(const std::vector<ClassSums>& classes) {
  return OfPositive(classes, PrecisionOf);
}
double RecallOfPositive(const std::vector<ClassSums>& classes) {
  return OfPositive(classes, RecallOf);
}

}  // namespace

std::unique_ptr<Metric> MakeLogLoss(TargetKind kind) { return MakeMean({AddLogLoss}, kind); }
std::unique_ptr<Metric> MakeBrier(TargetKind kind) { return MakeMean({AddBrier}, kind); }
std::unique_ptr<Metric> MakeAccuracy(TargetKind kind) { return MakeMean({AddRight}, kind); }
std::unique_ptr<Metric> MakeBalancedAccuracy(TargetKind kind) {
  return std::make_unique<Counted>(MeanRecall, kind);
}
std::unique_ptr<Metric> MakeF1(TargetKind kind) { return std::make_unique<Counted>(MeanF1, kind); }
std::unique_ptr<Metric> MakePrecision(TargetKind kind) {
  const bool two = kind == TargetKind::kTwoClasses;
  return std::make_unique<Counted>(two ? PrecisionOfPositive : MeanPrecision, kind);
}
std::unique_ptr<Metric> MakeRecall(TargetKind kind) {
  const bool two = kind == TargetKind::kTwoClasses;
  return std::make_unique<Counted>(two ? RecallOfPositive : MeanRecallOfAll, kind);
}
std::unique_ptr<Metric> MakeTop(int64_t best) {
  return MakeMeanOf([best](const Judged& row) { return IsAmong(row, best) ? 1.0 : 0.0; });
}

}  // namespace protium
