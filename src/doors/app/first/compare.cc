// SPDX-License-Identifier: Apache-2.0
#include "app/first/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/text.h"
#include "frame/session_state.h"
#include "inspect/first_job.h"
#include "job/read_job.h"
#include "os/file.h"
#include "os/temporary_folder.h"
#include "protium/search.h"
#include "run/terminal.h"

namespace protium {
namespace {

// Enough to tell the two apart, and few enough for some seconds on two cores.
constexpr int64_t kMostRows = 20'000;
constexpr int64_t kMostCells = 1'000'000;
constexpr int64_t kFewestRows = 1000;
constexpr int64_t kMostNetRows = 400'000;  // Over all epochs.
constexpr int64_t kMostTrees = 300;        // Over all classes.
constexpr std::chrono::seconds kLimit{180};
// With few rows each is held out once; from this many on, a fifth of them says enough.
constexpr int64_t kManyRows = 5000;
// Differs from that of splits: the sample would otherwise be rows that they have left.
constexpr int64_t kSampleSeed = 36;
// Trees are taken unless the net is better by more than this share: chance decides below it, and
// trees are faster and need no scaling.
constexpr double kClearly = 0.01;

// Requests a stop when the time is over.
class TimeLimit {
 public:
  explicit TimeLimit(std::chrono::seconds limit)
      : thread_([this, limit](const std::stop_token& ended) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any over;
          if (!over.wait_for(lock, ended, limit, [&] { return ended.stop_requested(); })) {
            late_.request_stop();
          }
        }) {}
  std::stop_token token() const { return late_.get_token(); }
  bool over() const { return late_.stop_requested(); }

 private:
  std::stop_source late_;
  std::jthread thread_;  // Last: it uses the others.
};

int64_t MostRows(const JobOutline& outline) {
  const auto columns = int64_t(outline.spec.source.seen.columns.size());
  return std::clamp(kMostCells / std::max(columns, int64_t{1}), kFewestRows, kMostRows);
}

// What differs from the job that is written: less is learned, in larger steps.
std::vector<std::string> SmallerJob(const JobOutline& outline, int64_t rows) {
  if (!outline.grows_trees()) {
    const int64_t most = std::max(kMostNetRows / std::max(rows, int64_t{1}), int64_t{3});
    return {fmt::format("train.epochs={}", std::min(outline.epochs, most))};
  }
  constexpr int64_t kFewestRounds = 30;
  const int64_t each =
      outline.aim == Aim::kClasses ? std::max(outline.label.distinct, int64_t{1}) : 1;
  return {fmt::format("trees.rounds={}", std::max(kMostTrees / each, kFewestRounds)),
          "trees.learning_rate=0.1", "train.early_stopping.patience=20"};
}

// Both estimators on the same rows.
class Comparison {
 public:
  static Result<Comparison> Make(const JobOutline& outline, std::stop_token stop) {
    PT_LET(TemporaryFolder folder, TemporaryFolder::Make());
    SessionOptions options;
    options.folder = folder.path() / "run";
    options.profile = false;
    options.call.stop = std::move(stop);
    PT_LET(std::unique_ptr<Session> session,
           OpenTables(outline.spec.source.tables, std::move(options)));
    return Comparison(outline, std::move(folder), std::move(session));
  }

  // Makes the rows; returns how many there are.
  Result<int64_t> MakeRows() {
    PT_LET(const Job job, JobOf(outline_));
    const JobSplit& split = *job.file.split;
    // With the columns of every variant: a split by all columns then takes other rows than the
    // job's, which is the same to a comparison.
    JobOutline widest = outline_;
    ReadWords(widest);
    ReadManyValues(widest);
    const DataFrame all = session_->Sql(widest.sql);
    const DataFrame train = all.Split(split.Options()).train;
    if (!outline_.InTime().empty()) return MakeLatest(train);
    const double share = double(MostRows(outline_)) / double(outline_.spec.source.seen.rows);
    rows_ = (share < 1 ? train.Sample(share, kSampleSeed, By()) : train).Materialize("sample");
    PT_LET(count_, rows_->Count());
    return count_;
  }

  // Returns the metric on held-out rows; lower is better.
  Result<double> Measure(FirstEstimator estimator) const {
    JobOutline outline = outline_;
    outline.estimator = estimator;
    return Measure(outline);
  }
  // The same of a variant of the outline, which reads the same columns.
  Result<double> Measure(const JobOutline& outline) const {
    PT_LET(const Job job, JobOf(outline));
    const bool many = count_ >= kManyRows;
    const bool in_time = !outline_.InTime().empty();
    const FoldOptions folds{.k = many && !in_time ? 5 : 3,
                            .by = By(),
                            .held_out = many && !in_time ? 1 : 0,
                            .by_time = outline_.InTime()};
    PT_LET(const Trial trial, CrossValidate(*job.pipeline, *rows_, folds, metric()));
    return *trial.value;
  }

  const char* metric() const { return outline_.aim == Aim::kNumber ? "rmse" : "log_loss"; }

 private:
  Comparison(const JobOutline& outline, TemporaryFolder folder, std::unique_ptr<Session> session)
      : outline_(outline), folder_(std::move(folder)), session_(std::move(session)) {}

  // A series has no gaps: the sample is its latest rows.
  Result<int64_t> MakeLatest(const DataFrame& train) {
    PT_LET(const int64_t all, train.Count());
    const double share = double(MostRows(outline_)) / double(all);
    const bool whole = share >= 1;
    rows_ = (whole ? train : train.Split({.test = share, .by_time = outline_.InTime()}).test)
                .Materialize("sample");
    PT_LET(count_, rows_->Count());
    return count_;
  }

  Columns By() const {
    const std::string by = outline_.Together();
    return by.empty() ? Columns() : Columns{by};
  }

  Result<Job> JobOf(const JobOutline& outline) const {
    const std::filesystem::path file = folder_.path() / "job.toml";
    PT_TRY(WriteFile(file, JobText(outline)));
    return ReadJob(file, SmallerJob(outline, count_));
  }

  const JobOutline& outline_;
  TemporaryFolder folder_;
  std::unique_ptr<Session> session_;
  std::optional<DataFrame> rows_;
  int64_t count_ = 0;
};

// A linear model is taken for series alone (FirstEstimator).
bool FitsBest(const std::optional<double>& linear, double trees, double net) {
  return linear && *linear < std::min(trees, net) * (1 - kClearly);
}

Compared Decide(const std::string& metric, double trees, double net,
                const std::optional<double>& linear) {
  const std::string of_trees = Figure(trees, 3), of_net = Figure(net, 3);
  if (FitsBest(linear, trees, net)) {
    return {.best = FirstEstimator::kLinear,
            .why = fmt::format("a linear model of earlier values fits best: {} {}, trees {}, a net "
                               "{}",
                               metric, Figure(*linear, 3), of_trees, of_net)};
  }
  if (net < trees * (1 - kClearly)) {
    return {.best = FirstEstimator::kNet,
            .why = fmt::format("a net fits best: {} {}, trees {}", metric, of_net, of_trees)};
  }
  const bool best = trees <= net && of_trees != of_net;
  return {.why = fmt::format("{}: {} {}, a net {}",
                             best ? "trees fit best" : "trees fit about as well as a net", metric,
                             of_trees, of_net)};
}

// Whether a few labels are so much larger than most that errors in them decide everything.
bool IsSkewed(const JobOutline& outline) {
  constexpr double kSkewed = 20;
  const auto number = [](const std::string& text) { return AllAsNumber<double>(text).value_or(0); };
  const ColumnProfile& label = outline.label;
  const double median = number(label.median);
  return outline.aim == Aim::kNumber && !outline.looks_back() && number(label.least) >= 0 &&
         median > 0 && number(label.greatest) >= kSkewed * median;
}

// Keeps a change of the outline if that is clearly better; returns what to say of it. One that
// cannot be measured in time is not kept, and nothing is said.
std::string Try(const Comparison& comparison, const JobOutline& changed, JobOutline& outline,
                double& best, const std::string& what) {
  const Result<double> value = comparison.Measure(changed);
  if (!value.ok()) return {};
  const std::string figures = fmt::format("{} {} with, {} without", comparison.metric(),
                                          Figure(*value, 3), Figure(best, 3));
  if (*value >= best * (1 - kClearly)) {
    return fmt::format("{} would not help: {}", what, figures);
  }
  best = *value;
  outline.columns = changed.columns;
  outline.sql = changed.sql;
  outline.log_label = changed.log_label;
  return fmt::format("{} helps: {}", what, figures);
}

void TryVariants(const Comparison& comparison, const JobOutline& given, double best,
                 Compared& compared) {
  JobOutline outline = given;
  outline.estimator = compared.best;
  const auto attempt = [&](const JobOutline& changed, const std::string& what) {
    std::string note = Try(comparison, changed, outline, best, what);
    if (!note.empty()) compared.notes.push_back(std::move(note));
  };
  if (!outline.columns.sentences.empty()) {
    std::string names;
    for (const ColumnProfile* each : outline.columns.sentences) {
      names += (names.empty() ? "" : ", ") + each->name;
    }
    JobOutline changed = outline;
    ReadWords(changed);
    attempt(changed, "counting the words of " + names);
  }
  if (!outline.columns.many.empty()) {
    std::string names;
    for (const ColumnProfile* each : outline.columns.many) {
      names += (names.empty() ? "" : ", ") + each->name;
    }
    JobOutline changed = outline;
    ReadManyValues(changed);
    attempt(changed, fmt::format("encoding {} by {}", names,
                                 outline.has_mean_label() ? "the mean label of each value"
                                                          : "how often each value occurs"));
  }
  if (IsSkewed(outline)) {
    JobOutline changed = outline;
    changed.log_label = true;
    attempt(changed, "learning the logarithm of " + outline.label.name);
  }
  compared.words = !outline.columns.texts.empty();
  compared.many_values = !outline.columns.coded.empty();
  compared.log_label = outline.log_label;
}

Result<Compared> Compare(const JobOutline& outline, Variants variants,
                         const std::stop_token& stop) {
  const auto since = Clock::now();
  PT_LET(Comparison comparison, Comparison::Make(outline, stop));
  PT_LET(const int64_t rows, comparison.MakeRows());
  PT_LET(const double trees, comparison.Measure(FirstEstimator::kTrees));
  PT_LET(const double net, comparison.Measure(FirstEstimator::kNet));
  const auto linear = comparison.Measure(FirstEstimator::kLinear);
  const auto of_series =
      linear.ok() && outline.looks_back() ? std::optional(*linear) : std::nullopt;
  Compared compared = Decide(comparison.metric(), trees, net, of_series);
  compared.figures = fmt::format("{} on held-out rows of a sample: trees {}, a net {}",
                                 comparison.metric(), Figure(trees, 3), Figure(net, 3));
  if (linear.ok()) compared.figures += ", a linear model " + Figure(*linear, 3);
  if (linear.ok() && !of_series && FitsBest(*linear, trees, net)) {
    compared.notes.push_back(
        fmt::format("a linear model does better still, {} {}: --estimator linear",
                    comparison.metric(), Figure(*linear, 3)));
  }
  if (variants == Variants::kTried) {
    const double best = compared.best == FirstEstimator::kLinear ? *linear
                        : compared.best == FirstEstimator::kNet  ? net
                                                                 : trees;
    TryVariants(comparison, outline, best, compared);
  }
  compared.effort = fmt::format("on {} rows in {:.1f} s", Grouped(rows),
                                std::chrono::duration<double>(Clock::now() - since).count());
  return compared;
}

}  // namespace

Compared CompareEstimators(const JobOutline& outline, Variants variants) {
  const TimeLimit limit(kLimit);
  const Result<Compared> compared = Compare(outline, variants, limit.token());
  if (compared.ok()) return *compared;
  const std::string reason = limit.over() ? fmt::format("it takes over {} s", kLimit.count())
                                          : FaultOf(compared.status()).what;
  return {.why = "trees are not compared with a net: " + reason};
}

}  // namespace protium
