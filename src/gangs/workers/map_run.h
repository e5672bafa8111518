// SPDX-License-Identifier: Apache-2.0
// One run of a MapTask on this machine: one attempt of a gang, or all partitions of a task without
// a gang.
//
// Three threads: one feeds batches to members (Feed), one watches members (Watch, in map_watch.cc),
// and the caller's takes what they emit (Next).
// 1. A gang's members all start at once; without a gang there is one at first, and another whenever
//    a batch is there and every member has one, up to `most`.
// 2. A batch goes to the member with room that was sent the fewest; a member has room while fewer
//    than kWindow of its batches are not taken (workers/slots.h).
// 3. Whatever goes wrong is seen by the watching thread only, and ends the run: by then every
//    member is done or its process killed and reaped, and only then does Next() return the error.
// 4. Without a gang a worker that is lost before it has taken a batch costs nothing: another one
//    gets what it was sent.
// 5. After a success workers return to the pool; after anything else they are killed, since a task
//    may be stuck anywhere.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "column/stream.h"
#include "gang/attempts.h"
#include "gang/bending.h"
#include "gang/membership.h"
#include "workers/member.h"

namespace protium {

class MapRun final : private Crew {
 public:
  // Starts the workers and the two threads; sends GangPlaced of a gang. `pool`
  // outlives the run. `input` is read and dropped by the feeding thread.
  static Result<std::unique_ptr<MapRun>> Start(Pool& pool, RunSpec spec, BatchStreamPtr input,
                                               const protium::Call& call);
  // Ends every worker that is not done; waits for the threads, and so until the input's Next()
  // returns.
  ~MapRun() override;

  // Batches as they come, from whichever member; nullptr when all are done; an error as soon as the
  // run has failed, without the batches that are still queued. One thread.
  Result<std::shared_ptr<arrow::RecordBatch>> Next();
  // How the run ended; valid once Next() returned an error or nullptr.
  AttemptResult end() const;

 private:
  // A batch of a member's that nobody has taken yet; it lies in the member's slot.
  struct Emitted {
    Member* member;
    Frame frame;
  };

  MapRun(Pool& pool, RunSpec spec, const protium::Call& call)
      : pool_(pool), spec_(std::move(spec)), call_(call) {}
  bool gang() const { return spec_.placement.has_value(); }
  Status StartGang();
  // Starts a member; `mutex_` is held.
  Status AddMember(const MemberPlace& place, const std::vector<UniqueFd>& peers);
  // The place of the next member; `mutex_` is held.
  MemberPlace NextPlace() const;
  // Makes the watching thread look at once.
  void Wake();

  // The feeding thread.
  void Feed(BatchStreamPtr input);
  Status FeedAll(BatchStream& input);
  // Sends a batch to a member; waits until one has room. False if nobody wants more.
  Result<bool> Deliver(const arrow::RecordBatch& batch);
  Member* WhoTakes() const;  // `mutex_` is held.
  bool AllDone() const;      // `mutex_` is held.

  // The watching thread.
  void Watch();
  // Waits for anything to happen, a quarter of a beat at most, and looks at what did.
  void Round();
  void Drain(Member& member);
  void HearTheRest();
  // One message of a member.
  void HandleFrame(Member& member, Frame frame);
  void Ended(Member& member);
  void OnDone(Member& member, const Frame& frame);
  // The member's process has ended or is silent.
  void LoseOrReplace(Member& member, RankFailure failure);
  // Gives the work of a worker that has taken none of it to another one (map_replace.cc). False: it
  // must not be, or could not.
  bool Replace(Member& member, const RankFailure& failure);
  Result<std::unique_ptr<Worker>> TakeWorker(int32_t seat);
  // The member is lost: a failure of the run, unless the gang bends.
  void Lose(Member& member, RankFailure failure);
  void LeaveSeat(Member& member, const RankFailure& failure);
  RankFailure Silence(const Member& member) const;
  void CheckSilence();
  // Nanoseconds on the clock that all members share.
  static int64_t Now();
  void CheckStop();
  std::string StillRunning() const;
  bool IsOver();
  void FindSilent();
  // Ranks that wait for others (map_hang.cc).
  std::vector<Member*> InGeneration() const;  // `mutex_` is held.
  void CheckWaits();
  void CheckQuiet();  // Without a gang.
  void FindHung();    // `mutex_` is held.
  // A rank that hangs counts as dead; otherwise the run ends.
  bool ReplacesHung() const { return !spec_.task.gang || spec_.task.gang->replace_hung; }
  AttemptResult Outcome();
  void Finish();

  // The watching thread of a gang that bends (map_bend.cc).
  void OnMembership(Member& member, Frame frame);
  void KeepPart(Member& member, Frame frame);
  void SendParts(const Member& member);
  void OnFinished(Member& member);
  void CheckMembership();
  std::optional<int32_t> FreeSeat() const;  // `mutex_` is held in these two.
  bool IsTaken(int32_t seat) const;
  // Asks for a seat more, now and then.
  void TakeSeat();
  // Seats beyond those of the least gang that nobody is to sit on.
  void GiveBackSeats();
  void Dismiss(Member& member);
  Member* FindMember(int32_t number) const;
  void Start(int32_t member) override;
  void Dismiss(int32_t member) override;
  Status Call(const Generation& generation, const std::vector<int32_t>& leaving,
              const std::string& why) override;
  bool IsDone(int32_t member) const override;
  // The end of a process is seen by itself, so one that lives and does not answer hangs.
  bool MayHang(int32_t) const override { return true; }
  void CountLoss(const RankFailure& failure) override {
    if (Member* const member = FindMember(failure.rank)) LeaveSeat(*member, failure);
  }
  RankFailure Describe(int32_t member, RankFailure::Kind kind, Status status) const override;
  void Fail(RankFailure failure) override;
  void GiveUp(std::vector<RankFailure> losses, const std::string& why) override;

  Pool& pool_;
  RunSpec spec_;  // Seats may be added to its placement, under `mutex_`; nothing else changes.
  const protium::Call call_;
  UniqueFd wake_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Member>> members_;
  std::deque<Emitted> emitted_;
  // Set when the input has ended: OK, or why reading or sending it failed.
  std::optional<Status> fed_;
  // The run is being destroyed: nobody wants its result.
  bool cancelled_ = false;
  // Workers are being given back or ended; `end_` is set afterwards.
  bool over_ = false;
  std::optional<AttemptResult> end_;

  // Of the watching thread.
  struct Bending {
    Bending(BendingSpec spec, Crew& crew, const protium::Call& call)
        : gang(std::move(spec), crew, call) {}
    BendingGang gang;
    std::vector<SharedPart> parts;  // By first rank.
    size_t shared = 0;              // So many have come.
    std::vector<int32_t> no_seat;   // To be started once a seat is free.
    std::set<int32_t> given_back;   // Seats.
    Clock::time_point asked{};      // When the last seat more was asked for.
  };
  std::optional<Bending> bend_;
  std::vector<RankFailure> failures_;
  // Set with the first failure: by then it is known who failed first.
  Deadline settled_ = kNever;
  // After a stop: when those that have not ended are killed.
  Deadline killed_ = kNever;
  // After a stop: when the user is told that it takes its time.
  Deadline told_stopping_ = kNever;

  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  std::jthread watching_;
  std::jthread feeding_;
};

}  // namespace protium
