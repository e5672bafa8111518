// SPDX-License-Identifier: Apache-2.0
// Asking and telling by the caller: proposals, pruning and the table without fits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "protium/search.h"
#include "search/asked_file.h"
#include "search/end_rule.h"
#include "search/proposals.h"
#include "search/pruning.h"
#include "search/search_clock.h"
#include "search/trials.h"

namespace protium {
namespace {

constexpr const char* kPath = "search";

Status Refused(std::string what, std::string fix) {
  return Fail({.exit = Exit::kUsage, .what = std::move(what), .fix = std::move(fix)});
}

std::vector<std::string> PathsOf(const Space& space) {
  std::vector<std::string> paths;
  for (const Dimension& each : space) paths.push_back(each.path);
  return paths;
}

// Any names will do, but those of higher_is_better must be among the metrics.
Result<TrialOrder> AskedOrder(const SearchOptions& options,
                              const std::vector<std::string>& higher_is_better) {
  PT_LET(TrialOrder order,
         OrderOf(options.metric.empty() ? MetricNames("value") : options.metric, options));
  for (OrderedMetric& each : order.metrics) each.order.by_size = false;
  for (const std::string& name : higher_is_better) {
    const auto found = std::ranges::find(order.metrics, name, &OrderedMetric::name);
    if (found == order.metrics.end()) {
      return Refused(
          fmt::format("\"{}\" is better when higher, and is not one of the metrics", name),
          "name it in metric, too");
    }
    found->order.higher_is_better = true;
  }
  if (options.method == SearchMethod::kPopulation) {
    return Refused("a population continues from checkpoints, which only a job has",
                   "take another method, or protium run");
  }
  if (order.several() && options.prune != Prune::kNone) {
    return Refused("trials that are compared by several metrics cannot be pruned",
                   "leave prune out, or name one metric");
  }
  return order;
}

}  // namespace

class AskedSearch::State {
 public:
  State(const SearchOptions& options, const TrialOrder& order, Proposed proposed,
        const PruneRule& rule)
      : identity_(Identity(options, order, rule)),
        order_(order),
        rule_(rule),
        end_(options, order),
        clock_({}, options.seconds),
        proposals_(std::move(proposed), options.Lag()),
        pruning_(rule, 1),
        table_(order, PathsOf(options.space)) {}

  Status SaveTo(const std::string& path) {
    if (file_ || !open_.empty()) {
      return Refused("the search has begun, so that a file would lack what came before",
                     "name the file before anything else");
    }
    PT_LET(AskedFile file, AskedFile::Open(path, identity_));
    for (size_t i = 0; i < file.lines().size(); ++i) {
      const Status done = Redo(file.lines()[i]);
      if (!done.ok()) return DoesNotFit(done, file.Where(i));
    }
    for (size_t i = 0; i < open_.size(); ++i) {
      open_[i].again = !open_[i].told;
    }
    file_.emplace(std::move(file));
    return Status::OK();
  }

  Result<std::optional<Trial>> Ask() {
    if (const auto again = AskAgain()) return again;
    const size_t index = open_.size();
    if (index == proposals_.size() || end_.last() || clock_.IsOver(index)) return std::nullopt;
    if (!proposals_.Ready(index)) {
      const size_t awaited = proposals_.FirstOpen() + 1;
      return Refused(
          fmt::format("trial {} learns from trial {}, which has not been told", index + 1, awaited),
          "tell it first, or set a lag of as many trials as are open at the same time");
    }
    PT_TRY(Write("ask", {{"trial", index + 1}, {"values", proposals_.ValuesOf(index)}}));
    open_.push_back({.values = proposals_.ValuesOf(index)});
    return TrialAt(index);
  }

  Status Report(int64_t trial, int64_t step, double value) {
    PT_LET(Open * open, Find(trial));
    if (step <= open->step && open->asked_again) return Status::OK();
    if (step <= open->step) {
      return Refused(fmt::format("trial {} reports step {} after step {}", trial, step, open->step),
                     "report steps that increase, from 1 on");
    }
    PT_TRY(Write("report", {{"trial", trial}, {"step", step}, {"value", SavedNumber(value)}}));
    open->step = step;
    pruning_.Report(size_t(trial - 1), 0, step, value);
    Settle();
    return Status::OK();
  }

  Result<bool> ShouldPrune(int64_t trial) const {
    if (trial < 1 || trial > int64_t(open_.size())) return Unknown(trial);
    return pruning_.StoppedAt(size_t(trial - 1)) != nullptr;
  }

  Status Tell(int64_t trial, std::optional<double> value, const std::string& error) {
    if (value && order_.measures()) {
      return Refused(fmt::format("trial {} is told one value, and {} are compared or required",
                                 trial, Dump(Json(order_.Names()))),
                     "tell a number for each of them, by name");
    }
    return End(trial, value, {}, error);
  }

  Status TellAll(int64_t trial, const std::map<std::string, double>& measured) {
    Json all = Json::object();
    std::string lacks;
    for (const std::string& name : order_.Names()) {
      const auto found = measured.find(name);
      if (found == measured.end()) {
        return Refused(fmt::format("the result of trial {} lacks {}", trial, name),
                       "tell a number for each of " + Dump(Json(order_.Names())));
      }
      if (!std::isfinite(found->second)) lacks = name + " is not a finite number";
      all[name] = found->second;
    }
    if (!lacks.empty()) return End(trial, {}, {}, lacks);
    return End(trial, measured.at(order_.first().name), std::move(all), {});
  }

  Json Table() const { return table_.ToJson(); }

 private:
  struct Open {
    Json values;
    int64_t step = 0;  // The last one reported.
    bool told = false;
    bool over = false;  // It is in the table.
    std::optional<double> value;
    Json measured;
    std::string error;
    bool again = false;        // An earlier program asked for it, and it waits to be asked for,
    bool asked_again = false;  // and has been.
  };

  // What decides the trials. There may be more of them, and other budgets.
  static Json Identity(const SearchOptions& options, const TrialOrder& order,
                       const PruneRule& rule) {
    Json identity = FieldsToJson(options);
    for (const char* budget :
         {"trials", "seconds", "target", "patience", "least", "parallel", "from"}) {
      identity.erase(budget);
    }
    identity["grace"] = rule.grace;
    identity["metric"] = Json::array();
    for (const OrderedMetric& each : order.metrics) {
      identity["metric"].push_back({each.name, each.order.higher_is_better ? "higher" : "lower"});
    }
    return identity;
  }

  static Status DoesNotFit(const Status& status, const std::string& where) {
    Fault fault = FaultOf(status);
    return Fail({.exit = Exit::kUsage,
                 .what = "what the file says cannot be done again: " + fault.what,
                 .where = where,
                 .fix = "name another file; this one was changed, or written by another version"});
  }

  Status Write(const char* act, Json what) {
    return file_ ? file_->Append(act, std::move(what), clock_.Elapsed()) : Status::OK();
  }

  Trial TrialAt(size_t index) const {
    return {.number = int64_t(index) + 1, .values = open_[index].values};
  }

  std::optional<Trial> AskAgain() {
    const auto found = std::ranges::find(open_, true, &Open::again);
    if (found == open_.end()) return std::nullopt;
    found->again = false;
    found->asked_again = true;
    return TrialAt(size_t(found - open_.begin()));
  }

  // A line of the file. Time does not end what has been asked for.
  Status Redo(const Json& line) {
    clock_.Continue(NumberAt(line, "seconds"));
    if (const Json ask = line.value("ask", Json()); ask.is_object()) return RedoAsk(ask);
    if (const Json report = line.value("report", Json()); report.is_object()) {
      return Report(WholeAt(report, "trial"), WholeAt(report, "step"),
                    ReadSavedNumber(report.value("value", Json())));
    }
    const Json tell = line.value("tell", Json());
    if (!tell.is_object()) return Refused("it is neither ask, report nor tell", "");
    const double value = ReadSavedNumber(tell.value("value", Json()));
    return End(WholeAt(tell, "trial"), std::isnan(value) ? std::nullopt : std::optional(value),
               tell.value("measured", Json()), TextAt(tell, "error"));
  }

  Status RedoAsk(const Json& ask) {
    const size_t index = open_.size();
    if (index >= proposals_.size() || !proposals_.Ready(index) ||
        WholeAt(ask, "trial") != int64_t(index) + 1) {
      return Refused(fmt::format("trial {} cannot be asked for", WholeAt(ask, "trial")), "");
    }
    if (ask.value("values", Json()) != proposals_.ValuesOf(index)) {
      return Refused(fmt::format("trial {} has other values", index + 1), "");
    }
    open_.push_back({.values = proposals_.ValuesOf(index)});
    return Status::OK();
  }

  Status End(int64_t trial, std::optional<double> value, Json measured, const std::string& error) {
    PT_LET(Open * open, Find(trial));
    if (value && std::isnan(*value)) value.reset();
    PT_TRY(Write("tell", {{"trial", trial},
                          {"value", value ? SavedNumber(*value) : Json()},
                          {"measured", measured},
                          {"error", error}}));
    open->measured = std::move(measured);
    open->told = true;
    open->value = value;
    open->error = !error.empty() ? error : value ? "" : "it was told without a value";
    pruning_.End(size_t(trial - 1), 0, !value);
    Settle();
    return Status::OK();
  }

  static Status Unknown(int64_t trial) {
    return Refused(fmt::format("there is no trial {}", trial), "use the number that ask has given");
  }

  // A trial that has been asked for and not told.
  Result<Open*> Find(int64_t trial) {
    if (trial < 1 || trial > int64_t(open_.size())) return Unknown(trial);
    Open& open = open_[size_t(trial - 1)];
    if (!open.told) return &open;
    return Refused(fmt::format("trial {} has been told already", trial), "tell each trial once");
  }

  // A trial is over when it has been told and no report of a lower one can stop it any more.
  void Settle() {
    pruning_.Judge();
    for (size_t i = proposals_.FirstOpen(); i < open_.size(); ++i) {
      if (!open_[i].over && open_[i].told && pruning_.Decided(i)) Enter(i);
    }
  }

  void Enter(size_t index) {
    Open& open = open_[index];
    open.over = true;
    Trial trial{.number = int64_t(index) + 1, .values = open.values, .value = open.value};
    const PrunedAt* const at = pruning_.StoppedAt(index);
    if (at != nullptr) {
      trial.state = TrialState::kPruned;
      trial.value = std::isfinite(at->value) ? std::optional(at->value) : std::nullopt;
      trial.pruned_at = at->step;
      trial.error = Reason(*at, rule_, "the value", "step");
    } else if (!open.value) {
      trial.state = TrialState::kFailed;
      trial.error = open.error;
    }
    if (trial.state == TrialState::kDone) {
      trial.folds = {*trial.value};
      if (order_.measures()) trial.measured = open.measured;
      order_.Judge(trial);
    }
    proposals_.Tell(index, at ? OutcomeOf(*at, order_.first().order) : order_.OutcomeOf(trial));
    end_.Take(trial);
    if (!end_.last() || trial.number <= *end_.last()) table_.Add(std::move(trial));
    if (end_.last()) table_.DropAbove(*end_.last());
  }

  Json identity_;
  std::optional<AskedFile> file_;  // Unset while its lines are done again.
  TrialOrder order_;
  PruneRule rule_;
  EndRule end_;
  SearchClock clock_;
  Proposals proposals_;
  Pruning pruning_;
  std::vector<Open> open_;  // Of each trial that was asked for.
  TrialTable table_;
};

AskedSearch::AskedSearch(std::unique_ptr<State> state) : state_(std::move(state)) {}
AskedSearch::AskedSearch(AskedSearch&&) noexcept = default;
AskedSearch& AskedSearch::operator=(AskedSearch&&) noexcept = default;
AskedSearch::~AskedSearch() = default;

Result<AskedSearch> AskedSearch::Make(const SearchOptions& options, bool higher_is_better) {
  const MetricNames names = options.metric.empty() ? MetricNames("value") : options.metric;
  return Make(options, higher_is_better ? names : MetricNames());
}

Result<AskedSearch> AskedSearch::Make(const SearchOptions& options,
                                      const std::vector<std::string>& higher_is_better) {
  PT_TRY(CheckFields(options, kPath));
  if (!options.from.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "a search whose trials the caller measures has no earlier run",
                 .where = "search.from",
                 .fix = "leave from out"});
  }
  if (options.prune == Prune::kHyperband && options.brackets == 0) {
    return Fail({.exit = Exit::kUsage,
                 .what = "hyperband does not know how many steps the trials will report",
                 .where = "search.brackets",
                 .fix = "set brackets: 4 for 27 steps from the first on and reduction 3"});
  }
  PT_LET(Proposed proposed, Propose(options, {}, kPath));
  PT_LET(const TrialOrder order, AskedOrder(options, higher_is_better));
  const PruneRule rule{.kind = options.prune,
                       .grace = std::max<int64_t>(options.grace, 1),
                       .reduction = options.reduction,
                       .brackets = std::max<int64_t>(options.brackets, 1),
                       .order = order.first().order};
  return AskedSearch(std::make_unique<State>(options, order, std::move(proposed), rule));
}

Status AskedSearch::SaveTo(const std::string& file) { return state_->SaveTo(file); }
Result<std::optional<Trial>> AskedSearch::Ask() { return state_->Ask(); }
Status AskedSearch::Report(int64_t trial, int64_t step, double value) {
  return state_->Report(trial, step, value);
}
Result<bool> AskedSearch::ShouldPrune(int64_t trial) { return state_->ShouldPrune(trial); }
Status AskedSearch::Tell(int64_t trial, std::optional<double> value, const std::string& error) {
  return state_->Tell(trial, value, error);
}
Status AskedSearch::TellAll(int64_t trial, const std::map<std::string, double>& measured) {
  return state_->TellAll(trial, measured);
}
Json AskedSearch::Table() const { return state_->Table(); }

}  // namespace protium
