// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <utility>

#include "metrics/kinds.h"

// Metrics of values, and the weighted means that other metrics use. Each is a function of exact
// sums over rows and labels; only Value() computes in double. A term that is a product of two
// doubles is added without rounding; a product of three is rounded once, separately, so it is the
// same in any order of rows.

namespace protium {
namespace {

struct MeanState {
  Json sum = Json::object();
  Json weight = Json::object();
  template <class Visit>
  void Fields(Visit& visit) {
    visit("sum", sum);
    visit("weight", weight);
  }
};

// The sum of terms and the sum of weights, separate until Value(). `add` adds a row's terms to the
// sum and returns their weight.
class Mean final : public Metric {
 public:
  using AddTerms = std::function<double(const Judged& row, ExactSum& sum)>;
  Mean(AddTerms add, std::function<double(double)> finish)
      : add_(std::move(add)), finish_(std::move(finish)) {}

  void Add(const Judged& row) override { weight_.Add(add_(row, sum_)); }
  Json ToJson() const override { return FieldsToJson(MeanState{sum_.ToJson(), weight_.ToJson()}); }
  Status Merge(const Json& json) override {
    MeanState state;
    PT_TRY(FieldsFromJson(json, "state", state));
    PT_TRY(MergeSum(state.sum, sum_));
    return MergeSum(state.weight, weight_);
  }
  double Value() const override {
    const double mean = sum_.Rounded() / weight_.Rounded();
    return finish_ ? finish_(mean) : mean;
  }

 private:
  AddTerms add_;
  std::function<double(double)> finish_;
  ExactSum sum_;
  ExactSum weight_;
};

// Calls `add(label, error)` for each label; returns their total weight.
template <class AddTerm>
double ForLabels(const Judged& row, AddTerm add) {
  for (size_t i = 0; i < row.labels.size(); ++i) add(row.labels[i], row.scores[i] - row.labels[i]);
  return row.weight * double(row.labels.size());
}

// Where possible, terms are products of two doubles, which are added without rounding.
double AddSquared(const Judged& row, TargetKind, ExactSum& sum) {
  return ForLabels(row, [&](double, double error) { sum.AddProduct(row.weight * error, error); });
}

double AddAbsolute(const Judged& row, TargetKind, ExactSum& sum) {
  return ForLabels(row, [&](double, double error) { sum.AddProduct(row.weight, std::abs(error)); });
}

double AddError(const Judged& row, TargetKind, ExactSum& sum) {
  return ForLabels(row, [&](double, double error) { sum.AddProduct(row.weight, error); });
}

// Labels of 0 have no relative error and do not count, not even in the weight.
double AddShare(const Judged& row, TargetKind, ExactSum& sum) {
  double weight = 0;
  ForLabels(row, [&](double label, double error) {
    if (label == 0) return;
    sum.AddProduct(row.weight, std::abs(error / label));
    weight += row.weight;
  });
  return weight;
}

// |score - label| / ((|label| + |score|) / 2), from 0 to 2; 0 where both are 0 (Makridakis,
// "Accuracy measures", 1993, as the M4 competition has it).
double AddSymmetricShare(const Judged& row, TargetKind, ExactSum& sum) {
  for (size_t i = 0; i < row.labels.size(); ++i) {
    const double error = std::abs(row.scores[i] - row.labels[i]);
    const double size = std::abs(row.labels[i]) + std::abs(row.scores[i]);
    if (error != 0) sum.AddProduct(row.weight, 2 * error / size);
  }
  return row.weight * double(row.labels.size());
}

// As AddShare(), but squared.
double AddSquaredShare(const Judged& row, TargetKind, ExactSum& sum) {
  double weight = 0;
  ForLabels(row, [&](double label, double error) {
    if (label == 0) return;
    const double share = error / label;
    sum.AddProduct(row.weight * share, share);
    weight += row.weight;
  });
  return weight;
}

// exp(score) / exp(label) - 1, without overflow if both are large. No exp() is 0, so all rows
// count.
double AddSquaredExpShare(const Judged& row, TargetKind, ExactSum& sum) {
  return ForLabels(row, [&](double, double error) {
    const double share = std::expm1(error);
    sum.AddProduct(row.weight * share, share);
  });
}

double Root(double mean) { return std::sqrt(mean); }

struct R2State {
  Json weight = Json::object();
  Json labels = Json::object();
  Json squares = Json::object();
  Json errors = Json::object();
  template <class Visit>
  void Fields(Visit& visit) {
    visit("weight", weight);
    visit("labels", labels);
    visit("squares", squares);
    visit("errors", errors);
  }
};

// 1 - (sum of squared errors) / (sum of squared distances from the mean), over all labels together.
// NaN, shown as null, if all labels are equal. The mean is known only at the end, so the squares
// are expanded; digits would cancel in doubles, but not in exact sums.
class R2 final : public Metric {
 public:
  void Add(const Judged& row) override {
    ForLabels(row, [&](double label, double error) {
      weight_.Add(row.weight);
      labels_.AddProduct(row.weight, label);
      squares_.AddProduct(row.weight * label, label);
      errors_.AddProduct(row.weight * error, error);
    });
  }
  Json ToJson() const override {
    return FieldsToJson(
        R2State{weight_.ToJson(), labels_.ToJson(), squares_.ToJson(), errors_.ToJson()});
  }
  Status Merge(const Json& json) override {
    R2State state;
    PT_TRY(FieldsFromJson(json, "state", state));
    PT_TRY(MergeSum(state.weight, weight_));
    PT_TRY(MergeSum(state.labels, labels_));
    PT_TRY(MergeSum(state.squares, squares_));
    return MergeSum(state.errors, errors_);
  }
  double Value() const override {
    const double mean = labels_.Rounded() / weight_.Rounded();
    if (!std::isfinite(mean)) return std::numeric_limits<double>::quiet_NaN();
    // Sum of w (y - m)^2 = sum of w y^2 - 2 m (sum of w y) + m^2 (sum of w), before any rounding.
    ExactSum spread = squares_, square;
    spread.AddScaled(labels_, -2 * mean);
    square.AddScaled(weight_, mean);
    spread.AddScaled(square, mean);
    const double all = spread.Rounded();
    return all > 0 ? 1 - errors_.Rounded() / all : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  ExactSum weight_;
  ExactSum labels_;
  ExactSum squares_;
  ExactSum errors_;
};

}  // namespace

Status MergeSum(const Json& json, ExactSum& into) {
  PT_LET(const ExactSum other, ExactSum::FromJson(json));
  into.Merge(other);
  return Status::OK();
}

std::unique_ptr<Metric> MakeMean(const MeanTerms& terms, TargetKind kind) {
  const auto add = [terms, kind](const Judged& row, ExactSum& sum) {
    return terms.add(row, kind, sum);
  };
  return std::make_unique<Mean>(add, terms.finish);
}

std::unique_ptr<Metric> MakeMeanWith(std::function<double(const Judged& row, ExactSum& sum)> add) {
  return std::make_unique<Mean>(std::move(add), nullptr);
}

std::unique_ptr<Metric> MakeMeanOf(std::function<double(const Judged&)> term,
                                   std::function<double(double)> finish) {
  const auto add = [term = std::move(term)](const Judged& row, ExactSum& sum) {
    sum.AddProduct(row.weight, term(row));
    return row.weight;
  };
  return std::make_unique<Mean>(add, std::move(finish));
}

std::unique_ptr<Metric> MakeRmse(TargetKind kind) { return MakeMean({AddSquared, Root}, kind); }
std::unique_ptr<Metric> MakeMse(TargetKind kind) { return MakeMean({AddSquared}, kind); }
std::unique_ptr<Metric> MakeMae(TargetKind kind) { return MakeMean({AddAbsolute}, kind); }
std::unique_ptr<Metric> MakeBias(TargetKind kind) { return MakeMean({AddError}, kind); }
std::unique_ptr<Metric> MakeMape(TargetKind kind) { return MakeMean({AddShare}, kind); }
std::unique_ptr<Metric> MakeSmape(TargetKind kind) { return MakeMean({AddSymmetricShare}, kind); }
std::unique_ptr<Metric> MakeRmspe(TargetKind kind) {
  return MakeMean({AddSquaredShare, Root}, kind);
}
std::unique_ptr<Metric> MakeExpRmspe(TargetKind kind) {
  return MakeMean({AddSquaredExpShare, Root}, kind);
}
std::unique_ptr<Metric> MakeR2(TargetKind) { return std::make_unique<R2>(); }

}  // namespace protium
