// SPDX-License-Identifier: Apache-2.0
#include "search/trial_rows.h"

#include <cmath>
#include <utility>

#include "base/fault.h"
#include "search/trials.h"

namespace protium {
namespace {

TrialRow Begin(const RowRequest& request) {
  TrialRow row{.trial = {.number = request.number, .values = request.asked.values},
               .outcome = {.loss = std::nan("")}};
  if (request.asked.parent) row.trial.parent = int64_t(*request.asked.parent) + 1;
  return row;
}

void MarkFailed(TrialRow& row, const Status& status, const std::string& where) {
  row.trial.state = TrialState::kFailed;
  row.trial.error = where + FaultOf(status).what;
  row.failed = status;
}

// Over folds. RunFit() has refused a fit without one of them.
Json MeansOf(const std::vector<std::string>& names, const std::map<int32_t, FitResult>& results) {
  Json means = Json::object();
  for (const std::string& name : names) {
    std::vector<double> values;
    for (const auto& [fold, result] : results)
      values.push_back(result.measured[name].get<double>());
    means[name] = MeanOf(values);
  }
  return means;
}

}  // namespace

TrialRow RowOfRefused(const RowRequest& request) {
  TrialRow row = Begin(request);
  MarkFailed(row, request.asked.refused, "");
  return row;
}

TrialRow RowOfFits(const RowRequest& request, const std::map<int32_t, FitResult>& results) {
  TrialRow row = Begin(request);
  double epochs = 0;
  for (const auto& [fold, result] : results) {
    row.trial.seconds += result.seconds;
    epochs += double(result.best_epoch);
    if (result.value) row.trial.folds.push_back(*result.value);
    if (result.value || row.trial.state == TrialState::kFailed) continue;
    MarkFailed(row, StatusFromJson(result.error),
               request.folds ? request.folds->Name(fold) + ": " : std::string());
  }
  if (row.trial.state == TrialState::kFailed) {
    row.trial.folds.clear();  // How many others had ended is chance.
    return row;
  }
  Summarise(row.trial);
  row.trial.best_epoch = int64_t(std::lround(epochs / double(results.size())));
  const TrialOrder& order = request.settled.order;
  if (order.measures()) row.trial.measured = MeansOf(order.Names(), results);
  order.Judge(row.trial);
  row.outcome = order.OutcomeOf(row.trial);
  if (request.settled.proposed.population) {
    const Json last =
        results.begin()->second.curve.empty() ? Json() : results.begin()->second.curve.back();
    if (last.is_number()) row.trial.at_end = last.get<double>();
    row.outcome.loss =
        row.trial.at_end ? order.first().order.LossOf(*row.trial.at_end) : std::nan("");
  }
  return row;
}

TrialRow RowOfPruned(const RowRequest& request, const PrunedAt& at, double seconds) {
  TrialRow row = Begin(request);
  row.trial.state = TrialState::kPruned;
  if (std::isfinite(at.value)) row.trial.value = at.value;
  row.trial.pruned_at = at.step;
  row.trial.seconds = seconds;
  const PruneRule& rule = request.settled.prune;
  const bool over_folds = rule.kind == Prune::kWilcoxon;
  row.trial.error =
      Reason(at, rule, request.settled.metric(), over_folds ? "fold" : request.asked.settled->unit);
  if (request.folds && !over_folds)
    row.trial.error = request.folds->Name(at.fit) + ": " + row.trial.error;
  row.outcome = OutcomeOf(at, request.settled.order.first().order);
  return row;
}

}  // namespace protium
