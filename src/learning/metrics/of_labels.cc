// SPDX-License-Identifier: Apache-2.0
// Metrics of several yes-or-no labels: a metric of two classes for each label.
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "metrics/kinds.h"

namespace protium {
namespace {

struct LabelsJson {
  std::vector<Json> labels;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("labels", labels);
  }
};

// The number of labels is known from the first row, so the state without rows is empty.
class OfEachLabel final : public Metric {
 public:
  explicit OfEachLabel(MakeMetric make) : make_(std::move(make)) {}

  void Add(const Judged& row) override {
    Grow(row.labels.size());
    for (size_t i = 0; i < row.labels.size(); ++i) {
      metrics_[i]->Add({.labels = row.labels.subspan(i, 1),
                        .scores = row.scores.subspan(i, 1),
                        .weight = row.weight,
                        .cut = row.cut});
    }
  }
  Json ToJson() const override {
    LabelsJson out;
    for (const auto& each : metrics_) out.labels.push_back(each->ToJson());
    return FieldsToJson(out);
  }
  Status Merge(const Json& json) override {
    LabelsJson in;
    PT_TRY(FieldsFromJson(json, "state", in));
    Grow(in.labels.size());
    for (size_t i = 0; i < in.labels.size(); ++i) PT_TRY(metrics_[i]->Merge(in.labels[i]));
    return Status::OK();
  }
  double Value() const override {
    double sum = 0;
    int64_t count = 0;
    for (const auto& each : metrics_) {
      const double value = each->Value();
      if (std::isnan(value)) continue;
      sum += value;
      ++count;
    }
    return count > 0 ? sum / double(count) : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  void Grow(size_t labels) {
    while (metrics_.size() < labels) metrics_.push_back(make_(TargetKind::kTwoClasses));
  }

  MakeMetric make_;
  std::vector<std::unique_ptr<Metric>> metrics_;
};

}  // namespace

std::unique_ptr<Metric> MakeOfEachLabel(const MakeMetric& make) {
  return std::make_unique<OfEachLabel>(make);
}

}  // namespace protium
