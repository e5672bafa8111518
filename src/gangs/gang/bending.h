// SPDX-License-Identifier: Apache-2.0
// The driver's side of an elastic gang, the same on every engine: reports from members go to the
// Roster (roster.h), and the engine's Crew carries out what the roster orders.
//
// 1. The loss of a member is no failure after all rows are shared: the survivors are called to the
//    next generation, and another member is started. The causes of the losses are stored in case
//    the roster gives up.
// 2. A collective call fails because of a death, a rank that hangs, or ranks that disagree. Members
//    report that it failed; if no death becomes known, the members that report nothing are the ones
//    that hang. If all members report it and blame others, the network between their hosts is cut:
//    the host with most members goes on, the other members are lost.
// 3. When a member is done, nobody is called any more, so nobody may wait for a call: if the result
//    is available, those that wait are sent away; without a result the attempt fails.
// 4. In a gang with fixed ranks a lost member's rank is another's at the next call.
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

// What an engine does with the members of an elastic gang. Members are identified by their number
// in the roster. All calls come from the thread that calls the BendingGang.
class Crew {
 public:
  virtual ~Crew() = default;
  // Starts a newcomer as soon as there is room for it.
  virtual void Start(int32_t member) = 0;
  // Ends a member that is lost or not needed any more, if its process still runs. A process that is
  // only stopped must not wake up and go on.
  virtual void Dismiss(int32_t member) = 0;
  // Sends `generation` to its members, and to `leaving`, members of the previous generation that
  // are not in this one.
  virtual Status Call(const Generation& generation, const std::vector<int32_t>& leaving,
                      const std::string& why) = 0;
  // Returns whether its task is done or it was dismissed.
  virtual bool IsDone(int32_t member) const = 0;
  // Returns whether it gives no signs of life, or whether signs of life prove nothing here: a death
  // would be known, so a member that does not respond hangs.
  virtual bool MayHang(int32_t member) const = 0;
  // A member is lost with this failure: the engine may leave out what it died on from now on.
  virtual void CountLoss(const RankFailure& failure) = 0;
  // Returns a failure of this member, with its host and devices.
  virtual RankFailure Describe(int32_t member, RankFailure::Kind kind, Status status) const = 0;
  // Makes the attempt fail, with `failure` among its failures.
  virtual void Fail(RankFailure failure) = 0;
  // Makes the attempt fail with the causes of its members' deaths or, if none died, with `why`.
  virtual void GiveUp(std::vector<RankFailure> losses, const std::string& why) = 0;
};

struct BendingSpec {
  RosterLimits limits;
  int32_t members = 1;       // In generation 0.
  double deadline = 60;      // How many seconds a member may keep the others waiting.
  bool replace_hung = true;  // A member that hangs is lost; otherwise the attempt fails.
  // The largest number of members possible at the moment; empty: as many as the limits allow.
  std::function<int32_t()> most;
  std::filesystem::path wish;  // File with the number of members that a user wants; empty: none.
};

// One thread. Sends RankLost, GangChanged and notes for users.
class BendingGang {
 public:
  // `crew` and `call` must outlive it.
  BendingGang(BendingSpec spec, Crew& crew, const protium::Call& call);

  // Reports from members.
  void Shared(int32_t member);
  void Prepared(int32_t member);
  void Entered(int32_t member, int64_t generation, int64_t step);
  void Notice(int32_t member);
  void CallFailed(int32_t member, int64_t generation, const Status& status);
  void Finished(int32_t member);
  // The crew could not start this newcomer.
  void NotStarted(int32_t member);
  // `failure.rank` is the member that will not come back. The attempt fails unless the gang can go
  // on.
  void Lost(RankFailure failure);
  // Time has passed: reads the wished size, settles doubts.
  void Look();
  // When Look() is due; kNever: nothing waits.
  Deadline due() const { return std::min(doubted_, roster_.due()); }

  // Whether the member has the weights and is or was in the gang.
  bool HasEntered(int32_t member) const { return entered_.contains(member); }
  bool bends() const { return roster_.bends(); }    // All rows are shared.
  bool closed() const { return roster_.closed(); }  // Nothing changes any more.
  bool fixed() const { return spec_.limits.fixed_ranks; }
  // With fixed ranks, that of a member of the newest generation; else its number.
  int32_t RankOf(int32_t member) const;
  const Generation& newest() const { return roster_.newest(); }
  // Members without which a closed gang does not end. A newcomer that was called but never entered
  // is not one of them.
  std::vector<int32_t> Needed() const;
  // Causes of members' deaths since the gang last advanced by a step, with their ranks where these
  // are fixed. If all failures of an attempt are about other ranks, these are what they follow
  // from.
  const std::vector<RankFailure>& losses() const { return losses_; }

 private:
  bool HasResult() const;
  void LeaveBehind(int32_t member, const Status& status);
  void SendAwayAll();
  void ReportLoss(const RankFailure& failure);
  void ReportShort();
  void SettleDoubts();
  void ForgetDoubts();
  bool LeaveCutOff(const std::vector<RankFailure>& doubts);
  void ReadWish();
  void WantAllowed();
  void Obey();
  void CallTo(const Generation& generation);
  void ReportChange(const Generation& generation);
  void End(const std::string& why);

  const BendingSpec spec_;
  Crew& crew_;
  const protium::Call& call_;
  Roster roster_;
  std::set<int32_t> entered_;
  std::vector<RankFailure> losses_;  // Survived since the gang reached `furthest_`.
  int64_t furthest_ = -1;            // The furthest step.
  bool short_ = false;               // Too few members are left, and this was reported.
  std::vector<RankFailure> doubts_;  // Collective calls that failed in the newest generation,
  Deadline doubted_ = kNever;        // and until when a death that explains them should be known.
  std::vector<int32_t> calling_;     // The members of the generation called last.
  std::string why_;                  // Of the next change, for the user.
  std::filesystem::file_time_type wished_{};
  int32_t wanted_ = 0;   // By the user; without a wish the limit.
  int32_t allowed_ = 0;  // What the roster received last.
};

}  // namespace protium
