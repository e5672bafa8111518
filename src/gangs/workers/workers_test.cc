// SPDX-License-Identifier: Apache-2.0
#include "workers/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "os/file.h"
#include "workers/testing/test_tasks.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class WorkersTest : public testing::Test {
 protected:
  void SetUp() override { before_ = CountBelongings(); }
  void TearDown() override {
    workers_.reset();
    EXPECT_EQ(CountBelongings().descriptors, before_.descriptors);
    EXPECT_EQ(CountBelongings().children, 0u);
  }
  Workers& workers() { return *workers_; }

  std::unique_ptr<Workers> workers_ = Workers::Make({}).ValueOrDie();
  Belongings before_;
};

TEST_F(WorkersTest, RunATaskOverEveryRowOnce) {
  MapTask task{.task = "double", .config = "{}", .output = NumberSchema(), .workers = 2};
  const auto output = RunTask(workers(), task, Numbers(20, 150'000)).ValueOrDie();
  const auto numbers = SortedNumbers(output);
  ASSERT_EQ(numbers.size(), 3'000'000u);
  for (size_t i = 0; i < numbers.size(); i += 1000) EXPECT_EQ(numbers[i], 2 * int64_t(i));
}

TEST_F(WorkersTest, GiveOutputInTheOrderOfTheInputHoweverLongEachTakes) {
  MapTask task{.task = "dawdle", .config = "{}", .output = NumberSchema(), .workers = 3};
  const auto output = RunTask(workers(), task, Numbers(30, 150'000)).ValueOrDie();
  int64_t next = 0;
  for (const auto& batch : output) {
    const auto& numbers = static_cast<const arrow::Int64Array&>(*batch->column(0));
    ASSERT_EQ(numbers.Value(0), next);
    next += numbers.length();
  }
  EXPECT_EQ(next, 4'500'000);
}

TEST_F(WorkersTest, RunATaskOverNothing) {
  EXPECT_THAT(SortedTexts(RunTask(workers(), TextTask("count"), Numbers(0, 0)).ValueOrDie()),
              ElementsAre("0"));
  EXPECT_THAT(SortedTexts(RunTask(workers(), TextTask("count"), Numbers(3, 0)).ValueOrDie()),
              ElementsAre("0"));
}

TEST_F(WorkersTest, LetATaskKeepAllItsBatches) {
  MapTask task = TextTask("hoard");
  task.workers = 1;
  const auto output = RunTask(workers(), task, Numbers(12, 200'000)).ValueOrDie();
  EXPECT_THAT(SortedTexts(output), ElementsAre(std::to_string(2'400'000LL * 2'399'999 / 2)));
}

TEST_F(WorkersTest, WaitWithEmittingUntilTheCallerTakes) {
  MapTask task{.task = "emit_much", .config = "{}", .output = NumberSchema(), .workers = 1};
  std::atomic<int64_t> emitted = 0;
  const Call call{.events = [&](const Json& event) { emitted = event["batch"].get<int64_t>(); }};
  auto stream = workers().Map(task, Numbers(0, 0), call).ValueOrDie();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(stream->Next().ok());
    EXPECT_LE(emitted.load(), i + 6);
  }
  EXPECT_EQ(Collect(*stream).ValueOrDie().size(), 150u);
}

TEST_F(WorkersTest, CanBeLeftEarly) {
  MapTask task{.task = "emit_much", .config = "{}", .output = NumberSchema(), .workers = 1};
  auto stream = workers().Map(task, Numbers(0, 0), {}).ValueOrDie();
  ASSERT_TRUE(stream->Next().ok());
  const auto kept = stream->Next().ValueOrDie();
  stream.reset();
  workers_.reset();
  EXPECT_TRUE(kept->ValidateFull().ok());
}

TEST_F(WorkersTest, AreUsedAgainByTasksWithoutAGang) {
  MapTask task = TextTask("count");
  task.workers = 1;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(RunTask(workers(), task, Numbers(1, 10)).ok());
  EXPECT_EQ(CountBelongings().children, 1u);
}

TEST_F(WorkersTest, ShareASmallTableWhoseRowsTakeLong) {
  workers_ = Workers::Make({.seats = 2}).ValueOrDie();
  MapTask task = TextTask("count");
  task.workers = 2;
  EXPECT_THAT(SortedTexts(RunTask(workers(), task, Numbers(1, 100)).ValueOrDie()),
              ElementsAre("100"));
  task.rows_a_batch = 50;
  EXPECT_THAT(SortedTexts(RunTask(workers(), task, Numbers(1, 100)).ValueOrDie()),
              ElementsAre("50", "50"));
}

TEST_F(WorkersTest, ThatAreStoppedWhileIdleAreNotUsedAgain) {
  workers_ = Workers::Make({.deadline = kForEver}).ValueOrDie();
  MapTask task = TextTask("count");
  task.workers = 1;
  ASSERT_TRUE(RunTask(workers(), task, Numbers(1, 10)).ok());
  const std::vector<pid_t> idle = Children();
  ASSERT_EQ(idle.size(), 1u);
  ASSERT_EQ(::kill(idle[0], SIGSTOP), 0);
  siginfo_t stopped = {};
  ASSERT_EQ(::waitid(P_PID, idle[0], &stopped, WSTOPPED | WNOWAIT), 0);
  const auto output = RunTask(workers(), task, Numbers(3, 10));
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_THAT(SortedTexts(*output), ElementsAre("30"));
  ASSERT_EQ(Children().size(), 1u);
  EXPECT_NE(Children()[0], idle[0]) << "it must not wake up and go on";
}

// Another worker gets whatever it was sent.
TEST_F(WorkersTest, ThatAreStoppedBeforeTheyReadAreReplaced) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  workers_ = Workers::Make({.deadline = 2}).ValueOrDie();
  std::vector<std::string> warnings;
  const Call call{.events = [&](const Json& event) {
    if (event["event"] == "warning") warnings.push_back(event["message"].get<std::string>());
  }};
  MapTask task = TextTask("stop_before", (folder.path() / "stopped").string());
  task.workers = 1;
  const auto output = RunTask(workers(), task, Numbers(20, 40'000), call);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_THAT(SortedTexts(*output), ElementsAre("800000"));
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_THAT(warnings[0], HasSubstr("worker 0 of task \"stop_before\" has given no sign of life"));
  EXPECT_THAT(warnings[0], HasSubstr("(its process is stopped); after 2 s (gang.deadline)"));
  EXPECT_THAT(warnings[1], HasSubstr("another one does its work"));
}

TEST_F(WorkersTest, ThatAreStoppedInTheMiddleEndTheTask) {
  workers_ = Workers::Make({.deadline = 1.5}).ValueOrDie();
  const Fault fault =
      FaultOf(RunTask(workers(), TextTask("stop_midway"), Numbers(3, 100)).status());
  EXPECT_EQ(fault.exit, Exit::kStalled);
  EXPECT_THAT(fault.what, HasSubstr("partition 0 was silent for"));
  EXPECT_THAT(fault.why, HasSubstr("its process is stopped"));
}

TEST_F(WorkersTest, StartAheadWhenExpected) {
  workers().Expect(2, false);
  EXPECT_EQ(CountBelongings().children, 2u);
  ASSERT_TRUE(RunTask(workers(), GangTask("facts", 2), Numbers(1, 1)).ok());
  EXPECT_EQ(CountBelongings().children, 2u);
}

TEST_F(WorkersTest, AreNotLeftBehindByEachGang) {
  workers_ = Workers::Make({.seats = 2}).ValueOrDie();
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(RunTask(workers(), GangTask("facts", 2), Numbers(1, 1)).ok());
  }
  EXPECT_EQ(CountBelongings().children, 2u);
}

TEST_F(WorkersTest, LetRanksMeet) {
  std::vector<Json> events;
  const Call call{.events = [&](const Json& event) {
    if (event["event"] == "reported") events.push_back(event);
  }};
  const auto output = RunTask(workers(), GangTask("facts", 3), Numbers(5, 100), call).ValueOrDie();
  EXPECT_THAT(SortedTexts(output),
              ElementsAre("0/3 from 0 from 1 from 2", "1/3 from 0 from 1 from 2",
                          "2/3 from 0 from 1 from 2"));
  ASSERT_EQ(events.size(), 3u);
  int64_t ranks = 0;
  for (const Json& event : events) ranks += event["rank"].get<int64_t>();
  EXPECT_EQ(ranks, 3);
  EXPECT_EQ(events[0]["name"], "facts");
  EXPECT_EQ(events[0]["value"], Json({{"attempt", 0}}));
}

TEST_F(WorkersTest, GiveAGangOfOneItsWorld) {
  const auto output = RunTask(workers(), GangTask("facts", 1), Numbers(1, 1)).ValueOrDie();
  EXPECT_THAT(SortedTexts(output), ElementsAre("0/1 from 0"));
}

TEST_F(WorkersTest, HaveNoBarrierWithoutAGang) {
  const Status status = RunTask(workers(), TextTask("facts"), Numbers(1, 1)).status();
  EXPECT_THAT(status.message(), HasSubstr("not in a gang"));
}

TEST_F(WorkersTest, SayWhereRanksSitAndWhatNeverFits) {
  const Json table = workers().Placement({.workers = 2}).ValueOrDie();
  EXPECT_EQ(table["ranks"].size(), 2u);
  const Fault gpus = FaultOf(workers().Placement({.workers = 2, .gpus_per_worker = 1}).status());
  EXPECT_EQ(gpus.exit, Exit::kUsage);
  EXPECT_THAT(gpus.what, HasSubstr("2 gpus, 0 found"));
  auto strict = Workers::Make({.seats = 2}).ValueOrDie();
  EXPECT_THAT(strict->Placement({.workers = 3}).status().message(), HasSubstr("3 cores, 2 found"));
  EXPECT_EQ(CountBelongings().children, 0u);
}

TEST_F(WorkersTest, KeepALogPerRank) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  workers_ = Workers::Make({.logs = folder.path()}).ValueOrDie();
  const Status status = RunTask(workers(), GangTask("kill", 2), Numbers(1, 1)).status();
  EXPECT_EQ(*ReadFile(folder.path() / "rank-001.log"), "about to be killed\n");
  const Fault fault = FaultOf(status);
  EXPECT_THAT(fault.where, HasSubstr((folder.path() / "rank-001.log").string()));
  EXPECT_THAT(fault.why, HasSubstr("about to be killed"));
}

}  // namespace
}  // namespace protium
