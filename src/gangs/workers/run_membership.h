// SPDX-License-Identifier: Apache-2.0
// The members of an elastic gang: what they say about it goes to the BendingGang
// (gang/bending.h), whose crew this is. It starts newcomers, calls members to generations, keeps
// the parts that they share, and ends those that are not needed any more.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "gang/bending.h"
#include "gang/membership.h"
#include "workers/ending.h"
#include "workers/gang_seats.h"
#include "workers/members.h"
#include "workers/watch.h"

namespace protium {

// The watching thread's.
class RunMembership final : private Crew {
 public:
  // The rest of the run; all of it outlives the membership.
  struct Run {
    const RunSpec& spec;
    const protium::Call& call;
    Members& members;
    Watch& watch;
    Ending& ending;
  };
  // Starts a newcomer; nullptr: the run is over.
  using Hire = std::function<Result<Member*>(MemberPlace)>;

  RunMembership(const Run& run, Hire hire);

  // A message of a member's.
  void Heard(Member& member, Frame frame);
  // It is done.
  void Finished(const Member& member);
  // It is lost, and the gang goes on without it if it can.
  void Lost(RankFailure failure) { gang_.Lost(std::move(failure)); }
  // Its death counts against its seat, which is given back where its devices go into quarantine and
  // another one can be had, or the gang can do without.
  void CountLoss(const RankFailure& failure) override;
  // Time has passed.
  void Look(Clock::time_point now);
  // When Look() is due at the latest.
  Deadline due() const { return gang_.due(); }

  // It has the weights; what keeps others from coming in is no failure of those who are.
  bool HasEntered(const Member& member) const { return gang_.HasEntered(member.rank()); }
  // It is in the newest generation: a newcomer that prepares itself keeps nobody waiting.
  bool IsIn(const Member& member) const;
  // What members died of since the gang last got a step further.
  const std::vector<RankFailure>& losses() const { return gang_.losses(); }

 private:
  void KeepPart(const Member& member, Frame frame);
  void SendParts(const Member& member) const;
  void GiveBackSeats();
  std::set<int32_t> TakenSeats() const;

  void Start(int32_t member) override;
  void Dismiss(int32_t member) override;
  Status Call(const Generation& generation, const std::vector<int32_t>& leaving,
              const std::string& why) override;
  bool IsDone(int32_t member) const override;
  // The end of a process is seen by itself, so one that lives and does not answer hangs.
  bool MayHang(int32_t) const override { return true; }
  RankFailure Describe(int32_t member, RankFailure::Kind kind, Status status) const override;
  void Fail(RankFailure failure) override;
  void GiveUp(std::vector<RankFailure> losses, const std::string& why) override;

  const Run run_;
  const Hire hire_;
  BendingGang gang_;
  GangSeats seats_;
  std::vector<SharedPart> parts_;  // By first rank.
  size_t shared_ = 0;              // So many have come.
  std::vector<int32_t> no_seat_;   // To be started once a seat is free.
};

}  // namespace protium
