// SPDX-License-Identifier: Apache-2.0
#include "workers/ending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "workers/testing/test_tasks.h"
#include "workers/testing/virtual_time.h"

namespace protium {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Two members with a deadline of 20 s, in virtual time.
class EndingTest : public testing::Test {
 protected:
  static RankFailure Failure(int32_t rank, Exit exit, const std::string& what) {
    return {.rank = rank, .world = 2, .status = Fail({.exit = exit, .what = what})};
  }
  Fault FaultAt(int second) { return FaultOf(ending_.Outcome(running_, {}, At(second)).status); }

  const RunSpec spec_{
      .task = GangTask("facts", 2), .placement = Placement{}, .most = 2, .deadline = 20};
  std::stop_source stop_;
  std::vector<std::string> notes_;
  Call call_{.stop = stop_.get_token(), .events = [this](const Json& event) {
               notes_.push_back(event["message"].get<std::string>());
             }};
  Ending ending_{spec_, call_};
  Member first_{spec_, {.rank = 0}};
  Member second_{spec_, {.rank = 1}};
  const std::vector<Member*> running_{&first_, &second_};
};

TEST_F(EndingTest, IsGoodWhenAllAreDone) {
  EXPECT_EQ(ending_.due(), kNever);
  EXPECT_TRUE(ending_.Outcome({}, Status::OK(), At(0)).status.ok());
}

TEST_F(EndingTest, ComesAtOnceWithAFailureOfAMembersOwn) {
  ending_.Fail(Failure(1, Exit::kInput, "3 labels are null"), At(5));
  EXPECT_EQ(ending_.due(), At(5));
  EXPECT_FALSE(ending_.LacksCause());
  const AttemptResult outcome = ending_.Outcome(running_, {}, At(5));
  EXPECT_EQ(FaultOf(outcome.status).what, "3 labels are null");
  EXPECT_FALSE(outcome.restart_may_help);
}

TEST_F(EndingTest, WaitsForTheCauseOfAFailureAboutOthers) {
  ending_.Fail(Failure(0, Exit::kRemote, "rank 1 is gone"), At(5));
  EXPECT_EQ(ending_.due(), At(6));
  EXPECT_TRUE(ending_.LacksCause());
  RankFailure cause = Failure(1, Exit::kFailed, "was killed");
  cause.kind = RankFailure::Kind::kEnded;
  ending_.Fail(std::move(cause), At(5));
  EXPECT_EQ(ending_.due(), At(5));
  EXPECT_FALSE(ending_.LacksCause());
  const AttemptResult outcome = ending_.Outcome(running_, {}, At(6));
  EXPECT_THAT(FaultOf(outcome.status).what, HasSubstr("was killed"));
  EXPECT_TRUE(outcome.restart_may_help);
}

TEST_F(EndingTest, IsThatOfTheInputWhereItFails) {
  const AttemptResult outcome = ending_.Outcome(running_, Status::IOError("a bad line"), At(0));
  EXPECT_EQ(outcome.status.message(), "a bad line");
  ending_.Fail(Failure(1, Exit::kInput, "3 labels are null"), At(0));
  EXPECT_EQ(FaultOf(ending_.Outcome(running_, Status::IOError("a bad line"), At(0)).status).what,
            "3 labels are null");
}

TEST_F(EndingTest, ComesWithTheDeadlineOfTheCall) {
  call_.deadline = At(30);
  EXPECT_EQ(ending_.due(), At(30));
  EXPECT_EQ(FaultAt(30).what, "task \"facts\" did not finish in time");
  EXPECT_EQ(FaultAt(30).exit, Exit::kStalled);
}

TEST_F(EndingTest, GivesMembersTheirDeadlineAfterAStop) {
  stop_.request_stop();
  ending_.Stop(At(5));
  EXPECT_TRUE(ending_.stopping());
  EXPECT_EQ(ending_.due(), At(25));
  EXPECT_EQ(FaultAt(24).why, "");
  EXPECT_EQ(FaultAt(25).exit, Exit::kStopped);
  EXPECT_EQ(FaultAt(25).why,
            "ranks 0, 1 did not finish within 20 s (gang.deadline) and saved nothing");
}

TEST_F(EndingTest, SaysOnceThatAStopTakesItsTime) {
  ending_.Stop(At(5));
  ending_.PrintStopping(running_, At(6));
  EXPECT_THAT(notes_, IsEmpty());
  ending_.PrintStopping({&second_}, At(7));
  ending_.PrintStopping({&second_}, At(8));
  ASSERT_THAT(notes_, SizeIs(1));
  EXPECT_THAT(notes_[0], HasSubstr("stopping: rank 1 may take up to 20 s (gang.deadline)"));
}

TEST_F(EndingTest, IsNoFailureOfMembersThatStopAsAsked) {
  stop_.request_stop();
  ending_.Stop(At(5));
  RankFailure asked = Failure(0, Exit::kStopped, "stopped as asked");
  ending_.Fail(std::move(asked), At(6));
  const AttemptResult outcome = ending_.Outcome({}, {}, At(7));
  EXPECT_EQ(FaultOf(outcome.status).what, "stopped as asked");
  EXPECT_FALSE(outcome.restart_may_help);
}

}  // namespace
}  // namespace protium
