// SPDX-License-Identifier: Apache-2.0
// The members of an elastic gang: passes their messages to the BendingGang (gang/bending.h), and is
// its crew. It starts newcomers, calls members to generations, stores the parts that they share,
// and ends those that are not needed any more.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "gang/bending.h"
#include "gang/membership.h"
#include "workers/ending.h"
#include "workers/gang_seats.h"
#include "workers/members.h"
#include "workers/watch.h"

namespace protium {

// Used by the watching thread.
class RunMembership final : private Crew {
 public:
  // The rest of the run; all of it must outlive the membership.
  struct Run {
    const RunSpec& spec;
    const protium::Call& call;
    Members& members;
    Watch& watch;
    Ending& ending;
  };
  // Starts a newcomer; returns nullptr if the run is over.
  using Hire = std::function<Result<Member*>(MemberPlace)>;

  RunMembership(const Run& run, Hire hire);

  // Handles a message of a member.
  void Heard(Member& member, Frame frame);
  // The member is done.
  void Finished(const Member& member);
  // A member is lost; the gang goes on without it if it can.
  void Lost(RankFailure failure);
  // Names the failure's rank, in a gang with fixed ranks, instead of the member.
  RankFailure ByRank(RankFailure failure) const;
  // Counts a death against the member's seat. If its devices go into quarantine, the seat is given
  // back, provided that another one can be had or the gang can do without.
  void CountLoss(const RankFailure& failure) override;
  // Time has passed.
  void Look(Clock::time_point now);
  // The latest time at which Look() is due.
  Deadline due() const { return gang_.due(); }

  // Whether it has the weights: what keeps a member from getting them is no failure of the others.
  bool HasEntered(const Member& member) const { return gang_.HasEntered(member.rank()); }
  // Whether it is in the newest generation: a newcomer that is still preparing keeps nobody
  // waiting.
  bool IsIn(const Member& member) const;
  // Causes of members' deaths since the gang last advanced by a step.
  const std::vector<RankFailure>& losses() const { return gang_.losses(); }

 private:
  void KeepPart(const Member& member, Frame frame);
  void SendParts(const Member& member) const;
  void GiveBackSeats();
  std::set<int32_t> TakenSeats() const;
  std::optional<MemberPlace> PlaceFor(int32_t member) const;
  bool Serves(int32_t member) const;
  void ReportTakers(const Generation& generation, const std::string& why);

  void Start(int32_t member) override;
  void Dismiss(int32_t member) override;
  Status Call(const Generation& generation, const std::vector<int32_t>& leaving,
              const std::string& why) override;
  bool IsDone(int32_t member) const override;
  // The end of a process is noticed directly, so one that lives and does not respond hangs.
  bool MayHang(int32_t) const override { return true; }
  RankFailure Describe(int32_t member, RankFailure::Kind kind, Status status) const override;
  void Fail(RankFailure failure) override;
  void GiveUp(std::vector<RankFailure> losses, const std::string& why) override;

  const Run run_;
  const Hire hire_;
  BendingGang gang_;
  GangSeats seats_;
  std::vector<SharedPart> parts_;  // By first rank.
  size_t shared_ = 0;              // Number of parts received.
  std::vector<int32_t> ranks_;     // The members of the generation called last, by rank.
  std::vector<int32_t> no_seat_;   // To be started as soon as a seat is free.
};

}  // namespace protium
