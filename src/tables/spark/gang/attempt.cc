// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/attempt.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "os/fd.h"
#include "os/file.h"
#include "protium/events.h"
#include "spark/ship/deployment.h"
#include "spark_worker/error_text.h"

// Two threads: the caller's reads the job's result, RankWatch's does the rest every kTick.
// 1. It changes the driver's file every second; ranks that see no change end themselves.
// 2. It reads what ranks appended to their event files, notes their starts and ends, and passes
//    everything else on.
// 3. When the call is to stop it writes the stop file. It interrupts the job only if that does not
//    end it within kStopTime, or if a rank has not started yet and so cannot see the file.
// When the job has ended, Judge() reads the last events, waits up to kLastWords for ranks that have
// not reported their end, and decides on the cause.

namespace protium {
namespace {

// How quickly events and stops are noticed.
constexpr auto kTick = std::chrono::milliseconds(50);
constexpr size_t kKeyBytes = 32;

Result<std::string> NewKey() {
  std::string key(kKeyBytes, '\0');
  const ssize_t got = ::getrandom(key.data(), key.size(), 0);
  if (got != ssize_t(key.size())) return SystemFault("make a key", errno);
  return key;
}

// Follows the ranks in a thread of its own, until Judge() joins it; after that, one thread uses it.
class RankWatch {
 public:
  RankWatch(const SparkCommand& command, const WaitTerms& terms,
            std::shared_ptr<TransitFolder> meeting, const Call& call)
      : command_(command),
        terms_(terms),
        meeting_(std::move(meeting)),
        call_(call),
        tail_(command.events),
        seen_(command.task, command.world, terms, command.role),
        thread_([this](const std::stop_token& ended) { Watch(ended); }) {}

  // Stops the job's own call: not the caller's token, so that ranks can first end cleanly.
  std::stop_token job_stop() const { return job_.get_token(); }

  // Call it only after Judge().
  std::optional<RowSums> RowsRead() const { return seen_.RowsRead(); }

  AttemptResult Judge(const Status& status, const std::optional<RankFailure>& told,
                      std::optional<int32_t> named) {
    thread_.request_stop();
    thread_.join();
    const Status brought = meeting_ ? meeting_->Exchange() : Status::OK();
    ReadEvents();
    // Without what the ranks have made, their success is worth nothing.
    if (status.ok() && !brought.ok()) return {brought, true};
    const auto latest =
        Clock::now() + (meeting_ ? kLastWordsInTransit : Clock::duration(kLastWords));
    while (!status.ok() && !seen_.AllEndedBut(named) && Clock::now() < latest) {
      std::this_thread::sleep_for(kTick);
      ReadEvents();
    }
    // A rank that failed by itself while it was asked to stop is still reported.
    if (!status.ok() && call_.stop.stop_requested() && !seen_.AnyFault()) {
      return {Fail({.exit = Exit::kStopped, .what = "task \"" + command_.task + "\" was stopped"}),
              false};
    }
    return seen_.Judge(status, told, named);
  }

 private:
  void Watch(const std::stop_token& ended) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, ended, kTick, [&] { return ended.stop_requested(); })) {
      ShowLife();
      ReadEvents();
      CheckWaits();
      CheckStop();
    }
  }

  void ShowLife() {
    const auto now = Clock::now();
    if (now < next_sign_) return;
    next_sign_ = now + kSignTime;
    // If the folder cannot be written, ranks fail on it themselves, with their host's name.
    (void)tail_.ShowLife();
  }

  void ReadEvents() {
    auto events = tail_.Read();
    // The end of the job will give the reason.
    if (!events.ok()) return;
    for (TailedLine& each : *events) {
      if (!seen_.On(each)) Forward(each, call_);
    }
    if (told_ || !seen_.AllStarted()) return;
    told_ = true;
    call_.Send(GangPlaced{.task = command_.task,
                          .role = command_.role,
                          .attempt = command_.attempt,
                          .ranks = seen_.StartTable()});
  }

  void CheckWaits() {
    if (!told_ || call_.stop.stop_requested()) return;
    for (const LateRank& each : FindLate(seen_.Watched(), terms_, Clock::now())) {
      const SeenRank& late = seen_.At(each.late.rank);
      (void)tail_.AskWhere(late.task);
      call_.Send(LateWarning(each, late, terms_));
    }
  }

  void CheckStop() {
    const auto now = Clock::now();
    const bool late = now >= call_.deadline;
    if (!call_.stop.stop_requested() && !late) return;
    if (!asked_) {
      asked_ = now;
      (void)tail_.AskToStop();
    }
    if (late || now - *asked_ > kStopTime || !seen_.AllStarted()) job_.request_stop();
  }

  const SparkCommand& command_;
  const WaitTerms terms_;
  const std::shared_ptr<TransitFolder> meeting_;  // May be null.
  const Call& call_;
  EventTail tail_;
  RanksSeen seen_;
  Clock::time_point next_sign_{};
  bool told_ = false;
  // When the stop file was written.
  std::optional<Clock::time_point> asked_;
  std::stop_source job_;
  std::jthread thread_;
};

Result<arrow::RecordBatchVector> RunJob(SparkSession& session, const connect::Relation& relation,
                                        const ExecuteOptions& options, const Call& call) {
  PT_LET(const auto stream, session.Execute(relation, options, call));
  return Collect(*stream);
}

// Returns the rank that Spark names as the one that failed the stage, in the message or one of its
// causes.
std::optional<int32_t> PartitionIn(const SparkError& error) {
  if (const auto partition = FailedPartition(error.message)) return partition;
  for (const SparkCause& cause : error.causes) {
    if (const auto partition = FailedPartition(cause.message)) return partition;
  }
  return std::nullopt;
}

// If a task before the barrier is rerun, Spark may send its rows twice, or send others if their
// order is not fixed. Ranks that read such rows must not count as having read the table.
Status CheckRows(const GangAttempt& attempt, const ObservedMetrics& observed,
                 const std::optional<RowSums>& read) {
  const auto found = observed.find(attempt.observed);
  if (!read || found == observed.end()) return Status::OK();
  PT_LET(const RowSums expected, RowSumsFromJson(found->second));
  if (*read == expected) return Status::OK();
  return Fail(
      {.what = fmt::format("the ranks read {} rows with hashes that add up to {}, and Spark "
                           "sent {} with {}",
                           read->rows, read->hashes, expected.rows, expected.hashes),
       .why = "tasks that Spark retried gave different rows than before",
       .fix = "set engine.spark.rows=files"});
}

}  // namespace

Result<SparkCommand> OpenAttempt(const GangAttempt& attempt) {
  SparkCommand command = attempt.command;
  PT_LET(command.key, NewKey());
  PT_TRY(MakeFolder(command.events));
  if (attempt.meeting) {
    PT_TRY(attempt.meeting->Exchange());
    attempt.meeting->Start();
  }
  return command;
}

GangOutcome RunGangAttempt(SparkSession& session, const GangAttempt& attempt, const Call& call) {
  const auto fail = [](const Status& status) { return GangOutcome{{status, false}, {}}; };
  const auto command = OpenAttempt(attempt);
  if (!command.ok()) return fail(command.status());
  const auto relation = attempt.relation(*command);
  if (!relation.ok()) return fail(relation.status());
  RankWatch watch(*command, SparkWaitTerms(command->deadline, attempt.replaces_hung),
                  attempt.meeting, call);
  // The watch has the call's stop and deadline; the job must outlast both until the ranks have
  // ended.
  Call job = call;
  job.stop = watch.job_stop();
  job.deadline = kNever;
  std::optional<RankFailure> told;
  std::optional<int32_t> named;
  ExecuteOptions options = attempt.options;
  options.observed = std::make_shared<ObservedMetrics>();
  bool failed_there = false;
  options.explain = [&](const SparkError& error) {
    failed_there = !connect::IsServerStopped(error);
    told = FailureFromWorkerText(error.WorkerText());
    named = PartitionIn(error);
    return attempt.options.explain(error);
  };
  auto batches = RunJob(session, *relation, options, job);
  // Without its server or session, no attempt can follow, and what ranks report about it is no
  // cause.
  const bool lost = !batches.ok() && !failed_there && !call.stop.stop_requested();
  if (lost || LacksProgram(batches.status())) return fail(batches.status());
  const AttemptResult result = watch.Judge(batches.status(), told, named);
  if (!result.status.ok()) return {result, {}};
  const Status rows = CheckRows(attempt, *options.observed, watch.RowsRead());
  if (!rows.ok()) return {{rows, true}, {}};
  return {result, *std::move(batches)};
}

}  // namespace protium
