// SPDX-License-Identifier: Apache-2.0
// The order of a search, cheapest refusals first:
//
// 1. Settle() and CheckOnTable() check every trial's options. No row is read.
// 2. The shared rows are made, once for all trials; with folds, each is checked for rows and
//    classes.
// 3. RunTrials().
// 4. The best trial is fitted again on all rows, in the run's own folder, so that it is the model
//    of the run and a killed refit continues like any training.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "events/events.h"
#include "frame/session_state.h"
#include "model/preview.h"
#include "os/file.h"
#include "pipeline/estimator.h"
#include "pipeline/estimator_kind.h"
#include "pipeline/make_rows.h"
#include "pipeline/objective.h"
#include "search/run.h"
#include "search/same_search.h"
#include "search/settle_population.h"
#include "search/space.h"

namespace protium {
namespace {

// Evaluates the table that all trials read; called before the first trial.
Status MakeRows(const DataFrame& rows) {
  const auto since = Clock::now();
  PT_LET(const int64_t count, rows.Count());
  return ReportMade(rows.session(), rows.plan(), count, since);
}

// Reports what is about to happen, as Pipeline::Fit does; also for the plans of programs.
Status ReportSearch(const Search& search, const SettledSearch& settled, const DataFrame& train) {
  PT_LET(const Preview preview, MakePreview(search.pipeline(), train, UseSettings::kNo));
  SessionState& state = StateOf(train.session());
  PipelinePlaced placed{PreviewToJson(preview)};
  placed.preview["search"] = SearchToJson(search, settled, state.options().engine);
  state.call().Send(placed);
  return Status::OK();
}

// The table's column of classes, or "" if the label is a number or made by a stage.
Result<std::string> ClassLabel(const SettledSearch& settled, const DataFrame& train,
                               TargetKind& kind) {
  const EstimatorOptions& estimator = settled.trials.front().estimator;
  PT_LET(const Catalogue catalogue, WithBuiltIns(StateOf(train.session()).options().catalogue));
  PT_LET(const LossRow* loss, FindRow(catalogue.losses, "loss", estimator.loss.name, "loss"));
  kind = loss->kind;
  PT_LET(const SchemaPtr schema, train.Schema());
  const std::string label = ListLabels(estimator).front();
  const bool there = schema->GetFieldIndex(label) >= 0;
  return OfNumbers(kind) || !there ? std::string() : label;
}

Note AboutKnown(const KnownTrials& known, bool same_files) {
  const auto count = int64_t(known.trials.size());
  return {fmt::format("{} trial{} of {} {} known; {}", count, PluralOf(count),
                      known.run.filename().string(), count == 1 ? "is" : "are",
                      same_files ? "those with the same options are not computed again"
                                 : "it read other files, so those with the same options are "
                                   "computed again")};
}

// Says what the promise of the same trials in every run does not cover; empty if it covers all.
std::string NotExact(const TrialOrder& order) {
  std::vector<std::string> timed;
  std::ranges::copy_if(order.Names(), std::back_inserter(timed), IsTimed);
  if (timed.empty()) return {};
  return fmt::format("{} {} measured by the clock: another run may choose another trial",
                     fmt::join(timed, " and "), timed.size() == 1 ? "is" : "are");
}

struct Searched {
  SettledSearch settled;
  TrialTable table;
  std::string ended_by;
  int64_t fits_a_trial = 1;
};

Result<Searched> RunSearch(const Search& whole, const DataFrame& train) {
  SessionState& state = StateOf(train.session());
  const SessionOptions& options = state.options();
  PT_LET(SettledSearch settled, Settle(whole, options.catalogue));
  PT_LET(const auto beside, WithGangsBeside(whole, settled, options.engine, options.catalogue));
  const Search& search = beside ? *beside : whole;
  if (beside) {
    PT_LET(settled, Settle(search, options.catalogue));
  }
  PT_TRY(CheckOnTable(search, settled, train));
  PT_TRY(ReportSearch(search, settled, train));
  std::optional<Folds> folds;
  if (search.folds()) {
    FoldOptions options = *search.folds();
    // Rows that are ranked together stay together.
    const std::string& group = settled.trials.front().estimator.group;
    if (options.by.empty() && !group.empty()) options.by = {group};
    PT_LET(folds, Folds::Make(train, options, "folds"));
    TargetKind kind = TargetKind::kValues;
    PT_LET(const std::string label, ClassLabel(settled, train, kind));
    PT_TRY(MakeRows(DataFrame(train.session(), folds->kept())));
    PT_TRY(folds->Check(train.session(), kind, label));
  } else {
    PT_TRY(MakeRows(train));
  }
  PT_TRY(CheckSameSearch(search, settled, state.folder() / "trials", state.options().resume));
  const bool same_files = ReadsTheSame(settled.known, state);
  if (!settled.known.trials.empty()) state.call().Send(AboutKnown(settled.known, same_files));
  if (const std::string doubt = NotExact(settled.order); !doubt.empty()) {
    state.call().Send(Note{doubt});
  }
  const TrialsRequest request{search, settled, train, std::move(folds), same_files};
  const auto since = Clock::now();
  PT_LET(TrialsRun run, RunTrials(request));
  state.record().AddSeconds("search", since);
  const int64_t fits = search.folds() ? Folds::CountFits(*search.folds()) : 1;
  return Searched{std::move(settled), std::move(run.table), std::move(run.ended_by), fits};
}

// [{"trial", "measured", "values"}], the best by the first metric first.
Json FrontToJson(const Searched& searched) {
  const TrialOrder& order = searched.settled.order;
  std::vector<const Trial*> front = FrontOf(searched.table.trials(), order);
  std::ranges::stable_sort(front, {}, [&](const Trial* each) { return order.LossesOf(*each); });
  Json json = Json::array();
  for (const Trial* each : front) {
    json.push_back(
        {{"trial", each->number}, {"measured", *each->measured}, {"values", each->values}});
  }
  return json;
}

// "nearest to the best of each metric, of 3 on the front"
std::string BestText(const Searched& searched) {
  const TrialOrder& order = searched.settled.order;
  if (!order.several()) return "the best";
  const std::string which = order.choose == Choose::kKnee ? "nearest to the best of each metric"
                                                          : "the best by " + order.first().name;
  return fmt::format("{}, of {} on the front", which,
                     FrontOf(searched.table.trials(), order).size());
}

// Writes "search" of result.json, and reports it to the user before the refit. `training` is that
// of the refit (EstimatorKind::DescribeTraining); epochs or rounds, as far as the kind has them.
void ReportBest(SessionState& state, const Searched& searched, const Trial& best,
                const EstimatorOptions& chosen, const Json& training) {
  int64_t failed = 0, pruned = 0;
  for (const Trial& each : searched.table.trials()) {
    failed += each.state == TrialState::kFailed;
    pruned += each.state == TrialState::kPruned;
  }
  Json told = {{"metric", searched.settled.metric()},
               {"trials", searched.table.trials().size()},
               {"fits", int64_t(searched.table.trials().size()) * searched.fits_a_trial},
               {"failed", failed},
               {"pruned", pruned},
               {"best", best.number},
               {"values", best.values},
               {"value", *best.value}};
  if (best.deviation) told["deviation"] = *best.deviation;
  if (best.measured) told["measured"] = *best.measured;
  if (!searched.ended_by.empty()) {
    told["ended_by"] = searched.ended_by;
    told["of"] = searched.settled.proposed.count;
  }
  if (const auto& population = searched.settled.proposed.population) {
    told["schedule"] = ScheduleOf(*population, searched.table.trials(), best.number);
  }
  if (searched.settled.order.several()) {
    told["choose"] = fields::Write(searched.settled.order.choose);
    told["front"] = FrontToJson(searched);
  }
  std::string text = searched.table.trials().size() > 1
                         ? fmt::format("trial {} is {}; it", best.number, BestText(searched))
                         : "the model";
  text += " is fitted on ";
  text +=
      FitsDecision(chosen) ? "all rows but those that its probabilities are fitted to" : "all rows";
  std::string best_is = ", its best epoch";
  for (const std::string unit : {"epoch", "round"}) {
    const int64_t count = WholeAt(training, unit + "s");
    if (count == 0) continue;
    told[unit + "s"] = count;
    text += fmt::format(" for {} {}{}", count, unit, count == 1 ? "" : "s");
    best_is = ", its best " + unit;
  }
  if (best.best_epoch > 0) text += best_is;
  state.record().Set("search", told);
  state.call().Send(Note{text});
}

Result<SettledTrial> SettleBest(const Search& search, const Searched& searched,
                                const std::shared_ptr<const Catalogue>& own) {
  const Trial& best = *searched.table.best();
  if (!searched.settled.proposed.population) {
    return SettleTrial(search, searched.settled.order, best.values, own);
  }
  std::vector<Json> lineage;
  for (const Trial* each : LineageOf(searched.table.trials(), best.number)) {
    lineage.push_back(each->values);
  }
  return SettleMember(search, searched.settled, lineage, own);
}

// A search that is resumed with more trials may find a better one: what the last fit of the former
// best has left in the run folder is then another fit's.
Status ForgetOtherFit(SessionState& state, const Pipeline& whole) {
  const std::filesystem::path file = state.folder() / "trials" / "refit.json";
  const std::string identity = Pretty(StagesToJson(whole.stages()));
  if (state.options().resume) {
    const Result<std::string> there = ReadFile(file);
    if (there.ok() && *there == identity) return Status::OK();
    std::error_code error;
    std::filesystem::remove(state.folder() / "stages.json", error);
    std::filesystem::remove_all(state.folder() / "checkpoints", error);
    PT_TRY(MakeFolder(state.folder() / "checkpoints"));
  }
  return WriteFile(file, identity);
}

}  // namespace

Result<SearchResult> Search::Run(const DataFrame& train) const {
  PT_TRY(FirstError(train.plan()));
  SessionState& state = StateOf(train.session());
  PT_LET(const Pipeline base, WithSettings(pipeline_, state));
  const Search search(base, options_, folds_);
  PT_LET(Searched searched, RunSearch(search, train));
  const Trial& best = *searched.table.best();
  PT_LET(const SettledTrial chosen, SettleBest(search, searched, state.options().catalogue));
  std::vector<StageOptions> whole = chosen.pipeline.stages();
  PT_LET(const auto estimator, FindEstimator(whole, state.options().catalogue));
  whole[estimator->at].options = estimator->kind->ForAllRows(estimator->own, best.best_epoch);
  ReportBest(state, searched, best, chosen.estimator,
             estimator->kind->DescribeTraining(whole[estimator->at].options));
  PT_TRY(ForgetOtherFit(state, Pipeline(whole)));
  PT_LET(PipelineModel model, FitAsGiven(Pipeline(std::move(whole)), train));
  SearchResult result{.metric = searched.settled.metric(),
                      .higher_is_better = searched.settled.order.first().order.higher_is_better,
                      .trials = searched.table.trials(),
                      .best = best.number,
                      .model = std::move(model)};
  if (searched.settled.order.several()) {
    for (const Trial* each : FrontOf(result.trials, searched.settled.order)) {
      result.front.push_back(each->number);
    }
  }
  return result;
}

Result<Trial> CrossValidate(const Pipeline& pipeline, const DataFrame& table,
                            const FoldOptions& folds, const std::string& metric) {
  PT_TRY(FirstError(table.plan()));
  PT_LET(const Pipeline base, WithSettings(pipeline, StateOf(table.session())));
  PT_LET(const Searched searched,
         RunSearch(Search(base, SearchOptions{.metric = metric}, folds), table));
  return *searched.table.best();
}

}  // namespace protium
