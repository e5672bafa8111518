// SPDX-License-Identifier: Apache-2.0
#include "search/settle.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/fault.h"
#include "engine/kind.h"
#include "model/preview.h"
#include "os/machine.h"
#include "pipeline/estimator_kind.h"
#include "search/conditions.h"
#include "search/folds.h"
#include "search/settle_population.h"
#include "search/space.h"
#include "search/with_values.h"

namespace protium {
namespace {

// The plan shows this many sets of values.
constexpr size_t kShownTrials = 10;
// With four, all of which are worse, chance alone explains it once in 16 times; the last one is not
// compared, because the trial is over then.
constexpr int64_t kFewestFolds = 5;

Status UsageFault(std::string where, std::string what, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = std::move(where),
               .fix = std::move(fix)});
}

// The complete options of the only estimator. Pipelines with several are refused when they are
// placed.
Result<EstimatorOptions> EstimatorOf(const Pipeline& pipeline, const Catalogue& catalogue) {
  PT_LET(auto found, FindEstimator(pipeline.stages(), catalogue));
  if (found) {
    const std::string path = fmt::format("pipeline.{}", found->at);
    PT_TRY(found->kind->Complete(found->options, found->own, path, catalogue));
    return std::move(found->options);
  }
  return UsageFault("search", "the pipeline has no estimator, so a search has nothing to compare",
                    "add a stage  kind = \"tree_estimator\"  or  kind = \"torch_estimator\"");
}

bool Holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Each trial must measure the metrics, on rows that it does not learn from.
Status CheckMeasured(const Search& search, const TrialOrder& order, const SettledTrial& trial) {
  const MeasureOptions& train = trial.estimator.train;
  for (const std::string& metric : order.Names()) {
    if (IsTimed(metric) || Holds(train.metrics, metric)) continue;
    const bool compared =
        std::ranges::find(order.metrics, metric, &OrderedMetric::name) != order.metrics.end();
    Fault fault{.exit = Exit::kUsage,
                .what = fmt::format("metric = \"{}\" is not one of the metrics {}", metric,
                                    Dump(Json(train.metrics))),
                .where = compared ? "search.metric" : "search.require",
                .fix = "choose one of them, or add it to train.metrics"};
    if (!trial.values.empty()) fault.why = "in the trial with " + ValuesText(trial.values);
    return Fail(std::move(fault));
  }
  if (search.folds() || train.validation.HoldsOut()) return Status::OK();
  return UsageFault("search", "there are no rows to measure a trial on",
                    "set train.validation = { share = 0.1 }, or add [folds]");
}

// Time has one order: it is cut in one way, and every fold is predicted from those before it.
Status CheckInTime(const FoldOptions& folds) {
  const char* other = !folds.by.empty()    ? "by"
                      : folds.repeats > 1  ? "repeats"
                      : folds.held_out > 0 ? "held_out"
                                           : nullptr;
  if (other == nullptr) return Status::OK();
  return UsageFault(fmt::format("folds.{}", other), fmt::format("folds by time have no {}", other),
                    "leave it out");
}

Status CheckFolds(const FoldOptions& folds) {
  PT_TRY(CheckFields(folds, "folds"));
  if (!folds.by_time.empty()) {
    PT_TRY(CheckInTime(folds));
  } else if (folds.gap > 0) {
    return UsageFault("folds.gap", "folds have a gap, and no column of times",
                      "set folds.by_time to a column of dates or times");
  }
  if (folds.held_out <= folds.k) return Status::OK();
  return fields::Refuse("folds.held_out", fmt::format("at most k = {}", folds.k), folds.held_out);
}

int32_t CoresOf(const std::string& address) {
  if (address == "local") return ReadMachine().cores;
  int32_t cores = 1;
  constexpr std::string_view kLocal = "local[";
  if (address.starts_with(kLocal)) {
    std::from_chars(address.data() + kLocal.size(), address.data() + address.size(), cores);
  }
  return cores;
}

int64_t FitsATrial(const Search& search) {
  return search.folds() ? int64_t{Folds::CountFits(*search.folds())} : 1;
}

Status SettleAll(const Search& search, const std::vector<Json>& proposed,
                 const std::shared_ptr<const Catalogue>& own, const SettledSearch& settled,
                 std::vector<SettledTrial>& into) {
  for (const Json& values : proposed) {
    PT_LET(SettledTrial trial, SettleTrial(search, settled.order, values, own));
    into.push_back(std::move(trial));
  }
  return Status::OK();
}

// Both kinds of settled trials.
std::vector<const SettledTrial*> Settled(const SettledSearch& settled) {
  std::vector<const SettledTrial*> all;
  for (const auto* each : {&settled.trials, &settled.corners}) {
    for (const SettledTrial& trial : *each) all.push_back(&trial);
  }
  return all;
}

// Trials are compared on the way by what is measured after each epoch and round, of one kind.
Status CheckPruned(const Search& search, const SettledSearch& settled, const SettledTrial& trial) {
  const MeasureOptions& train = trial.estimator.train;
  if (Holds(settled.paths, "kind")) {
    return UsageFault(
        "search.prune",
        "trials of several kinds cannot be pruned: rounds of trees and epochs of nets "
        "do not compare",
        "leave prune out, or search over one kind");
  }
  const std::string& kind = search.pipeline().stages().back().kind;
  if (kind == "average") {
    return UsageFault("search.prune", "trials of averages cannot be pruned",
                      "leave prune out, or search over one of its members");
  }
  if (!train.validation.HoldsOut()) {
    return UsageFault("search.prune", "trials are pruned by validation rows, and none are held out",
                      "set train.validation = { share = 0.1 }");
  }
  if (train.best == settled.metric()) return Status::OK();
  return UsageFault("search.prune",
                    fmt::format("trials are pruned by train.best, which is {}, and compared by {}",
                                train.best, settled.metric()),
                    fmt::format("set train.best = \"{}\"", settled.metric()));
}

Result<PruneRule> SettlePruning(const Search& search, const SettledSearch& settled) {
  const SearchOptions& options = search.options();
  PruneRule rule{.kind = options.prune,
                 .grace = options.grace,
                 .reduction = options.reduction,
                 .brackets = std::max<int64_t>(options.brackets, 1),
                 .order = settled.order.first().order};
  if (rule.kind == Prune::kNone) return rule;
  if (settled.order.several()) {
    return UsageFault("search.prune",
                      "trials that are compared by several metrics cannot be pruned",
                      "leave prune out, or name one metric");
  }
  if (rule.kind == Prune::kWilcoxon) {
    rule.grace = std::max<int64_t>(rule.grace, 1);
    if (FitsATrial(search) >= kFewestFolds) return rule;
    return UsageFault(
        "search.prune",
        fmt::format("wilcoxon compares folds, and says nothing of fewer than {}", kFewestFolds),
        "set [folds] with k = 5 or more, or prune = \"asha\"");
  }
  int64_t most = 0;
  for (const SettledTrial* each : Settled(settled)) {
    PT_TRY(CheckPruned(search, settled, *each));
    most = std::max(most, each->steps);
  }
  constexpr int64_t kChecked = 27;  // With a reduction of 3: three times before the end.
  if (rule.grace == 0) rule.grace = std::max<int64_t>((most + kChecked - 1) / kChecked, 1);
  if (rule.kind == Prune::kHyperband && options.brackets == 0) {
    rule.brackets = CountBrackets(most, rule.grace, rule.reduction);
  }
  return rule;
}

Result<ValueOrder> ValueOrderOf(const std::string& name, const std::string& path,
                                const Catalogue& catalogue) {
  if (IsTimed(name)) return ValueOrder();
  PT_LET(const MetricRow* metric, FindMetricRow(catalogue.metrics, name, path));
  return ValueOrder{.higher_is_better = metric->higher_is_better};
}

Result<TrialOrder> SettleOrder(const SearchOptions& options, const std::string& usual,
                               const Catalogue& catalogue) {
  const MetricNames names = options.metric.empty() ? MetricNames(usual) : options.metric;
  PT_LET(TrialOrder order, OrderOf(names, options));
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string path =
        names.size() == 1 ? "search.metric" : fmt::format("search.metric.{}", i);
    PT_LET(order.metrics[i].order, ValueOrderOf(names[i], path, catalogue));
  }
  for (size_t i = 0; i < order.require.size(); ++i) {
    PT_TRY(ValueOrderOf(order.require[i].metric, fmt::format("search.require.{}", i), catalogue)
               .status());
  }
  return order;
}

}  // namespace

Result<SettledTrial> SettleTrial(const Search& search, const TrialOrder& order, const Json& values,
                                 const std::shared_ptr<const Catalogue>& own) {
  PT_LET(const Catalogue catalogue, WithBuiltIns(own));
  PT_LET(Pipeline pipeline, WithValues(search.pipeline(), values, own, "search.space"));
  PT_LET(EstimatorOptions estimator, EstimatorOf(pipeline, catalogue));
  PT_LET(const auto found, FindEstimator(pipeline.stages(), catalogue));
  if (!found->kind->Continues(found->own).empty()) {
    return UsageFault("train.continues", "a search does not continue a kept training",
                      "leave continues out, or [search] and [folds]");
  }
  const Json training = found->kind->DescribeTraining(found->own);
  SettledTrial trial{values, std::move(pipeline), std::move(estimator)};
  trial.unit = training.contains("rounds") ? "round" : "epoch";
  trial.steps = WholeAt(training, trial.unit + "s");
  PT_TRY(CheckMeasured(search, order, trial));
  return trial;
}

Result<SettledSearch> Settle(const Search& search, const std::shared_ptr<const Catalogue>& own) {
  PT_TRY(CheckFields(search.options(), "search"));
  if (search.folds()) PT_TRY(CheckFolds(*search.folds()));
  PT_LET(const Catalogue catalogue, WithBuiltIns(own));
  PT_LET(const EstimatorOptions base, EstimatorOf(search.pipeline(), catalogue));
  SettledSearch settled;
  PT_LET(settled.order, SettleOrder(search.options(), base.train.best, catalogue));
  for (const Dimension& each : search.options().space) settled.paths.push_back(each.path);
  const SearchOptions& options = search.options();
  PT_LET(const std::vector<Condition> conditions, ConditionsOf(options.space, own));
  if (options.method == SearchMethod::kPopulation) {
    PT_TRY(ProposePopulation(search, catalogue, settled.proposed));
    PT_TRY(SettleFirstGeneration(search, own, settled));
    return settled;
  }
  PT_LET(settled.proposed, Propose(options, conditions, "search"));
  PT_LET(settled.known, ReadKnownTrials(options.from, settled.order, options.space));
  if (settled.learns()) BeginWith(settled.known, settled.order, settled.proposed);
  PT_TRY(SettleAll(search, settled.proposed.first, own, settled, settled.trials));
  if (settled.learns()) {
    PT_TRY(SettleAll(search, settled.proposed.tpe->Corners(), own, settled, settled.corners));
  }
  PT_LET(settled.prune, SettlePruning(search, settled));
  return settled;
}

Status CheckOnTable(const Search& search, const SettledSearch& settled, const DataFrame& train) {
  PT_LET(const SchemaPtr columns, train.Schema());
  for (const SettledTrial* trial : Settled(settled)) {
    const Status fits = MakePreview(trial->pipeline, train, UseSettings::kNo, columns).status();
    if (fits.ok()) continue;
    if (trial->values.empty()) return fits;
    Fault fault = FaultOf(fits);
    fault.why +=
        (fault.why.empty() ? "" : "; ") + ("in the trial with " + ValuesText(trial->values));
    return Fail(std::move(fault));
  }
  return Status::OK();
}

int32_t CountParallel(const Search& search, const SettledSearch& settled,
                      const std::string& address, int64_t fits) {
  int64_t parallel = search.options().parallel;
  if (parallel == 0) {
    // The largest gang of all trials decides: the others fit wherever it fits.
    int64_t cores = 1;
    for (const SettledTrial* each : Settled(settled)) {
      const GangSpec& gang = each->estimator.gang;
      const int64_t ranks = gang.workers.min + gang.servers;
      cores = std::max(cores, ranks * gang.cores_per_worker);
    }
    parallel = CoresOf(address) / cores;
  }
  if (settled.learns()) fits = std::min(fits, (search.options().Lag() + 1) * FitsATrial(search));
  if (settled.proposed.population) fits = settled.proposed.population->members();
  return int32_t(std::clamp(parallel, int64_t{1}, std::max(fits, int64_t{1})));
}

Result<std::optional<Search>> WithGangsBeside(const Search& search, const SettledSearch& settled,
                                              const std::string& address,
                                              const std::shared_ptr<const Catalogue>& own) {
  const GangSpec& gang = settled.trials.front().estimator.gang;
  const int32_t parallel =
      CountParallel(search, settled, address, settled.proposed.count * FitsATrial(search));
  const bool here = KindOf(address).runs_here;
  if (!here || parallel < 2 || gang.gpus_per_worker > 0) return std::nullopt;
  const int32_t share = CoresOf(address) / (parallel * gang.cores_per_worker);
  const int32_t most = std::clamp(share, gang.workers.min, gang.workers.max);
  if (most == gang.workers.max || Holds(settled.paths, "gang.workers")) return std::nullopt;
  const Json workers = {{"gang.workers", ToJson(WorkerRange(gang.workers.min, most))}};
  PT_LET(Pipeline pipeline, WithValues(search.pipeline(), workers, own, "search"));
  return Search(std::move(pipeline), search.options(), search.folds());
}

Json PruningToJson(const PruneRule& rule) {
  if (rule.kind == Prune::kNone) return {};
  Json json = {{"kind", fields::Write(rule.kind)}, {"grace", rule.grace}};
  if (rule.kind == Prune::kAsha || rule.kind == Prune::kHyperband) {
    json["reduction"] = rule.reduction;
  }
  if (rule.kind == Prune::kHyperband) json["brackets"] = rule.brackets;
  return json;
}

static void AddOrder(const TrialOrder& order, Json& json) {
  if (order.several()) {
    for (const OrderedMetric& each : order.metrics) json["objectives"].push_back(each.name);
    json["choose"] = fields::Write(order.choose);
  }
  for (const Requirement& each : order.require) json["require"].push_back(each.text);
  for (const std::string& name : order.Names()) {
    if (IsTimed(name)) json["timed"].push_back(name);
  }
}

static void AddEnds(const SearchOptions& options, Json& json) {
  if (options.seconds > 0) json["seconds"] = options.seconds;
  if (options.target) json["target"] = *options.target;
  if (options.patience > 0) json["patience"] = options.patience;
  if (options.patience > 0 && options.least > 0) json["least"] = options.least;
}

Json SearchToJson(const Search& search, const SettledSearch& settled, const std::string& address) {
  const int64_t trials = settled.proposed.count;
  const int64_t fits = trials * FitsATrial(search);
  Json json = {{"method", fields::Write(search.options().method)},
               {"metric", settled.metric()},
               {"trials", trials},
               {"fits", fits},
               {"parallel", CountParallel(search, settled, address, fits)}};
  if (settled.prune.kind != Prune::kNone) json["prune"] = PruningToJson(settled.prune);
  if (const auto& population = settled.proposed.population) {
    json["population"] = {{"members", population->members()},
                          {"every", population->every()},
                          {"generations", population->generations()}};
  }
  AddOrder(settled.order, json);
  AddEnds(search.options(), json);
  json["folds"] = search.folds() ? FieldsToJson(*search.folds()) : Json();
  json["space"] = ToJson(search.options().space);
  json["first"] = Json::array();
  for (const SettledTrial& each : settled.trials) {
    if (json["first"].size() < kShownTrials) json["first"].push_back(each.values);
  }
  return json;
}

}  // namespace protium
