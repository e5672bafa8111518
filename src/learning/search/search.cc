// SPDX-License-Identifier: Apache-2.0
// The order of a search, cheapest refusals first:
//
// 1. Settle() and CheckOnTable(): every trial's options. No row is read.
// 2. The shared rows are made, once for all trials; with folds, each is checked for rows and
//    classes.
// 3. RunTrials().
// 4. The best one is fitted again on all rows, in the run's own folder, so that it is the model of
//    the run and a killed refit continues like any training.
#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "events/events.h"
#include "frame/session_state.h"
#include "model/preview.h"
#include "pipeline/estimator.h"
#include "pipeline/make_rows.h"
#include "pipeline/objective.h"
#include "search/run.h"
#include "search/space.h"

namespace protium {
namespace {

// Evaluates the table that all trials read, before the first of them.
Status MakeRows(const DataFrame& rows) {
  const auto since = Clock::now();
  PT_LET(const int64_t count, rows.Count());
  return TellMade(rows.session(), rows.plan(), count, since);
}

// What is about to happen, as Pipeline::Fit tells it; for the plans of programs, too.
Status TellSearch(const Search& search, const SettledSearch& settled, const DataFrame& train) {
  PT_LET(const Preview preview, MakePreview(search.pipeline(), train, UseSettings::kNo));
  SessionState& state = train.session().state();
  PipelinePlaced placed{PreviewToJson(preview)};
  placed.preview["search"] = SearchToJson(search, settled, state.options().engine);
  state.call().Send(placed);
  return Status::OK();
}

// The column of classes in the table, or "" if the label is a number or made by a stage.
Result<std::string> ClassLabel(const SettledSearch& settled, const DataFrame& train,
                               TargetKind& kind) {
  const TorchEstimatorOptions& estimator = settled.trials.front().estimator;
  PT_LET(const Catalogue catalogue, WithBuiltIns(train.session().state().options().catalogue));
  PT_LET(const LossRow* loss, FindRow(catalogue.losses, "loss", estimator.loss.name, "loss"));
  kind = loss->kind;
  PT_LET(const SchemaPtr schema, train.Schema());
  const std::string label = ListLabels(estimator).front();
  const bool there = schema->GetFieldIndex(label) >= 0;
  return OfNumbers(kind) || !there ? std::string() : label;
}

struct Searched {
  SettledSearch settled;
  TrialTable table;
  int64_t fits_a_trial = 1;
};

Result<Searched> RunSearch(const Search& search, const DataFrame& train) {
  SessionState& state = train.session().state();
  PT_LET(SettledSearch settled, Settle(search, state.options().catalogue));
  PT_TRY(CheckOnTable(search, settled, train));
  PT_TRY(TellSearch(search, settled, train));
  std::optional<Folds> folds;
  if (search.folds()) {
    PT_LET(folds, Folds::Make(train, *search.folds(), "folds"));
    TargetKind kind = TargetKind::kValues;
    PT_LET(const std::string label, ClassLabel(settled, train, kind));
    PT_TRY(MakeRows(DataFrame(train.session(), folds->kept())));
    PT_TRY(folds->Check(train.session(), kind, label));
  } else {
    PT_TRY(MakeRows(train));
  }
  const TrialsRequest request{search, settled, train, std::move(folds)};
  const auto since = Clock::now();
  PT_LET(TrialTable table, RunTrials(request));
  state.record().AddSeconds("search", since);
  const int64_t fits = search.folds() ? Folds::CountFits(*search.folds()) : 1;
  return Searched{std::move(settled), std::move(table), fits};
}

// The best pipeline as it is fitted on all rows: no row is held out but for a calibration or a
// threshold that is fitted to it, and where validation rows have chosen an epoch, training ends
// with as many.
Result<Pipeline> ForAllRows(const SettledTrial& trial, int64_t best_epoch) {
  std::vector<StageOptions> stages = trial.pipeline.stages();
  for (StageOptions& stage : stages) {
    if (stage.kind != kTorchEstimator) continue;
    PT_LET(TorchEstimatorOptions options, ReadEstimator(stage, "pipeline"));
    if (!FitsDecision(options)) options.train.validation.share = 0;
    options.train.early_stopping.patience = 0;
    if (best_epoch > 0) options.train.epochs = best_epoch;
    stage.options = FieldsToJson(options);
  }
  return Pipeline(std::move(stages));
}

// "search" of result.json, and what the user is told before the refit.
void TellBest(SessionState& state, const Searched& searched, const Trial& best) {
  const TorchEstimatorOptions& chosen = searched.settled.trials[size_t(best.number - 1)].estimator;
  const int64_t epochs = best.best_epoch > 0 ? best.best_epoch : chosen.train.epochs;
  int64_t failed = 0;
  for (const Trial& each : searched.table.trials()) failed += each.state == TrialState::kFailed;
  Json told = {{"metric", searched.settled.metric},
               {"trials", searched.table.trials().size()},
               {"fits", int64_t(searched.table.trials().size()) * searched.fits_a_trial},
               {"failed", failed},
               {"best", best.number},
               {"values", best.values},
               {"value", *best.value}};
  if (best.deviation) told["deviation"] = *best.deviation;
  told["epochs"] = epochs;
  state.record().Set("search", told);
  const std::string which = searched.table.trials().size() > 1
                                ? fmt::format("trial {} is the best; it", best.number)
                                : "the model";
  const std::string why = best.best_epoch > 0 ? ", its best epoch" : "";
  const std::string rows =
      FitsDecision(chosen) ? "all rows but those that its probabilities are fitted to" : "all rows";
  state.call().Send(Note{fmt::format("{} is fitted on {} for {} epoch{}{}", which, rows, epochs,
                                     epochs == 1 ? "" : "s", why)});
}

}  // namespace

Result<SearchResult> Search::Run(const DataFrame& train) const {
  PT_TRY(FirstError(train.plan()));
  SessionState& state = train.session().state();
  PT_LET(const Pipeline base, WithSettings(pipeline_, state));
  PT_LET(Searched searched, RunSearch(Search(base, options_, folds_), train));
  const Trial& best = *searched.table.best();
  const SettledTrial& chosen = searched.settled.trials[size_t(best.number - 1)];
  PT_LET(const Pipeline whole, ForAllRows(chosen, best.best_epoch));
  TellBest(state, searched, best);
  PT_LET(PipelineModel model, FitAsGiven(whole, train));
  return SearchResult{.metric = searched.settled.metric,
                      .higher_is_better = searched.settled.higher_is_better,
                      .trials = searched.table.trials(),
                      .best = best.number,
                      .model = std::move(model)};
}

Result<Trial> CrossValidate(const Pipeline& pipeline, const DataFrame& table,
                            const FoldOptions& folds, const std::string& metric) {
  PT_TRY(FirstError(table.plan()));
  PT_LET(const Pipeline base, WithSettings(pipeline, table.session().state()));
  PT_LET(const Searched searched,
         RunSearch(Search(base, SearchOptions{.metric = metric}, folds), table));
  return *searched.table.best();
}

}  // namespace protium
