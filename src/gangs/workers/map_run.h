// SPDX-License-Identifier: Apache-2.0
// One run of a MapTask on this machine: one attempt of a gang, or all partitions of a task without
// a gang.
//
// Three threads: one feeds batches to members (feeder.h), one watches members, and the caller's
// takes what they emit (run_output.h). What they share guards itself: the list of members
// (members.h), the feeder and the output.
//
// 1. A gang's members all start at once; without a gang there is one at first, and another whenever
//    a batch is there and every member has one, up to `most`.
// 2. Whatever goes wrong is seen by the watching thread only, and ends the run: by then every
//    member is done or its process killed and reaped, and only then does Next() return the error.
// 3. After a success workers return to the pool; after anything else they are killed, since a task
//    may be stuck anywhere.
//
// The watching thread waits for members' channels and for their pidfds, reads what they said, and
// then asks four questions:
// 1. Is a member silent (watch.h)? Then it is replaced (replacing.h), the gang goes on without it
//    (run_membership.h), or the run fails.
// 2. Has the call been stopped? Then members are asked to end.
// 3. Did a member fail, or is the call's deadline over (ending.h)?
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
  // Starts the workers and the two threads; sends GangPlaced of a gang. `pool`
  // outlives the run. `input` is read and dropped by the feeding thread.
  static Result<std::unique_ptr<MapRun>> Start(Pool& pool, RunSpec spec, BatchStreamPtr input,
                                               const Call& call);
  // Ends every worker that is not done; waits for the threads, and so until the input's Next()
  // returns.
  ~MapRun();

  // Batches as they come, from whichever member; nullptr when all are done; an error as soon as the
  // run has failed, without the batches that are still queued. One thread.
  Result<std::shared_ptr<arrow::RecordBatch>> Next() { return output_.Next(); }
  // How the run ended; valid once Next() returned an error or nullptr.
  AttemptResult end() const { return output_.end(); }

 private:
  MapRun(Pool& pool, RunSpec spec, const Call& call);
  Status StartGang();
  Result<std::unique_ptr<Worker>> TakeWorker(const MemberPlace& place);
  Result<Member*> Hire(const MemberPlace& place, const std::vector<UniqueFd>& peers);
  // Without a gang: one member more, up to `most`. The feeding thread's.
  Status Grow();
  // Makes the watching thread look at once.
  void Wake();

  // The watching thread.
  void WatchAll();
  // Waits for anything to happen, a quarter of a beat at most, and looks at what did.
  void Round();
  // Of the members that were watched, those that can be read or have ended.
  void ReadAll(const std::vector<Member*>& watched);
  void Drain(Member& member);
  void HearTheRest();
  // One message of a member.
  void HandleFrame(Member& member, Frame frame);
  void OnDone(Member& member, const Frame& frame);
  void Ended(Member& member);
  void CheckSilence();
  // The member's process has ended or is silent.
  void LoseOrReplace(Member& member, RankFailure failure);
  // The member is lost: a failure of the run, unless the gang is elastic.
  void Lose(RankFailure failure, const Member& member);
  // Those that the others may wait for.
  std::vector<Member*> Awaited() const;
  void CheckStop();
  bool IsOver();
  AttemptResult Outcome();
  void Finish();

  Pool& pool_;
  const RunSpec spec_;
  const Call call_;
  UniqueFd wake_;
  Members members_;
  Feeder feeder_;
  RunOutput output_;
  std::atomic<bool> cancelled_ = false;  // The run is being destroyed: nobody wants its result.

  // Of the watching thread.
  Ending ending_;
  Watch watch_;
  Replacing replacing_;
  std::optional<RunMembership> membership_;  // Of an elastic gang.

  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  std::jthread watching_;
  std::jthread feeding_;
};

}  // namespace protium
