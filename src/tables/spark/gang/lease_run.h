// SPDX-License-Identifier: Apache-2.0
// The loop of a lease (spark/gang/lease.h). Every 20 ms one thread checks what tasks have written,
// whose processes have ended, which jobs have ended, and the time. Jobs have threads of their own,
// which only wait for Spark.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gang/bending.h"
#include "spark/gang/lease.h"
#include "spark/gang/lease_jobs.h"
#include "spark/gang/lease_tasks.h"
#include "spark_worker/event_file.h"

namespace protium {

inline Clock::duration ToDuration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(seconds, 1e6)));
}

class GangLease final : private Crew {
 public:
  // The arguments must outlive it except `command`, which is opened (OpenAttempt), and `lines`,
  // through which the driver speaks to the tasks. `meeting` is the attempt's.
  GangLease(const LeaseSpec& spec, SparkCommand command, std::unique_ptr<EventFile> lines,
            std::shared_ptr<TransitFolder> meeting, const protium::Call& call)
      : spec_(spec),
        command_(std::move(command)),
        meeting_folder_(std::move(meeting)),
        call_(call),
        lines_(std::move(lines)),
        tail_(command_.events),
        tasks_(command_.role, command_.log),
        terms_(SparkWaitTerms(spec.gang.deadline, spec.gang.replace_hung)),
        jobs_([this](int32_t seat, const std::stop_token& stop) { return RunJob(seat, stop); }) {}

  // Call it once.
  GangOutcome Run();

 private:
  void Round();
  void Say(const Json& line) { lines_->Write(line); }
  void ShowLife();
  void CheckStop();
  bool AllDone() const;
  bool AnyAlive() const;
  bool IsOver() const;
  AttemptResult Outcome() const;
  GangOutcome Finish();
  Result<arrow::RecordBatchVector> CollectRows() const;
  void AwaitEnds();
  void RemoveRows() const;

  // Called on the threads of jobs.
  LeaseJobEnd RunJob(int32_t seat, const std::stop_token& stop) const;

  // What tasks report (lease_heard.cc).
  void ReadEvents();
  void OnMember(LeaseTask& task, const Json& event);
  void OnShared(const LeaseTask& task, const Json& event);
  void OnCard(const LeaseTask& task, const Json& event);
  void OnDone(LeaseTask& task, const Json& event);
  void OnGone(LeaseTask& task, const Status& why);
  void Lose(const LeaseTask& task, RankFailure::Kind kind, Status status);
  void OnJobEnd(const LeaseJobEnd& end);
  void ReportLate(const LeaseTask& task, const RankFailure& told) const;
  void OnVain(const LeaseJobEnd& end);
  void CheckSilence();
  std::vector<WatchedRank> Watched() const;
  void CheckWaits();
  void FindHung();

  // Who is which member (lease_seats.cc).
  bool IsLeftOut(const LeaseTask& task) const;
  void Gather();
  void Begin(const std::vector<LeaseTask*>& tasks);
  void Place(LeaseTask& task, int32_t member, bool newcomer);
  void SeatNewcomers();
  bool HasEnough() const;
  void Seat(LeaseTask& task);
  void Start(int32_t member) override { expected_.push_back(member); }
  void Dismiss(int32_t member) override;
  Status Call(const Generation& generation, const std::vector<int32_t>& leaving,
              const std::string& why) override;
  bool IsDone(int32_t member) const override;
  bool MayHang(int32_t member) const override;
  void CountLoss(const RankFailure& failure) override;
  RankFailure Describe(int32_t member, RankFailure::Kind kind, Status status) const override;
  void Fail(RankFailure failure) override;
  void GiveUp(std::vector<RankFailure> losses, const std::string& why) override;

  const LeaseSpec& spec_;
  const SparkCommand command_;
  const std::shared_ptr<TransitFolder> meeting_folder_;  // Null: tasks reach the folder of events.
  const protium::Call& call_;
  const std::unique_ptr<EventFile> lines_;
  EventTail tail_;
  LeaseTasks tasks_;
  const WaitTerms terms_;
  std::optional<BendingGang> gang_;          // Set for an elastic gang that has begun.
  int32_t began_ = 0;                        // Members at the start; 0: not begun yet.
  Clock::time_point came_;                   // When the last task started.
  std::optional<Clock::time_point> enough_;  // When the minimum was reached.
  std::vector<int32_t> expected_;            // Members that no task has become yet.
  std::map<int32_t, int64_t> shared_;        // By member, the number of files.
  Generation meeting_;                       // The generation whose cards are collected,
  std::map<int32_t, std::string> cards_;     // by member.
  std::vector<RankFailure> failures_;
  Deadline settled_ = kNever;  // By then it is known who failed first.
  std::optional<AttemptResult> fatal_;
  std::optional<Clock::time_point> asked_;  // When the stop file was written.
  Clock::time_point next_sign_{};
  LeaseJobs jobs_;  // Last, since its threads use the members above.
};

}  // namespace protium
