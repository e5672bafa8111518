// SPDX-License-Identifier: Apache-2.0
#include "search/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "frame/session_state.h"
#include "pipeline/make_rows.h"
#include "protium/events.h"
#include "search/ask.h"
#include "search/end_rule.h"
#include "search/fit.h"
#include "search/pruning.h"
#include "search/search_clock.h"
#include "search/space.h"
#include "search/trial_rows.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

class TrialRunner {
 public:
  explicit TrialRunner(const TrialsRequest& request)
      : request_(request),
        session_(request.train.session()),
        fits_a_trial_(request.folds ? request.folds->fits() : 1),
        prunes_(request.settled.prune.kind != Prune::kNone),
        over_folds_(request.settled.prune.kind == Prune::kWilcoxon),
        asked_(request.search, request.settled, StateOf(session_).options().catalogue),
        pruning_(request.settled.prune, over_folds_ ? 1 : fits_a_trial_),
        rule_(request.search.options(), request.settled.order),
        limit_(asked_.size()),
        clock_(StateOf(session_).folder(), request.search.options().seconds),
        table_(request.settled.order, request.settled.paths, request.settled.proposed.population) {
    SessionState& state = StateOf(session_);
    const int64_t fits = request.settled.proposed.count * fits_a_trial_;
    parallel_ = CountParallel(request.search, request.settled, state.options().engine, fits);
    // All gangs together observe the limit that one would have alone.
    memory_ = RowsMemory(state.options()) / parallel_;
  }

  Result<TrialsRun> Run() {
    {
      const std::jthread judging([this](const std::stop_token& over) { Judge(over); });
      std::vector<std::jthread> workers;
      for (int32_t i = 1; i < parallel_; ++i) workers.emplace_back([this] { Work(); });
      Work();
    }
    PT_TRY(end_);
    // A search that was cut off reuses them when it continues; after a finished one nobody needs
    // them.
    std::error_code ignored;
    const fs::path trials = StateOf(session_).folder() / "trials";
    fs::remove_all(trials / "rows", ignored);
    for (size_t i = 0; population() && i < asked_.size(); ++i) DropCheckpoints(FolderOf(trials, i));
    if (table_.best() == nullptr) return NoneDone();
    return TrialsRun{std::move(table_), ended_by_};
  }

 private:
  // A trial some of whose fits have begun.
  struct Open {
    std::map<int32_t, FitResult> results;  // By fold.
    int32_t running = 0;
    bool failed = false;
    std::stop_source prune;
    std::stop_source drop;
    int32_t compared = 0;  // wilcoxon: the folds that were reported, in their order.
  };
  struct Place {
    size_t trial = 0;
    int32_t fold = 0;
    const SettledTrial* settled = nullptr;
    std::stop_token prune;
    std::stop_token drop;
  };

  void Work() {
    while (const auto place = Next()) {
      Result<FitResult> result = RunFit(session_, RequestFor(*place));
      for (std::stop_source& each : Take(*place, std::move(result))) each.request_stop();
    }
  }

  // A thread of its own, because those that bring events must not wait, and because stopping a gang
  // from another's event could wait for that one.
  void Judge(const std::stop_token& over) {
    std::unique_lock lock(mutex_);
    while (reported_.wait(lock, over, [this] { return news_; })) {
      news_ = false;
      std::vector<std::stop_source> stopped = Settle();
      lock.unlock();
      for (std::stop_source& each : stopped) each.request_stop();
      lock.lock();
    }
  }

  // Waits until the results are there that the next trial learns from; trials that run end without
  // this one.
  std::optional<Place> Next() {
    std::unique_lock lock(mutex_);
    while (end_.ok()) {
      Place place{next_ / size_t(fits_a_trial_), int32_t(next_ % size_t(fits_a_trial_))};
      if (place.trial >= limit_) return std::nullopt;
      if (!asked_.Ready(place.trial)) {
        ended_.wait(lock);
        continue;
      }
      if (place.fold == 0 && clock_.IsOver(place.trial)) {
        EndAt(place.trial, "seconds");
        return std::nullopt;
      }
      ++next_;
      if (place.fold > 0 && !open_.contains(place.trial)) continue;  // It is over.
      if (place.fold == 0) Begin(place.trial);
      Open& open = open_[place.trial];
      const AskedTrial& asked = asked_.At(place.trial);
      if (!asked.settled) {
        open.failed = true;
        pruning_.End(place.trial, 0, true);
        (void)Settle();  // Those to be stopped are named again when the news is judged.
        news_ = true;
        reported_.notify_one();
        continue;
      }
      if (open.failed || open.prune.stop_requested()) continue;
      ++open.running;
      place.settled = &*asked.settled;
      place.prune = open.prune.get_token();
      place.drop = open.drop.get_token();
      return place;
    }
    return std::nullopt;
  }

  void Begin(size_t trial) {
    open_[trial];
    const AskedTrial& asked = asked_.At(trial);
    if (asked.settled) {
      pruning_.Expect(trial, over_folds_ ? fits_a_trial_ : asked.settled->steps);
    }
    StateOf(session_).call().Send(TrialStarted{.trial = int64_t(trial) + 1,
                                               .trials = request_.settled.proposed.count,
                                               .values = ValuesText(asked.values)});
  }

  FitRequest RequestFor(const Place& place) {
    const SettledTrial& trial = *place.settled;
    const std::optional<Folds>& folds = request_.folds;
    const auto trials = StateOf(session_).folder() / "trials";
    const auto folder = FolderOf(trials, place.trial);
    const std::string folder_of_fold = fmt::format("fold-{:02}", place.fold + 1);
    FitRequest request{.pipeline = trial.pipeline,
                       .estimator = trial.estimator,
                       .learning = folds ? folds->Learning(place.fold) : request_.train.plan(),
                       .held_out = folds ? folds->HeldOut(place.fold) : nullptr,
                       .metric = request_.settled.metric(),
                       .folder = folds ? folder / folder_of_fold : folder,
                       .learned = trials / "learned",
                       .rows_memory_bytes = memory_,
                       .shared_rows = {trials / "rows", RowsMemory(StateOf(session_).options())},
                       .prune = place.prune,
                       .drop = place.drop};
    if (request_.settled.order.measures()) request.also = request_.settled.order.Names();
    const auto earlier = request_.settled.known.FolderOf(trial.values);
    if (earlier && request_.same_files) {
      request.earlier = folds ? *earlier / folder_of_fold : *earlier;
    }
    if (population()) AskForCheckpoints(place.trial, trials, request);
    if (!prunes_ || over_folds_) return request;
    request.follow = [this, trial = place.trial, fold = place.fold](int64_t step, double value) {
      const std::lock_guard lock(mutex_);
      pruning_.Report(trial, fold, step, value);
      news_ = true;
      reported_.notify_one();
    };
    return request;
  }

  const Population* population() const { return request_.settled.proposed.population.get(); }

  static fs::path FolderOf(const fs::path& trials, size_t trial) {
    return trials / fmt::format("{:03}", trial + 1);
  }

  // A trial of a population goes on from its parent. Its curve must be whole, since it is compared
  // by the last value.
  void AskForCheckpoints(size_t trial, const fs::path& trials, FitRequest& request) {
    const std::lock_guard lock(mutex_);
    const auto& parent = asked_.At(trial).parent;
    if (parent) request.parent = FolderOf(trials, *parent);
    request.keeps_checkpoints = trial + size_t(population()->members()) < asked_.size();
    request.follow = [](int64_t, double) {};
  }

  // Nothing goes on from the generation before one that is over.
  void DropParents() {
    const auto members = size_t(population()->members());
    const size_t whole = asked_.FirstOpen() / members;  // Generations that are over.
    const fs::path trials = StateOf(session_).folder() / "trials";
    for (size_t i = whole < 2 ? 0 : (whole - 2) * members; i + members < whole * members; ++i) {
      DropCheckpoints(FolderOf(trials, i));
    }
  }

  // Returns what is to be stopped, without the lock.
  std::vector<std::stop_source> Take(const Place& place, Result<FitResult> result) {
    const std::lock_guard lock(mutex_);
    Open& open = open_[place.trial];
    --open.running;
    if (!result.ok() && open.drop.stop_requested() && IsStop(result.status())) {
      return Settle();
    }
    if (!result.ok()) {
      if (end_.ok()) end_ = WithFewerGangs(result.status());
      ended_.notify_all();
      return {};
    }
    if (!result->pruned) {
      open.failed = open.failed || !result->value;
      if (!over_folds_) pruning_.End(place.trial, place.fold, !result->value);
    }
    open.results[place.fold] = *std::move(result);
    if (over_folds_) ReportFolds(place.trial, open);
    return Settle();
  }

  // Folds end in any order, and are compared in that of their numbers.
  void ReportFolds(size_t trial, Open& open) {
    for (; open.compared < fits_a_trial_; ++open.compared) {
      const auto next = open.results.find(open.compared);
      if (next == open.results.end() || next->second.pruned) return;
      if (!next->second.value) return pruning_.End(trial, 0, true);
      pruning_.Report(trial, 0, open.compared + 1, *next->second.value);
    }
    pruning_.End(trial, 0, false);
  }

  static bool IsStop(const Status& status) { return FaultOf(status).exit == Exit::kStopped; }

  // Ends the trials that are over; returns those that are to be stopped.
  std::vector<std::stop_source> Settle() {
    std::vector<std::stop_source> stopped;
    if (prunes_) pruning_.Judge();
    for (auto each = open_.begin(); each != open_.end();) {
      auto& [trial, open] = *each;
      if (trial >= limit_) {
        if (open.running == 0) {
          each = open_.erase(each);
        } else {
          stopped.push_back(open.drop);
          ++each;
        }
        continue;
      }
      const PrunedAt* at = pruning_.StoppedAt(trial);
      if (at != nullptr && open.running > 0) stopped.push_back(open.prune);
      if (!IsOver(trial, open)) {
        ++each;
        continue;
      }
      End(trial, open, at);
      each = open_.erase(each);
    }
    return stopped;
  }

  bool IsOver(size_t trial, const Open& open) const {
    if (open.running > 0) return false;
    if (pruning_.StoppedAt(trial) != nullptr) return true;
    if (prunes_ && !pruning_.Decided(trial)) return false;
    return open.failed || int32_t(open.results.size()) == fits_a_trial_;
  }

  void End(size_t index, const Open& open, const PrunedAt* pruned) {
    const AskedTrial& asked = asked_.At(index);
    const RowRequest request{request_.settled, request_.folds, int64_t(index) + 1, asked};
    double seconds = 0;
    for (const auto& [fold, result] : open.results) seconds += result.seconds;
    const TrialRow row = !asked.settled      ? RowOfRefused(request)
                         : pruned != nullptr ? RowOfPruned(request, *pruned, seconds)
                                             : RowOfFits(request, open.results);
    if (!row.failed.ok()) errors_.emplace(row.trial.number, row.failed);
    asked_.Tell(index, row.outcome);
    if (population()) DropParents();
    table_.Add(row.trial);
    if (clock_.limited()) table_.SetElapsed(clock_.Elapsed());
    rule_.Take(row.trial);
    if (rule_.last() && size_t(*rule_.last()) < limit_) EndAt(size_t(*rule_.last()), rule_.why());
    const Status saved = table_.Save(StateOf(session_).folder());
    if (!saved.ok() && end_.ok()) end_ = saved;
    ended_.notify_all();
    ReportEnded(row.trial);
  }

  // The trials from `limit` on do not count, whether they have begun or not.
  void EndAt(size_t limit, const std::string& why) {
    limit_ = std::min(limit_, limit);
    ended_by_ = why;
    table_.DropAbove(int64_t(limit_));
    std::erase_if(errors_, [&](const auto& each) { return each.first > int64_t(limit_); });
    ended_.notify_all();
    news_ = true;
    reported_.notify_one();
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

  void ReportEnded(const Trial& trial) {
    TrialEnded event{.trial = trial.number,
                     .trials = request_.settled.proposed.count,
                     .values = ValuesText(trial.values),
                     .state = fields::Write(trial.state).get<std::string>(),
                     .metric = request_.settled.metric(),
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

  Status NoneKeeps(const Trial& nearest) const {
    return Fail(
        {.what = fmt::format("none of {} trials keeps what is required; trial {} comes nearest: {}",
                             table_.trials().size(), nearest.number, nearest.error),
         .where = "search.require",
         .fix = "loosen it and begin a new run with  search.from = \"" +
                StateOf(session_).folder().string() +
                "\", which takes over these trials, or search a space with better ones",
         .kept = "trials.json has the values of each"});
  }

  Status NoneDone() {
    if (const Trial* nearest = NearestOf(table_.trials())) return NoneKeeps(*nearest);
    const auto& [number, status] = *errors_.begin();
    Fault fault = FaultOf(status);
    const size_t all = table_.trials().size(), failed = errors_.size();
    if (all == 1) return status;
    fault.what = failed == all
                     ? fmt::format("all {} trials failed, the first of them: {}", all, fault.what)
                     : fmt::format(
                           "no trial finished: {} were pruned, {} failed, the first "
                           "of them: {}",
                           all - failed, failed, fault.what);
    if (fault.kept.empty()) fault.kept = "trials.json has the error of each";
    return Fail(std::move(fault));
  }

  const TrialsRequest& request_;
  Session& session_;
  const int32_t fits_a_trial_;
  const bool prunes_;
  const bool over_folds_;  // Folds are compared, not what is measured within them.
  int32_t parallel_ = 1;
  int64_t memory_ = 0;
  std::mutex mutex_;               // Guards all below; held while events are sent, one at a time.
  std::condition_variable ended_;  // A trial, or the search.
  std::condition_variable_any reported_;
  bool news_ = false;  // Something was reported since it was last judged.
  size_t next_ = 0;    // The fit to start next: trial by trial, fold by fold.
  std::map<size_t, Open> open_;
  AskedTrials asked_;
  Pruning pruning_;
  EndRule rule_;
  size_t limit_;          // Trials from here on do not count.
  std::string ended_by_;  // Why it is less than the search's; empty: it is not.
  SearchClock clock_;
  TrialTable table_;
  std::map<int64_t, Status> errors_;  // By the trial's number.
  Status end_;                        // What ends the search early.
};

}  // namespace

Result<TrialsRun> RunTrials(const TrialsRequest& request) { return TrialRunner(request).Run(); }

}  // namespace protium
