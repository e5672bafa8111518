// SPDX-License-Identifier: Apache-2.0
// One run of a MapTask on this machine: one attempt of a gang, or all partitions of a task without
// a gang.
//
// Three threads: one feeds batches to members (feeder.h), one watches members, and the caller's
// takes what they emit (run_output.h). What they share does its own locking: the list of members
// (members.h), the feeder and the output.
//
// 1. A gang's members all start at once; without a gang there is one at first, and another whenever
//    a batch is available and every member has one, up to `most`.
// 2. Only the watching thread sees failures. A failure ends the run: Next() returns the error when
//    every member is done or its process was killed and reaped, not before.
// 3. After a success workers are idle again; otherwise they are killed, since a task may be stuck
//    anywhere.
//
// The watching thread waits on members' channels and pidfds, reads their messages, and then checks:
// 1. Is a member silent (watch.h)? Then it is replaced (replacing.h), the gang goes on without it
//    (run_membership.h), or the run fails.
// 2. Was the call stopped? Then members are asked to end.
// 3. Did a member fail, or has the call's deadline passed (ending.h)?
// 4. Are all members done?
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "column/stream.h"
#include "gang/attempts.h"
#include "workers/ending.h"
#include "workers/feeder.h"
#include "workers/members.h"
#include "workers/replacing.h"
#include "workers/run_membership.h"
#include "workers/run_output.h"
#include "workers/watch.h"

namespace protium {

class MapRun {
 public:
  // Starts the workers and the two threads; sends GangPlaced for a gang. `idle` must outlive the
  // run. The feeding thread reads and destroys `input`.
  static Result<std::unique_ptr<MapRun>> Start(IdleWorkers& idle, RunSpec spec,
                                               BatchStreamPtr input, const Call& call);
  // Ends every worker that is not done; waits for the threads, and therefore until the input's
  // Next() returns.
  ~MapRun();

  // Returns batches of any member, in order if KeepsOrder(); nullptr when all are done; an error as
  // soon as the run has failed, dropping batches that are still queued. One thread.
  Result<std::shared_ptr<arrow::RecordBatch>> Next() { return output_.Next(); }
  // How the run ended; valid after Next() returned an error or nullptr.
  AttemptResult end() const { return output_.end(); }

 private:
  MapRun(IdleWorkers& idle, RunSpec spec, const Call& call);
  Status StartGang();
  Result<std::unique_ptr<Worker>> TakeWorker(const MemberPlace& place);
  Result<Member*> Hire(const MemberPlace& place, const std::vector<UniqueFd>& peers);
  // Without a gang: adds a member, up to `most`. On the feeding thread.
  Status Grow();
  // Makes the watching thread check at once.
  void Wake();

  // The body of the watching thread.
  void WatchAll();
  // Waits for anything to happen, a quarter of a beat at most, and handles what did.
  void Round();
  // Reads those of the watched members that can be read or have ended.
  void ReadAll(const std::vector<Member*>& watched);
  void Drain(Member& member);
  void HearTheRest();
  // Handles one message of a member.
  void HandleFrame(Member& member, Frame frame);
  void OnDone(Member& member, const Frame& frame);
  void Ended(Member& member);
  void CheckSilence();
  // The member's process has ended or is silent.
  void LoseOrReplace(Member& member, RankFailure failure);
  // The member is lost: the run fails, unless the gang is elastic.
  void Lose(RankFailure failure, const Member& member);
  // Members that the others may wait for.
  std::vector<Member*> Awaited() const;
  void CheckStop();
  bool IsOver();
  AttemptResult Outcome();
  void Finish();

  IdleWorkers& idle_;
  const RunSpec spec_;
  const Call call_;
  UniqueFd wake_;
  Members members_;
  RunOutput output_;
  Feeder feeder_;
  std::atomic<bool> cancelled_ = false;  // The run is being destroyed: nobody wants its result.

  // Used by the watching thread.
  Ending ending_;
  Watch watch_;
  Replacing replacing_;
  std::optional<RunMembership> membership_;  // Of an elastic gang.

  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  std::jthread watching_;
  std::jthread feeding_;
};

}  // namespace protium
