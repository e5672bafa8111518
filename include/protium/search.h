// SPDX-License-Identifier: Apache-2.0
// Choosing a model: a search fits a pipeline once for each of several sets of options (a trial),
// measures each on rows it has not learned from, and fits the best one again on all rows. With
// folds, every trial is measured by cross-validation. Options are named by dotted paths as in a job
// file: "train.optimizer.learning_rate", "net.hidden", "pipeline.fill.with". Implemented by the
// room search; docs/choosing-a-model.md lists the guarantees.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protium/pipeline.h"

namespace protium {

struct FieldType;

// One option that a search varies, and the values it may take.
struct Dimension {
  enum class Kind { kChoice, kUniform, kLogUniform, kIntUniform, kLogIntUniform };
  std::string path;
  Kind kind = Kind::kChoice;
  std::vector<Json> choices;  // For kChoice.
  double low = 0;             // For ranges; both ends can be drawn.
  double high = 0;
  int64_t points = 0;  // How many values of the range a grid takes, ends included; 0: unset.
};
Dimension OneOf(std::string path, std::vector<Json> choices);
Dimension Uniform(std::string path, double low, double high, int64_t points = 0);
Dimension LogUniform(std::string path, double low, double high, int64_t points = 0);
Dimension IntUniform(std::string path, int64_t low, int64_t high, int64_t points = 0);
Dimension LogIntUniform(std::string path, int64_t low, int64_t high, int64_t points = 0);

// JSON: {"net.dropout": [0, 0.1], "train.optimizer.learning_rate": {"log_uniform": [1e-4, 0.1]}}.
// Paths may also be written as nested tables. A list is short for {"choice": [...]}.
struct Space : std::vector<Dimension> {
  using std::vector<Dimension>::vector;
};
Json ToJson(const Space& space);
Status FromJson(const Json& json, const std::string& path, Space& space);
FieldType DescribeType(const Space& space);

enum class SearchMethod { kGrid, kRandom, kTpe, kPopulation };
inline EnumNames<SearchMethod> Names(SearchMethod) {
  return {{{SearchMethod::kGrid, "grid"},
           {SearchMethod::kRandom, "random"},
           {SearchMethod::kTpe, "tpe"},
           {SearchMethod::kPopulation, "population"}}};
}

// Whether trials that promise little end before their last epoch or round, or their last fold.
enum class Prune { kNone, kAsha, kMedian, kHyperband, kWilcoxon };
inline EnumNames<Prune> Names(Prune) {
  return {{{Prune::kNone, "none"},
           {Prune::kAsha, "asha"},
           {Prune::kMedian, "median"},
           {Prune::kHyperband, "hyperband"},
           {Prune::kWilcoxon, "wilcoxon"}}};
}

// Which trial of a front, those that no other is better than in all metrics, is the best.
enum class Choose { kKnee, kFirst };
inline EnumNames<Choose> Names(Choose) {
  return {{{Choose::kKnee, "knee"}, {Choose::kFirst, "first"}}};
}

// What trials are compared by: one metric, or several of which none decides alone. JSON: "auc" or
// ["auc", "latency_us"].
struct MetricNames : std::vector<std::string> {
  using std::vector<std::string>::vector;
  MetricNames(const char* name) : MetricNames(std::string(name)) {}
  MetricNames(std::string name);  // An empty name is none.
};
Json ToJson(const MetricNames& names);
Status FromJson(const Json& json, const std::string& path, MetricNames& names);
FieldType DescribeType(const MetricNames& names);

// Which trials a search makes and how it compares them. A metric is one of train.metrics, or is
// measured by the clock on up to 4,096 of the training rows, in the program itself (scorer.h):
// "latency_us", the microseconds of a row that is predicted alone (the median of 200), or
// "predict_seconds", the seconds that a million rows take.
struct SearchOptions {
  SearchMethod method = SearchMethod::kRandom;
  int64_t trials = 0;  // 0: 20, or the whole grid.
  int64_t seed = 0;    // Of the draws; trial i is the same on every machine.
  // kTpe: trial i learns from the results of trials below i - lag. Unset: 4, or 8 with `prune`,
  // where a few trials take many times as long as most.
  std::optional<int64_t> lag;
  int64_t Lag() const { return lag.value_or(prune == Prune::kNone ? 4 : 8); }
  int64_t population = 8;            // kPopulation: trials of a generation;
  int64_t every = 0;                 // the epochs that each trains; 0: a tenth of all.
  MetricNames metric;                // None: train.best.
  Choose choose = Choose::kKnee;     // Of several metrics.
  std::vector<std::string> require;  // "latency_us < 50"; what breaks one is never the best.
  Prune prune = Prune::kNone;
  int64_t grace = 0;      // The first epoch or round that pruning looks at; 0: a 27th of the most.
  int64_t reduction = 3;  // kAsha, kHyperband: the best 1 / reduction go on.
  int64_t brackets = 0;   // kHyperband: first epochs to begin with; 0: as many as there are.
  double seconds = 0;     // After which no trial is started; 0: no limit.
  std::optional<double> target;  // The first trial that reaches it is the last one.
  int64_t patience = 0;     // So many trials without a better one end the search; 0: they do not.
  double least = 0;         // The smallest improvement that counts for it (Fields() says how).
  std::vector<Json> first;  // Values by path: those of the first trials. Others are drawn.
  std::string from;         // A run folder whose trials are known already; empty: none.
  int32_t parallel = 0;     // Gangs running at the same time; 0: as many as the cores can seat.
  Space space;              // Empty: one trial with unchanged options.
  // What ends it: a part of Fields().
  template <class Visit>
  void VisitEnds(Visit& visit) {
    visit("seconds", seconds,
          {.help = "no trial is started after as many seconds; how many there are then depends on "
                   "the clock. 0: no limit",
           .unit = "seconds",
           .at_least = 0});
    visit("target", target,
          {.help = "the search ends with the first trial, by number, whose value reaches it"});
    visit("patience", patience,
          {.help = "the search ends after as many trials, by number, that improve nothing; 0: it "
                   "does not",
           .at_least = 0});
    visit(
        "least", least,
        {.help = "patience: the smallest improvement that counts, in the metric's own units; with "
                 "several metrics the smallest growth of the front's hypervolume, as a share",
         .at_least = 0});
  }
  template <class Visit>
  void Fields(Visit& visit) {
    visit("method", method,
          {.help = "all combinations of the space, random draws from it, draws that learn from "
                   "earlier trials (tpe), or nets that train side by side and change their options "
                   "on the way (population)"});
    visit("trials", trials,
          {.help = "how many sets of options to try; 0: 20, or the whole grid", .at_least = 0});
    visit("seed", seed, {.help = "seed of the random draws"});
    visit(
        "lag", lag,
        {.help = "tpe: trial i learns from the results of trials below i - lag, so lag + 1 trials "
                 "can run at the same time; unless set, 4, or 8 with prune",
         .at_least = 0});
    visit("population", population,
          {.help = "population: how many nets train side by side", .at_least = 2, .at_most = 1000});
    visit("every", every,
          {.help = "population: epochs until the worst quarter goes on from the best, with other "
                   "options; 0: a tenth of train.epochs",
           .unit = "epochs",
           .at_least = 0});
    visit("metric", metric,
          {.help = "the metric that decides; unless set, train.best. Of several none decides "
                   "alone: a trial is on the front unless another is better in all. Beside "
                   "train.metrics there are latency_us and predict_seconds"});
    visit("choose", choose,
          {.help = "with several metrics, which trial of the front becomes the model: the knee, "
                   "nearest to the best of each metric at once, or the best by the first metric"});
    visit("require", require,
          {.help = "what a trial must keep to be the best, such as \"latency_us < 50\""});
    visit("prune", prune,
          {.help = "stops trials that promise little: those that are not among the best at a few "
                   "epochs or rounds (asha; hyperband: with several first epochs), worse than half "
                   "of the others at any (median), or worse than the best over folds (wilcoxon)"});
    visit("grace", grace,
          {.help = "prune: the first epoch or round at which trials are compared; 0: a 27th of the "
                   "most that any trial has; of wilcoxon the first fold",
           .at_least = 0});
    visit("reduction", reduction,
          {.help = "asha, hyperband: the best 1 / reduction go on from the epochs grace, grace * "
                   "reduction, and so on",
           .at_least = 2});
    visit("brackets", brackets,
          {.help = "hyperband: how many brackets trials are divided among, each with a first epoch "
                   "of its own; 0: as many as the most epochs allow",
           .at_least = 0,
           .at_most = 20});
    VisitEnds(visit);
    visit("first", first,
          {.help = "values of the first trials, a table each, by path as in space; what a table "
                   "leaves out is drawn"});
    visit("from", from,
          {.help = "the folder of an earlier run: its trials count as known, and those with the "
                   "same options on the same rows are not computed again"});
    visit("parallel", parallel,
          {.help = "gangs that train at the same time; 0: as many as the machine's cores seat",
           .at_least = 0});
    visit("space", space, {.help = "options to vary, by dotted path, and the values to try"});
  }
};

// Cuts the rows into k folds by time, or by a hash of the columns `by`, the same hash as Split's.
// Each fold is held out once, and every repeat cuts the rows anew. k = 5, held_out = 1, repeats =
// 10 makes ten splits of 80 to 20 %.
struct FoldOptions {
  int32_t k = 5;
  Columns by;
  int32_t repeats = 1;
  int32_t held_out = 0;  // How many of the k folds of a repeat are held out in turn; 0: all.
  int64_t seed = 0;
  // A column of dates, timestamps or whole numbers: the rows are cut in its order into k + 1 parts,
  // and fold i is part i + 1, learned for from all rows before it.
  std::string by_time;
  int64_t gap = 0;  // How many different times before a fold nothing is learned from.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("k", k, {.help = "parts of the training rows; each is held out once", .at_least = 2});
    visit("by", by,
          {.help = "rows with equal values in these stay together; unless set, all columns"});
    visit("repeats", repeats, {.help = "how often the rows are cut anew", .at_least = 1});
    visit("held_out", held_out,
          {.help = "how many folds of each repeat are held out in turn; 0: all. With 1, repeats "
                   "are splits of 1 - 1/k to 1/k",
           .at_least = 0});
    visit("seed", seed, {.help = "changes which rows fall into which fold"});
    visit(
        "by_time", by_time,
        {.help = "instead of by: a column of dates or times; each fold is predicted from the rows "
                 "before it, and the first of k + 1 parts is only learned from"});
    visit("gap", gap,
          {.help = "by_time: how many different times before each fold are left out of learning",
           .unit = "times",
           .at_least = 0});
  }
};

enum class TrialState { kDone, kFailed, kPruned };
inline EnumNames<TrialState> Names(TrialState) {
  return {{{TrialState::kDone, "done"},
           {TrialState::kFailed, "failed"},
           {TrialState::kPruned, "pruned"}}};
}

// The result of one set of options.
struct Trial {
  int64_t number = 0;            // From 1.
  Json values = Json::object();  // The options that differ, by path.
  TrialState state = TrialState::kDone;
  // The metric's mean over folds; of a pruned trial the best until then; unset if it failed.
  std::optional<double> value;
  std::optional<double> deviation;  // Sample deviation over folds; none for a single one.
  std::vector<double> folds;        // The metric in each fold; without folds just the value.
  int64_t best_epoch = 0;           // The mean over folds, rounded; 0 without validation rows.
  int64_t pruned_at = 0;  // The epoch, round or (wilcoxon) fold at which it was pruned; 0: none.
  double seconds = 0;     // All fits of the trial together.
  std::string error;      // Why it failed or was pruned, or which requirement it breaks.
  // Of a done trial of a search with several metrics or with requirements: each of them by name,
  // the mean over folds.
  std::optional<Json> measured;
  // By how much it breaks its requirements, as shares of their bounds; none if it keeps them.
  std::optional<double> violation;
  // Of a population: the trial of the generation before whose weights it goes on with, and the
  // metric after its last epoch, by which it is compared with its generation.
  std::optional<int64_t> parent;
  std::optional<double> at_end;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("trial", number);
    visit("values", values);
    visit("state", state);
    visit("value", value);
    visit("deviation", deviation);
    visit("folds", folds);
    visit("best_epoch", best_epoch);
    visit("pruned_at", pruned_at);
    visit("seconds", seconds);
    visit("error", error);
    visit("measured", measured);
    visit("violation", violation);
    visit("parent", parent);
    visit("at_end", at_end);
  }
};

struct SearchResult {
  std::string metric;  // The first, if there are several.
  bool higher_is_better = false;
  std::vector<Trial> trials;     // By number.
  int64_t best = 0;              // The number of the best trial; the first of equals.
  std::vector<int64_t> front;    // With several metrics: the trials that no other is better than.
  PipelineModel model{nullptr};  // The best options, fitted on all rows.
};

// A value type; running does not change it.
class Search {
 public:
  // Without `folds` a trial is measured on the estimator's validation rows, so train.validation
  // must hold some out; with folds, on the rows of each fold in turn.
  Search(Pipeline pipeline, SearchOptions options, std::optional<FoldOptions> folds = {})
      : pipeline_(std::move(pipeline)), options_(std::move(options)), folds_(std::move(folds)) {}
  const Pipeline& pipeline() const { return pipeline_; }
  const SearchOptions& options() const { return options_; }
  const std::optional<FoldOptions>& folds() const { return folds_; }

  // Checks the options of all trials, then runs them, one gang per trial or per fold, in folders
  // trials/001, ... of the run folder. Then fits the best again on all rows of `train`: without
  // validation rows, unless its calibration or threshold is fitted to them, and for as many epochs
  // as its best epoch if validation chose one. Writes the table of trials to trials.json and
  // trials.csv after each trial. A failed trial is recorded, and the search goes on; it fails with
  // the first trial's error if all fail, and names the nearest if none keeps what is required. A
  // resumed session does not run finished trials again; it may have more trials, or another budget.
  // Blocks; Ctrl-C ends it with Exit::kStopped.
  Result<SearchResult> Run(const DataFrame& train) const;

 private:
  Pipeline pipeline_;
  SearchOptions options_;
  std::optional<FoldOptions> folds_;
};

// A search whose trials the caller measures: it asks what to try, and tells what came of it. Trial
// i learns from those below i - lag, which must have been told before it is asked for. Any paths
// and numbers will do, and `metric` and `require` may have any names; unless set, the metric is
// "value". `parallel` and `from` are not used, and grace is 1 unless set. `seconds` count from
// Make() on. Move-only; one thread at a time.
class AskedSearch {
 public:
  // Refuses options with Exit::kUsage, below "search".
  static Result<AskedSearch> Make(const SearchOptions& options, bool higher_is_better);
  // Of several metrics those named are better when they are higher.
  static Result<AskedSearch> Make(const SearchOptions& options,
                                  const std::vector<std::string>& higher_is_better);
  AskedSearch(AskedSearch&&) noexcept;
  AskedSearch& operator=(AskedSearch&&) noexcept;
  ~AskedSearch();

  // From now on writes what is asked, reported and told to `file`, a line each, flushed to the disk
  // before the call returns. What the file has of the same search is done again first: trials go on
  // with the next number, as if the program had never ended, and those that were never told are
  // asked for again before others. Called before anything else; refuses (Exit::kUsage) the file of
  // another search and one that another process writes.
  Status SaveTo(const std::string& file);

  // The next trial's number, from 1, and values; nullopt after the last one, or when the target,
  // the patience or the seconds have ended the search. Fails with
  // Exit::kUsage while a trial is open that it learns from, with that trial's number.
  Result<std::optional<Trial>> Ask();
  // A value on the way, at a step above the last one; what a trial that is asked for again has
  // reported before is ignored.
  Status Report(int64_t trial, int64_t step, double value);
  // Whether what has been reported decides that the trial is stopped. It may still be told as
  // usual: its row says that it was pruned.
  Result<bool> ShouldPrune(int64_t trial);
  // The trial is over: with its value, or with nullopt if it was stopped or, with the reason,
  // failed.
  Status Tell(int64_t trial, std::optional<double> value, const std::string& error = {});
  // It is over with a number for each metric and each name that is required.
  Status TellAll(int64_t trial, const std::map<std::string, double>& measured);

  // {"higher_is_better", "best", "trials"} of all that are over, as trials.json has them. A trial
  // that waits for the reports of lower ones, because it may be pruned, is not over yet.
  Json Table() const;

 private:
  class State;
  explicit AskedSearch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Measures a pipeline by cross-validation without keeping a model: returns the metric (empty:
// train.best) in each fold, its mean and deviation. Leaves the same files as a search of one trial.
Result<Trial> CrossValidate(const Pipeline& pipeline, const DataFrame& table,
                            const FoldOptions& folds, const std::string& metric = {});

}  // namespace protium
