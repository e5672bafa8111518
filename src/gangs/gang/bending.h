// SPDX-License-Identifier: Apache-2.0
// The driver's side of an elastic gang, the same on every engine: what is heard of members goes
// to the Roster (roster.h), and what the roster orders is carried out by the engine's Crew.
//
// 1. A member that is lost once all rows are shared is no failure: survivors are called to the next
//    generation, and another member is started. What became of the lost ones is kept, in case the
//    roster gives up.
// 2. A collective call that failed has a death as its cause, or a rank that hangs, or ranks that
//    disagree. Members say that it failed; if nobody turns out to have died, those that say nothing
//    are the ones that hang. If all say it, and of others, the network between their hosts is cut:
//    the host with most of them goes on, the other members are lost.
// 3. When some member is done nobody is called any more, so nobody may wait for a call: with the
//    result there those that do are sent away, without it the attempt fails.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gang/failure.h"
#include "gang/roster.h"

namespace protium {

// What an engine does with the members of an elastic gang. Members go by their number in the
// roster. All calls come from the thread that tells the BendingGang.
class Crew {
 public:
  virtual ~Crew() = default;
  // Starts a newcomer, as soon as there is room for it.
  virtual void Start(int32_t member) = 0;
  // Ends a member that is lost or not needed any more, if its process still runs; one that is only
  // stopped must not wake up and go on.
  virtual void Dismiss(int32_t member) = 0;
  // Tells `generation` to its members, and to `leaving`, which were in the one before, that they
  // are not in it.
  virtual Status Call(const Generation& generation, const std::vector<int32_t>& leaving,
                      const std::string& why) = 0;
  // Its task is done, or it was dismissed.
  virtual bool IsDone(int32_t member) const = 0;
  // Whether it gives no sign of life, or signs of life say nothing: a death would be known, so one
  // that does not answer hangs.
  virtual bool MayHang(int32_t member) const = 0;
  // A member is lost, with this failure: what it died on may be left out from now on.
  virtual void CountLoss(const RankFailure& failure) = 0;
  // A failure of this member, with its place.
  virtual RankFailure Describe(int32_t member, RankFailure::Kind kind, Status status) const = 0;
  // The attempt fails, with this among its failures.
  virtual void Fail(RankFailure failure) = 0;
  // The attempt fails with what its members died of, or if nobody did with `why`.
  virtual void GiveUp(std::vector<RankFailure> losses, const std::string& why) = 0;
};

struct BendingSpec {
  RosterLimits limits;
  int32_t members = 1;       // Of generation 0.
  double deadline = 60;      // Seconds that a member may keep the others waiting.
  bool replace_hung = true;  // A member that hangs is lost; otherwise the attempt fails.
  // How many members there may be at the moment; empty: as many as the limits allow.
  std::function<int32_t()> most;
  std::filesystem::path wish;  // Where a person writes how many there should be; empty: nowhere.
};

// One thread. Sends RankLost, GangChanged and notes for people.
class BendingGang {
 public:
  // `crew` and `call` outlive it.
  BendingGang(BendingSpec spec, Crew& crew, const protium::Call& call);

  // What members said.
  void Shared(int32_t member);
  void Prepared(int32_t member);
  void Entered(int32_t member, int64_t generation, int64_t step);
  void Notice(int32_t member);
  void CallFailed(int32_t member, int64_t generation, const Status& status);
  void Finished(int32_t member);
  // A newcomer that the crew was to start, and could not.
  void NotStarted(int32_t member);
  // `failure.rank` is the member that will not come again. A failure of the attempt, unless the
  // gang can go on.
  void Lost(RankFailure failure);
  // Time has passed: reads the wish, settles doubts.
  void Look();
  // When Look() is due; kNever: nothing waits.
  Deadline due() const { return std::min(doubted_, roster_.due()); }

  // Members with the weights that are in the gang, or were.
  bool HasEntered(int32_t member) const { return entered_.contains(member); }
  bool bends() const { return roster_.bends(); }    // All rows are shared.
  bool closed() const { return roster_.closed(); }  // Nothing changes any more.
  const Generation& newest() const { return roster_.newest(); }
  // Members without which a gang that is closed does not end: a newcomer that was called, and never
  // came in, is none.
  std::vector<int32_t> Needed() const;
  // What members died of since the gang last got a step further. Where all that an attempt failed
  // with is about other ranks, this is what it follows from.
  const std::vector<RankFailure>& losses() const { return losses_; }

 private:
  bool HasResult() const;
  void LeaveBehind(int32_t member, const Status& status);
  void SendAwayAll();
  void TellShort();
  void SettleDoubts();
  void ForgetDoubts();
  bool LeaveCutOff(const std::vector<RankFailure>& doubts);
  void ReadWish();
  void WantAllowed();
  void Obey();
  void CallTo(const Generation& generation);
  void TellChange(const Generation& generation);
  void End(const std::string& why);

  const BendingSpec spec_;
  Crew& crew_;
  const protium::Call& call_;
  Roster roster_;
  std::set<int32_t> entered_;
  std::vector<RankFailure> losses_;  // That the gang bent around since it came to `furthest_`.
  int64_t furthest_ = -1;            // The step.
  bool short_ = false;               // It was told that too few are left.
  std::vector<RankFailure> doubts_;  // Collective calls that failed in the newest generation,
  Deadline doubted_ = kNever;        // and until when somebody should turn out to have died.
  std::vector<int32_t> calling_;     // The members of the generation called last.
  std::string why_;                  // Of the next change, for people.
  std::filesystem::file_time_type wished_{};
  int32_t wanted_ = 0;   // By a person; without a wish the limit.
  int32_t allowed_ = 0;  // What the roster was told last.
};

}  // namespace protium
