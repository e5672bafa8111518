// SPDX-License-Identifier: Apache-2.0
// What a driver does for an elastic gang, with a crew that only records its calls.
#include "gang/bending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/fault.h"
#include "gang/gang_member.h"

namespace protium {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Status Remote() { return Fail({.exit = Exit::kRemote, .what = "the gang changes"}); }

class NotingCrew : public Crew {
 public:
  void Start(int32_t member) override { started.push_back(member); }
  void Dismiss(int32_t member) override {
    dismissed.push_back(member);
    done.insert(member);
  }
  Status Call(const Generation& generation, const std::vector<int32_t>&,
              const std::string&) override {
    called = generation;
    return Status::OK();
  }
  bool IsDone(int32_t member) const override { return done.contains(member); }
  bool MayHang(int32_t) const override { return true; }
  void CountLoss(const RankFailure&) override {}
  RankFailure Describe(int32_t member, RankFailure::Kind kind, Status status) const override {
    return {.kind = kind, .rank = member, .host = "a", .status = std::move(status)};
  }
  void Fail(RankFailure failure) override { failures.push_back(std::move(failure)); }
  void GiveUp(std::vector<RankFailure> losses, const std::string&) override { given_up = losses; }

  std::vector<int32_t> started, dismissed;
  std::set<int32_t> done;
  Generation called;
  std::vector<RankFailure> failures, given_up;
};

class Bends : public testing::Test {
 protected:
  // All of them have shared their rows.
  BendingGang& Make(int32_t members, RosterLimits limits) {
    gang_.emplace(BendingSpec{.limits = limits, .members = members}, crew_, call_);
    for (int32_t each = 0; each < members; ++each) gang_->Shared(each);
    return *gang_;
  }
  void Finish(int32_t member) {
    crew_.done.insert(member);
    gang_->Finished(member);
  }
  void Lose(int32_t member) {
    crew_.done.insert(member);
    gang_->Lost(crew_.Describe(member, RankFailure::Kind::kEnded,
                               Fail({.what = "was killed", .why = "memory ran out"})));
  }
  bool Notes(const std::string& part) const {
    return std::ranges::any_of(told_, [&](const Json& each) {
      const std::string message = each.value("message", "");
      return each["event"] == "note" && message.find(part) != std::string::npos;
    });
  }

  NotingCrew crew_;
  std::vector<Json> told_;
  Call call_{.events = [this](const Json& event) { told_.push_back(event); }};
  std::optional<BendingGang> gang_;
};

TEST_F(Bends, DoesWithoutANewcomerThatCameTooLate) {
  BendingGang& gang = Make(1, {.min = 1, .max = 2});
  ASSERT_THAT(crew_.started, ElementsAre(1));
  gang.Prepared(1);
  ASSERT_THAT(crew_.called.members, ElementsAre(0, 1));
  Finish(0);
  EXPECT_TRUE(gang.closed());
  EXPECT_THAT(gang.Needed(), ElementsAre(0));
}

// It waits for a call, and none follows.
TEST_F(Bends, SendsAwayWhoIsLeftBehindOnceTheResultIsThere) {
  BendingGang& gang = Make(3, {.min = 1, .max = 3});
  Finish(0);
  gang.CallFailed(2, 0, Remote());
  EXPECT_THAT(crew_.dismissed, Contains(2));
  EXPECT_THAT(crew_.failures, IsEmpty());
}

TEST_F(Bends, FailsWhereWhoIsLeftBehindWasToGiveTheResult) {
  BendingGang& gang = Make(2, {.min = 1, .max = 2});
  Finish(1);
  gang.CallFailed(0, 0, Remote());
  ASSERT_EQ(crew_.failures.size(), 1u);
  EXPECT_EQ(crew_.failures[0].rank, 0);
}

TEST_F(Bends, KnowsWhatItsMembersDiedOfUntilItGetsFurther) {
  BendingGang& gang = Make(3, {.min = 1, .max = 3, .fruitless = 3});
  Lose(1);
  std::vector<RankFailure> failures = {crew_.Describe(0, RankFailure::Kind::kAnswered, Remote())};
  AddLost(gang.losses(), failures);
  EXPECT_EQ(FindCause(failures).rank, 1);
  gang.Entered(0, 1, 7);
  EXPECT_THAT(gang.losses(), IsEmpty());
  Lose(2);
  gang.Entered(0, 2, 7);
  EXPECT_EQ(gang.losses().size(), 1u) << "it came to no later step";
}

TEST_F(Bends, GivesUpWithTheFirstCauseAndSaysWhyItCannotGoOn) {
  Make(2, {.min = 1, .max = 2});
  Lose(1);
  Lose(0);
  ASSERT_FALSE(crew_.given_up.empty());
  const Fault fault = FaultOf(ReportFailure(crew_.given_up));
  EXPECT_EQ(fault.what, "rank 1 was killed");
  EXPECT_THAT(fault.why, HasSubstr("memory ran out; the gang cannot go on: no rank is left"));
}

TEST_F(Bends, SaysWhomItWaitsForBelowItsLeastSize) {
  Make(2, {.min = 2, .max = 2, .patience = std::chrono::seconds(5)});
  Lose(1);
  EXPECT_TRUE(Notes("fewer than 2 workers are left (gang.workers): the gang waits for others, "));
}

constexpr RosterLimits kFixed = {
    .min = 3, .max = 3, .fruitless = 3, .patience = std::chrono::seconds(5), .fixed_ranks = true};

TEST_F(Bends, NamesTheRankThatAnotherProcessHasTaken) {
  BendingGang& gang = Make(3, kFixed);
  gang.Prepared(3);
  Lose(1);
  EXPECT_THAT(crew_.called.members, ElementsAre(0, 3, 2));
  EXPECT_TRUE(Notes("the gang goes on: rank 1 was killed; another process has taken its rank"));
  EXPECT_EQ(gang.RankOf(3), 1);
  EXPECT_EQ(gang.RankOf(4), 4) << "it has none";
  gang.Prepared(4);
  Lose(3);
  EXPECT_THAT(crew_.called.members, ElementsAre(0, 4, 2));
  EXPECT_EQ(told_.front()["event"], "rank_lost");
  EXPECT_EQ(told_.front()["rank"], 1);
}

// Nothing is lost with it, whatever step it is in.
TEST_F(Bends, ReplacesAtOnceAMemberOfFixedRanksThatIsAskedToEnd) {
  BendingGang& gang = Make(3, kFixed);
  gang.Prepared(3);
  gang.Notice(2);
  EXPECT_THAT(crew_.dismissed, ElementsAre(2));
  EXPECT_THAT(crew_.called.members, ElementsAre(0, 1, 3));
}

TEST_F(Bends, SaysNothingOfAProcessThatHadNoRank) {
  Make(3, kFixed);
  Lose(3);
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_THAT(crew_.started, ElementsAre(3, 4));
}

TEST_F(Bends, SaysThatFixedRanksWaitForATaker) {
  Make(3, kFixed);
  Lose(2);
  EXPECT_TRUE(Notes("the gang waits for a process that takes the rank, 5 s at most"));
}

TEST_F(Bends, GivesUpFixedRanksWithRankZero) {
  Make(3, kFixed);
  Lose(0);
  ASSERT_EQ(crew_.given_up.size(), 1u);
  EXPECT_THAT(FaultOf(ReportFailure(crew_.given_up)).why,
              HasSubstr("the gang cannot go on: no other process takes rank 0"));
}

TEST_F(Bends, DoubtsNobodyWhileItWaitsForOthers) {
  BendingGang& gang = Make(3, kFixed);
  Lose(2);
  for (const int32_t each : {0, 1}) gang.CallFailed(each, 0, Remote());
  EXPECT_GT(gang.due(), Clock::now() + std::chrono::seconds(2)) << "the gang's patience";
}

class NotingMember : public GangMember {
 public:
  using GangMember::GangMember;
  std::vector<Json> said;

 protected:
  void Say(const Json& what) override { said.push_back(what); }
  Status Give(SharedPart) override { return Status::OK(); }
};

// If a rank reported its own failure as a failed call, those that wait for it would look like the
// cause.
TEST(GangMember, EndsWithWhatIsWrongWithItselfAlone) {
  NotingMember member({.deadline = std::chrono::seconds(5), .patience = std::chrono::seconds(5)});
  GangCall call{.generation = 1, .rank = 0};
  call.join = [](auto) -> Result<std::unique_ptr<Communicator>> {
    return Fail({.exit = Exit::kNoRoom, .what = "there is no memory"});
  };
  member.Heard(std::move(call));
  EXPECT_EQ(FaultOf(member.Enter(Status::OK()).status()).what, "there is no memory");
  EXPECT_THAT(member.said, IsEmpty());
}

// The gang may train for days before somebody dies.
TEST(GangMember, WaitsForARankLongerThanForACall) {
  constexpr std::chrono::milliseconds kShort{10};
  NotingMember member({.newcomer = true, .deadline = kShort, .patience = kShort, .spare = true});
  std::jthread driver([&] {
    std::this_thread::sleep_for(20 * kShort);
    GangCall call{.generation = 1, .rank = 2};
    call.join = [](auto) -> Result<std::unique_ptr<Communicator>> {
      return Fail({.exit = Exit::kNoRoom, .what = "it was called"});
    };
    member.Heard(std::move(call));
  });
  EXPECT_EQ(FaultOf(member.Enter(Status::OK()).status()).what, "it was called");
}

}  // namespace
}  // namespace protium
