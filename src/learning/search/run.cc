// SPDX-License-Identifier: Apache-2.0
#include "search/run.h"

#include <fmt/format.h>

#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "frame/session_state.h"
#include "pipeline/make_rows.h"
#include "protium/events.h"
#include "search/ask.h"
#include "search/fit.h"
#include "search/space.h"

namespace protium {
namespace {

class TrialRunner {
 public:
  explicit TrialRunner(const TrialsRequest& request)
      : request_(request),
        session_(request.train.session()),
        fits_a_trial_(request.folds ? request.folds->fits() : 1),
        asked_(request.search, request.settled, StateOf(session_).options().catalogue),
        table_(request.settled.metric, request.settled.higher_is_better, request.settled.paths) {
    SessionState& state = StateOf(session_);
    const int64_t fits = request.settled.count * fits_a_trial_;
    parallel_ = CountParallel(request.search, request.settled, state.options().engine, fits);
    // All gangs together observe the limit that one would have alone.
    memory_ = RowsMemory(state.options()) / parallel_;
  }

  Result<TrialTable> Run() {
    {
      std::vector<std::jthread> workers;
      for (int32_t i = 1; i < parallel_; ++i) workers.emplace_back([this] { Work(); });
      Work();
    }
    PT_TRY(end_);
    // A search that was cut off reuses them when it continues; after a finished one nobody needs
    // them.
    std::error_code ignored;
    std::filesystem::remove_all(StateOf(session_).folder() / "trials" / "rows", ignored);
    if (table_.best() == nullptr) return AllFailed();
    return std::move(table_);
  }

 private:
  // A trial some of whose fits are running.
  struct Open {
    std::map<int32_t, FitResult> results;  // By fold.
    int32_t running = 0;
    bool failed = false;
  };
  struct Place {
    size_t trial = 0;
    int32_t fold = 0;
    const SettledTrial* settled = nullptr;
  };

  void Work() {
    while (const auto place = Next()) {
      Result<FitResult> result = RunFit(session_, RequestFor(*place));
      Take(*place, std::move(result));
    }
  }

  // Waits until the results are there that the next trial learns from; trials that run end without
  // this one.
  std::optional<Place> Next() {
    std::unique_lock lock(mutex_);
    while (end_.ok()) {
      Place place{next_ / size_t(fits_a_trial_), int32_t(next_ % size_t(fits_a_trial_))};
      if (place.trial >= asked_.size()) return std::nullopt;
      if (!asked_.Ready(place.trial)) {
        ended_.wait(lock);
        continue;
      }
      ++next_;
      Open& open = open_[place.trial];
      if (open.failed) continue;
      const AskedTrial& asked = asked_.At(place.trial);
      if (place.fold == 0) ReportStarted(place.trial);
      if (!asked.settled) {
        open.failed = true;
        End(place.trial, RefusedTrial(place.trial));
        continue;
      }
      ++open.running;
      place.settled = &*asked.settled;
      return place;
    }
    return std::nullopt;
  }

  FitRequest RequestFor(const Place& place) const {
    const SettledTrial& trial = *place.settled;
    const std::optional<Folds>& folds = request_.folds;
    const auto trials = StateOf(session_).folder() / "trials";
    const auto folder = trials / fmt::format("{:03}", place.trial + 1);
    return {.pipeline = trial.pipeline,
            .estimator = trial.estimator,
            .learning = folds ? folds->Learning(place.fold) : request_.train.plan(),
            .held_out = folds ? folds->HeldOut(place.fold) : nullptr,
            .metric = request_.settled.metric,
            .folder = folds ? folder / fmt::format("fold-{:02}", place.fold + 1) : folder,
            .learned = trials / "learned",
            .rows_memory_bytes = memory_,
            .shared_rows = {trials / "rows", RowsMemory(StateOf(session_).options())}};
  }

  void Take(const Place& place, Result<FitResult> result) {
    const std::lock_guard lock(mutex_);
    Open& open = open_[place.trial];
    --open.running;
    if (!result.ok()) {
      if (end_.ok()) end_ = WithFewerGangs(result.status());
      ended_.notify_all();
      return;
    }
    open.failed = open.failed || !result->value;
    open.results[place.fold] = *std::move(result);
    const bool over = open.failed || int32_t(open.results.size()) == fits_a_trial_;
    if (!over || open.running > 0) return;
    const Trial trial = MakeTrial(place.trial, open);
    open.results.clear();
    End(place.trial, trial);
  }

  void End(size_t index, const Trial& trial) {
    asked_.Tell(index, trial.value);
    table_.Add(trial);
    const Status saved = table_.Save(StateOf(session_).folder());
    if (!saved.ok() && end_.ok()) end_ = saved;
    ended_.notify_all();
    ReportEnded(trial);
  }

  // A trial whose values do not fit together.
  Trial RefusedTrial(size_t index) {
    const AskedTrial& asked = asked_.At(index);
    Trial trial{.number = int64_t(index) + 1,
                .values = asked.values,
                .state = TrialState::kFailed,
                .error = FaultOf(asked.refused).what};
    errors_.emplace(trial.number, asked.refused);
    return trial;
  }

  // Suggests fewer gangs, since fewer rows at a time may fit.
  Status WithFewerGangs(const Status& status) const {
    Fault fault = FaultOf(status);
    if (fault.exit != Exit::kNoRoom || parallel_ == 1) return status;
    fault.fix =
        "set  search.parallel = 1: gangs at the same time share the disk that their rows go to" +
        (fault.fix.empty() ? "" : "; or " + fault.fix);
    return Fail(std::move(fault));
  }

  Trial MakeTrial(size_t index, const Open& open) {
    Trial trial{.number = int64_t(index) + 1, .values = asked_.At(index).values};
    double epochs = 0;
    for (const auto& [fold, result] : open.results) {
      trial.seconds += result.seconds;
      epochs += double(result.best_epoch);
      if (result.value) trial.folds.push_back(*result.value);
      if (result.value || trial.state == TrialState::kFailed) continue;
      trial.state = TrialState::kFailed;
      const Status status = StatusFromJson(result.error);
      trial.error = FaultOf(status).what;
      if (request_.folds) trial.error = request_.folds->Name(fold) + ": " + trial.error;
      errors_.emplace(trial.number, status);
    }
    if (trial.state == TrialState::kFailed) {
      trial.folds.clear();  // How many others had ended is chance.
      return trial;
    }
    Summarise(trial);
    trial.best_epoch = int64_t(std::lround(epochs / double(open.results.size())));
    return trial;
  }

  void ReportStarted(size_t trial) {
    StateOf(session_).call().Send(TrialStarted{.trial = int64_t(trial) + 1,
                                               .trials = request_.settled.count,
                                               .values = ValuesText(asked_.At(trial).values)});
  }

  void ReportEnded(const Trial& trial) {
    TrialEnded event{.trial = trial.number,
                     .trials = request_.settled.count,
                     .values = ValuesText(trial.values),
                     .state = trial.value ? "done" : "failed",
                     .metric = request_.settled.metric,
                     .value = trial.value,
                     .deviation = trial.deviation,
                     .seconds = trial.seconds,
                     .error = trial.error};
    if (const Trial* best = table_.best()) {
      event.best = best->number;
      event.best_value = best->value;
    }
    StateOf(session_).call().Send(event);
  }

  Status AllFailed() {
    const auto& [number, status] = *errors_.begin();
    Fault fault = FaultOf(status);
    const int64_t count = request_.settled.count;
    if (count == 1) return status;
    fault.what = fmt::format("all {} trials failed, the first of them: {}", count, fault.what);
    if (fault.kept.empty()) fault.kept = "trials.json has the error of each";
    return Fail(std::move(fault));
  }

  const TrialsRequest& request_;
  Session& session_;
  const int32_t fits_a_trial_;
  int32_t parallel_ = 1;
  int64_t memory_ = 0;
  std::mutex mutex_;               // Guards all below; held while events are sent, one at a time.
  std::condition_variable ended_;  // A trial, or the search.
  size_t next_ = 0;                // The fit to start next: trial by trial, fold by fold.
  std::map<size_t, Open> open_;
  AskedTrials asked_;
  TrialTable table_;
  std::map<int64_t, Status> errors_;  // By the trial's number.
  Status end_;                        // What ends the search early.
};

}  // namespace

Result<TrialTable> RunTrials(const TrialsRequest& request) { return TrialRunner(request).Run(); }

}  // namespace protium
