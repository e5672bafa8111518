// SPDX-License-Identifier: Apache-2.0
// One run of a MapTask: one attempt of a gang, or all partitions of a task without one.
//
// Three threads: one feeds batches to members, one watches members, and the caller's takes what
// they emit. Whatever goes wrong is seen by the watching one, which ends the run.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "column/stream.h"
#include "gang/attempts.h"
#include "local/workers/member.h"

namespace protium {

class MapRun {
 public:
  // Starts the workers (all ranks of a gang, otherwise one and more as batches come).
  static Result<std::unique_ptr<MapRun>> Start(Pool& pool, RunSpec spec, BatchStreamPtr input,
                                               const Call& call);
  // Ends every worker that is not done; waits until the input's Next() returns.
  ~MapRun();

  // Batches as they come from whichever worker; nullptr when all are done. One thread.
  Result<std::shared_ptr<arrow::RecordBatch>> Next();
  // How it ended; valid once Next() gave an error or nullptr.
  AttemptResult end() const;

 private:
  struct Emitted {
    Member* member;
    Frame frame;
  };

  MapRun(Pool& pool, RunSpec spec, const Call& call)
      : pool_(pool), spec_(std::move(spec)), call_(call) {}
  bool gang() const { return spec_.placement.has_value(); }
  Status StartGang();
  Status AddMember(const std::vector<UniqueFd>& peers);  // Next rank; `mutex_` is held.
  void Wake();

  // The feeding thread.
  void Feed(BatchStreamPtr input);
  Status FeedAll(BatchStream& input);
  Result<bool> Deliver(const arrow::RecordBatch& batch);
  Member* WhoTakes() const;  // `mutex_` is held.
  bool AllDone() const;      // `mutex_` is held.

  // The watching thread.
  void Watch();
  void Round();
  void Drain(Member& member);
  void Handle(Member& member, Frame frame);
  void Ended(Member& member);
  void OnDone(Member& member, const Frame& frame);
  void Fail(RankFailure failure);
  void CheckSilence();
  void CheckStop();
  std::string StillRunning() const;
  bool Over();
  void FindSilent();
  AttemptResult Outcome();
  void Finish();

  Pool& pool_;
  const RunSpec spec_;
  const Call call_;
  UniqueFd wake_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Member>> members_;
  std::deque<Emitted> emitted_;
  std::optional<Status> fed_;  // Set when the input has ended, or why it failed.
  bool cancelled_ = false;     // Nobody wants the result.
  bool over_ = false;          // Workers are being ended; then `end_` is set.
  std::optional<AttemptResult> end_;

  // Of the watching thread.
  std::vector<RankFailure> failures_;
  Deadline settled_ = kNever;        // By then it is known who failed first.
  Deadline killed_ = kNever;         // When those who do not stop are killed.
  Deadline told_stopping_ = kNever;  // When it is told that a stop takes its time.

  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  std::jthread watching_;
  std::jthread feeding_;
};

}  // namespace protium
