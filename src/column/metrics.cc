// SPDX-License-Identifier: Apache-2.0
#include "column/metrics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/fault.h"
#include "base/fields.h"

namespace protium {
namespace {

struct Sums {
  std::vector<std::string> names;
  int64_t rows = 0;
  Json weight = Json::object();
  Json error = Json::object();
  Json absolute = Json::object();
  Json squared = Json::object();
  Json log_loss = Json::object();
  Json right = Json::object();
  template <class Visit>
  void Fields(Visit& visit) {
    visit("names", names);
    visit("rows", rows);
    visit("weight", weight);
    visit("error", error);
    visit("absolute", absolute);
    visit("squared", squared);
    visit("log_loss", log_loss);
    visit("right", right);
  }
};

Status MergeSum(const Json& json, ExactSum& into) {
  PT_LET(const ExactSum other, ExactSum::FromJson(json));
  into.Merge(other);
  return Status::OK();
}

}  // namespace

std::vector<std::string> MetricNames() {
  return {"rmse", "mse", "mae", "bias", "logloss", "accuracy"};
}

bool IsOfClasses(const std::string& metric) { return metric == "logloss" || metric == "accuracy"; }

MetricState::MetricState(std::vector<std::string> names)
    : names_(std::move(names)), classes_(std::any_of(names_.begin(), names_.end(), IsOfClasses)) {}

Result<MetricState> MetricState::Make(std::vector<std::string> names) {
  const std::vector<std::string> known = MetricNames();
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "unknown metric \"" + name + "\"",
                 .fix = Suggest(name, known)});
  }
  return MetricState(std::move(names));
}

void MetricState::Add(double label, double prediction, double weight) {
  const double error = prediction - label;
  ++rows_;
  weight_.Add(weight);
  error_.AddProduct(weight, error);
  absolute_.AddProduct(weight, std::abs(error));
  squared_.AddProduct(weight * error, error);
  if (!classes_) return;
  const double loss =
      std::max(prediction, 0.0) - prediction * label + std::log1p(std::exp(-std::abs(prediction)));
  log_loss_.AddProduct(weight, loss);
  right_.AddProduct(weight, (prediction > 0) == (label > 0.5) ? 1.0 : 0.0);
}

Status MetricState::Merge(const Json& json) {
  Sums sums;
  PT_TRY(FieldsFromJson(json, "metrics", sums));
  if (sums.names != names_ || sums.rows < 0) {
    return Fail({.what = "metrics " + Dump(sums.names) + " do not fit " + Dump(names_)});
  }
  PT_TRY(MergeSum(sums.weight, weight_));
  PT_TRY(MergeSum(sums.error, error_));
  PT_TRY(MergeSum(sums.absolute, absolute_));
  PT_TRY(MergeSum(sums.squared, squared_));
  PT_TRY(MergeSum(sums.log_loss, log_loss_));
  PT_TRY(MergeSum(sums.right, right_));
  rows_ += sums.rows;
  return Status::OK();
}

Json MetricState::ToJson() const {
  return FieldsToJson(Sums{names_, rows_, weight_.ToJson(), error_.ToJson(), absolute_.ToJson(),
                           squared_.ToJson(), log_loss_.ToJson(), right_.ToJson()});
}

const ExactSum& MetricState::SumOf(const std::string& name) const {
  if (name == "mae") return absolute_;
  if (name == "bias") return error_;
  if (name == "logloss") return log_loss_;
  return name == "accuracy" ? right_ : squared_;
}

Json MetricState::Values() const {
  const double weight = weight_.Rounded();
  Json values = Json::object();
  for (const std::string& name : names_) {
    const double mean = SumOf(name).Rounded() / weight;
    const double value = name == "rmse" ? std::sqrt(mean) : mean;
    values[name] = std::isfinite(value) ? Json(value) : Json();
  }
  return values;
}

}  // namespace protium
