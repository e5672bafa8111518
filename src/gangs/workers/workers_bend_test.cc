// SPDX-License-Identifier: Apache-2.0
// Elastic gangs, with a task that only counts steps: what they do when members die, hang, are asked
// to end, or disagree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "base/json.h"
#include "workers/testing/test_tasks.h"

namespace protium {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BendingWorkers : public TestWithWorkers {
 protected:
  // Runs `steps` steps; after `at` of them the process of `member` gets `signal`.
  Result<arrow::RecordBatchVector> Run(WorkerRange range, const std::string& config,
                                       int64_t at = -1, int32_t member = 1, int signal = SIGKILL) {
    MapTask task = TextTask("bend", config);
    task.gang = GangSpec{.workers = range, .max_restarts = 0, .deadline = 1, .patience = 5};
    task.gang->replace_hung = replace_hung_;
    task.gang->servers = servers_;
    bool sent = false;
    const Call call{.events = [&, at, member, signal](const Json& event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(event);
      if (event["event"] == "gang_start") ranks_ = event["ranks"];
      if (on_event_) on_event_(event);
      if (sent || event["event"] != "step" || event["step"] < at || at < 0) return;
      sent = true;
      ::kill(ranks_[size_t(member)]["pid"].get<pid_t>(), signal);
    }};
    return RunTask(*workers_, task, Numbers(1, 1), call);
  }

  std::vector<Json> Named(const std::string& name) {
    const std::lock_guard lock(mutex_);
    std::vector<Json> named;
    for (const Json& each : events_) {
      if (each["event"] == name) named.push_back(each);
    }
    return named;
  }

  bool replace_hung_ = true;
  int32_t servers_ = 0;
  std::function<void(const Json&)> on_event_;  // On the watching thread.
  std::mutex mutex_;
  Json ranks_;
  std::vector<Json> events_;
};

TEST_F(BendingWorkers, AreLikeAnyGangWhenNothingHappens) {
  const auto out = Run({1, 3}, R"({"steps": 20})");
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(SortedTexts(*out), ElementsAre("20"));
  EXPECT_THAT(Named("gang_change"), IsEmpty());
}

TEST_F(BendingWorkers, GoOnWithoutAMemberThatIsKilled) {
  for (int32_t member = 0; member < 2; ++member) {
    const auto out = Run({1, 2}, R"({"steps": 300})", 20, member);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(SortedTexts(*out), ElementsAre("300"));
    ASSERT_FALSE(Named("gang_change").empty());
    EXPECT_TRUE(Named("gang_change")[0]["cut"].get<bool>());
    events_.clear();
  }
}

TEST_F(BendingWorkers, LetAMemberLeaveThatIsToldToEnd) {
  const auto out = Run({1, 2}, R"({"steps": 300})", 20, 1, SIGTERM);
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_FALSE(Named("gang_change").empty());
  EXPECT_FALSE(Named("gang_change")[0]["cut"].get<bool>()) << "no step may be broken";
  EXPECT_THAT(Named("rank_lost"), IsEmpty());
}

// With servers ranks are fixed.
TEST_F(BendingWorkers, HaveARankOfAFixedNumberTakenByAnotherProcess) {
  servers_ = 1;
  for (const auto& [rank, signal] :
       {std::pair(1, SIGKILL), std::pair(2, SIGKILL), std::pair(2, SIGTERM)}) {
    const auto out = Run(2, R"({"steps": 300})", 20, rank, signal);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(SortedTexts(*out), ElementsAre("300"));
    const auto taken = Named("rank_taken_over");
    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(taken[0]["rank"], rank);
    EXPECT_EQ(taken[0]["server"], rank == 2);
    EXPECT_NE(taken[0]["pid"], ranks_[size_t(rank)]["pid"]);
    EXPECT_EQ(Named("rank_lost").at(0)["rank"], rank);
    EXPECT_THAT(Named("gang_change"), IsEmpty());
    events_.clear();
  }
}

TEST_F(BendingWorkers, EndWithRank0OfAFixedNumber) {
  servers_ = 1;
  const auto out = Run(2, R"({"steps": 300})", 20, 0);
  const Fault fault = FaultOf(out.status());
  EXPECT_THAT(fault.what, HasSubstr("rank 0 was killed by signal 9"));
  EXPECT_THAT(fault.why, HasSubstr("no other process takes rank 0"));
}

TEST_F(BendingWorkers, ReplaceAMemberThatHangs) {
  const auto out = Run({1, 2}, R"({"steps": 40, "hang": 20})");
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(SortedTexts(*out), ElementsAre("40"));
  ASSERT_EQ(Named("rank_lost").size(), 1u);
  EXPECT_THAT(Named("rank_lost")[0]["why"].get<std::string>(),
              testing::MatchesRegex(
                  "kept the others waiting for 1 seconds \\([12]\\.[0-9] s in its own code\\)"));
  ASSERT_FALSE(Named("warning").empty());
  EXPECT_THAT(Named("warning")[0]["message"].get<std::string>(),
              AllOf(HasSubstr("rank 1 has kept rank 0 waiting for "),
                    HasSubstr("after 1 s (gang.deadline) it counts as dead")));
}

TEST_F(BendingWorkers, EndWithAMemberThatHangsWhereNoneIsReplaced) {
  replace_hung_ = false;
  const auto out = Run({1, 2}, R"({"steps": 40, "hang": 20})");
  EXPECT_THAT(FaultOf(out.status()).what, HasSubstr("rank 1 kept the others waiting"));
  EXPECT_THAT(Named("gang_change"), IsEmpty());
}

// A newcomer is not needed any more when the member that it replaces has ended, and by then the
// gang is done: the last message of the leaving member is read only when the cause is determined.
TEST_F(BendingWorkers, EndWhileOneLeavesAndAnotherComes) {
  std::set<std::string> seen;
  Bell said;
  on_event_ = [&](const Json& event) {
    if (event["event"] != "member_start" && event["event"] != "gang_change") return;
    if (!seen.insert(event["event"]).second || seen.size() < 2) return;
    const auto pid = ranks_[0]["pid"].get<id_t>();
    ::kill(pid_t(pid), SIGKILL);
    siginfo_t ended = {};
    EXPECT_EQ(::waitid(P_PID, pid, &ended, WEXITED | WNOWAIT), 0);
    // Meanwhile nothing from rank 1 is read.
    EXPECT_TRUE(said.Await(1));
  };
  const Json config = {{"steps", 300}, {"last_words", 50}, {"bell", said.path()}};
  const auto out = Run({1, 2}, Dump(config), 20, 1, SIGTERM);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_THAT(FaultOf(out.status()).what, HasSubstr("rank 0 was killed by signal 9"));
}

// The others fail because the gang changes, and report that.
TEST_F(BendingWorkers, FailWithWhatTheFirstOfThemDiedOf) {
  const auto out = Run({1, 3}, R"({"steps": 20, "begin": true})");
  const Fault fault = FaultOf(out.status());
  EXPECT_EQ(fault.what, "rank 1 was killed by signal 9 (SIGKILL) in the middle of task \"bend\"");
  EXPECT_EQ(fault.exit, Exit::kFailed);
  EXPECT_THAT(fault.why, HasSubstr("memory ran out"));
}

// A newcomer that is called right before the others are done comes too late, and nobody waits for
// it.
TEST_F(BendingWorkers, DoNotWaitForANewcomerOnceTheyAreDone) {
  const auto out = Run({1, 2}, R"({"steps": 30, "linger": 2000})", 8);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(SortedTexts(*out), ElementsAre("30"));
  ASSERT_FALSE(Named("gang_change").empty());
}

TEST_F(BendingWorkers, FailWhenTheyDisagree) {
  const auto out = Run({1, 2}, R"({"steps": 40, "quarrel": 20})");
  ASSERT_FALSE(out.ok());
  EXPECT_THAT(FaultOf(out.status()).what, HasSubstr("rank"));
}

}  // namespace
}  // namespace protium
