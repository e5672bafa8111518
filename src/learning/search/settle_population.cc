// SPDX-License-Identifier: Apache-2.0
#include "search/settle_population.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/text.h"
#include "pipeline/estimator.h"
#include "pipeline/estimator_kind.h"
#include "protium/stage_options.h"
#include "recipe/depends_on_steps.h"
#include "search/first_trials.h"
#include "search/population.h"
#include "search/space.h"

namespace protium {
namespace {

Status Refused(const std::string& where, std::string what, std::string fix) {
  return Fail(
      {.exit = Exit::kUsage, .what = std::move(what), .where = where, .fix = std::move(fix)});
}

// What other methods have, and generations do not.
Status CheckOptions(const Search& search) {
  const SearchOptions& options = search.options();
  const std::pair<bool, const char*> absent[] = {
      {search.folds().has_value(), "folds"},           {options.trials > 0, "search.trials"},
      {options.prune != Prune::kNone, "search.prune"}, {options.metric.size() > 1, "search.metric"},
      {!options.require.empty(), "search.require"},    {!options.from.empty(), "search.from"}};
  for (const auto& [given, where] : absent) {
    if (!given) continue;
    const std::string name = where;
    return Refused(
        where,
        name == "search.metric" ? "a population is compared by one metric"
                                : "a population has no " + name.substr(name.find('.') + 1),
        name == "search.trials" ? "leave it out: search.population nets train for train.epochs"
                                : "leave it out, or take another method");
  }
  return Status::OK();
}

// The numbers of the optimizer that take effect at every step.
std::vector<std::string> PathsOf(const Choice& optimizer) {
  std::vector<std::string> paths;
  for (const auto& [name, value] : optimizer.options.items()) {
    if (value.is_number() && name != "initial") paths.push_back(std::string(kOptimizerPath) + name);
  }
  return paths;
}

Status CheckSpace(const Space& space, const Choice& optimizer) {
  const std::vector<std::string> known = PathsOf(optimizer);
  const std::string fix = fmt::format("of {} it may vary {}", optimizer.name, Dump(Json(known)));
  if (space.empty()) return Refused("search.space", "a population has no option to vary", fix);
  for (const Dimension& each : space) {
    const bool numbers = std::ranges::all_of(each.choices, &Json::is_number);
    if (numbers && std::ranges::find(known, each.path) != known.end()) continue;
    return Refused("search.space." + each.path,
                   numbers ? each.path + " cannot change in mid-training"
                           : each.path + " becomes something other than a number",
                   fix);
  }
  return Status::OK();
}

Status CheckTrain(const Search& search, const TrainOptions& train) {
  if (train.validation.share <= 0) {
    return Refused("search", "there are no rows to compare a population on",
                   "set train.validation = { share = 0.1 }");
  }
  const MetricNames& metric = search.options().metric;
  if (!metric.empty() && metric.front() != train.best) {
    return Refused("search.metric",
                   fmt::format("a population is compared by train.best, which is {}", train.best),
                   fmt::format("set train.best = \"{}\"", metric.front()));
  }
  if (DependsOnSteps(train)) {
    return Refused(train.warm_up.share > 0 ? "train.warm_up.share" : "train.schedule",
                   "the learning rate of a population is decided by its generations, and this "
                   "one depends on the number of all steps",
                   "take the schedule \"constant\" and warm_up.steps");
  }
  if (!train.changes.empty()) {
    return Refused("train.changes", "a population finds out itself what is to change",
                   "leave it out, or take another method");
  }
  if (train.early_stopping.patience == 0) return Status::OK();
  return Refused("train.early_stopping", "a population trains each net to the end of a generation",
                 "leave it out; search.patience ends the search");
}

Result<TrainOptions> TrainOf(const Search& search, const Catalogue& catalogue) {
  PT_LET(auto found, FindEstimator(search.pipeline().stages(), catalogue));
  const std::string& kind = search.pipeline().stages()[found->at].kind;
  if (kind != kTorchEstimator) {
    return Refused("search.method",
                   fmt::format("a population is one of nets, and the estimator is {}", kind),
                   "take kind = \"torch_estimator\", or another method");
  }
  const std::string path = fmt::format("pipeline.{}", found->at);
  PT_TRY(found->kind->Complete(found->options, found->own, path, catalogue));
  PT_LET(const TorchEstimatorOptions options, found->own.Read<TorchEstimatorOptions>(path));
  return options.train;
}

// The values that are furthest apart.
std::vector<Json> EndsOf(const Dimension& each) {
  if (each.kind == Dimension::Kind::kChoice) return each.choices;
  return {ValueIn(each, each.low), ValueIn(each, each.high)};
}

}  // namespace

Status ProposePopulation(const Search& search, const Catalogue& catalogue, Proposed& proposed) {
  const SearchOptions& options = search.options();
  PT_TRY(CheckOptions(search));
  PT_LET(const TrainOptions train, TrainOf(search, catalogue));
  PT_TRY(CheckSpace(options.space, train.optimizer));
  PT_TRY(CheckTrain(search, train));
  constexpr int64_t kGenerations = 10;
  const int64_t every =
      options.every > 0 ? options.every : std::max<int64_t>(train.epochs / kGenerations, 1);
  if (every >= train.epochs) {
    return Refused("search.every",
                   fmt::format("generations of {} epoch{} make no second one of {}", every,
                               PluralOf(every), train.epochs),
                   "set train.epochs to several times search.every");
  }
  SearchOptions first = options;
  first.method = SearchMethod::kRandom;
  first.trials = options.population;
  PT_LET(first.first, ReadFirst(first, {}, "search.first"));
  PT_LET(proposed.first, ProposeTrials(first, "search"));
  if (int64_t(proposed.first.size()) < options.population) {
    return Refused("search.population",
                   fmt::format("the space has {} sets of values for {} nets", proposed.first.size(),
                               options.population),
                   "search a larger space, or set a smaller population");
  }
  proposed.population = std::make_shared<const Population>(options.space, options.seed,
                                                           options.population, every, train.epochs);
  proposed.count = proposed.population->CountTrials();
  return Status::OK();
}

Status SettleFirstGeneration(const Search& search, const std::shared_ptr<const Catalogue>& own,
                             SettledSearch& settled) {
  for (const Json& values : settled.proposed.first) {
    PT_LET(SettledTrial trial, SettleMember(search, settled, {&values, 1}, own));
    settled.trials.push_back(std::move(trial));
  }
  for (const Dimension& each : search.options().space) {
    std::vector<Json> ends;
    for (Json& end : EndsOf(each)) {
      ends.push_back(settled.proposed.first.front());
      ends.back()[each.path] = std::move(end);
    }
    for (size_t i = 0; i < ends.size(); ++i) {
      const std::array<Json, 2> lineage = {ends[i], ends[(i + 1) % ends.size()]};
      PT_LET(SettledTrial trial, SettleMember(search, settled, lineage, own));
      settled.corners.push_back(std::move(trial));
    }
  }
  return Status::OK();
}

Result<SettledTrial> SettleMember(const Search& search, const SettledSearch& settled,
                                  std::span<const Json> lineage,
                                  const std::shared_ptr<const Catalogue>& own) {
  const Json options = settled.proposed.population->OptionsOf(lineage);
  PT_LET(SettledTrial trial, SettleTrial(search, settled.order, options, own));
  trial.values = lineage.back();
  return trial;
}

}  // namespace protium
