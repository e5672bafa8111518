// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "os/socket.h"
#include "os/temporary_folder.h"
#include "workers/testing/test_tasks.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class HardCases : public TestWithWorkers {
 protected:
  Fault FaultOfGang(const MapTask& task) {
    return FaultOf(RunTask(*workers_, task, Numbers(3, 100)).status());
  }
};

TEST_F(HardCases, ATaskThatRefusesIsToldInItsOwnWords) {
  const Fault alone = FaultOf(RunTask(*workers_, TextTask("refuse"), Numbers(1, 1)).status());
  EXPECT_EQ(alone.exit, Exit::kInput);
  EXPECT_EQ(alone.what, "3 labels are null");
  EXPECT_EQ(alone.fix, "drop them");
  EXPECT_THAT(alone.where, HasSubstr("partition 0"));
  int restarts = 0;
  const Call call{.events = [&](const Json& event) { restarts += event["event"] == "restart"; }};
  const Fault gang =
      FaultOf(RunTask(*workers_, GangTask("refuse", 3, 2), Numbers(1, 1), call).status());
  EXPECT_EQ(gang.what, "3 labels are null");
  EXPECT_THAT(gang.where, HasSubstr("rank 1 of 3"));
  EXPECT_EQ(restarts, 0);
}

// The reports of the ranks that fail because of it are read before its own.
TEST_F(HardCases, ARankThatIsHeardLateIsStillTheCause) {
  Bell failed;
  bool heard = false;
  const Call call{.events = [&](const Json& event) {
    if (event["event"] != "talk" || std::exchange(heard, true)) return;
    EXPECT_TRUE(failed.Await(2));
  }};
  const MapTask task = GangTask("talk_and_refuse", 3, 0, failed.path());
  const Fault fault = FaultOf(RunTask(*workers_, task, Numbers(1, 1), call).status());
  EXPECT_EQ(fault.what, "3 labels are null");
  EXPECT_THAT(fault.where, HasSubstr("rank 1 of 3"));
}

TEST_F(HardCases, ATaskThatThrowsIsAnError) {
  const Fault fault = FaultOfGang(GangTask("throw", 2, 2));
  EXPECT_THAT(fault.what, HasSubstr("threw: thrown on purpose"));
}

TEST_F(HardCases, ATaskThatIsNotThereIsNamed) {
  const Fault fault = FaultOfGang(TextTask("dubble"));
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_THAT(fault.fix, HasSubstr("double"));
}

TEST_F(HardCases, AWrongSchemaIsABug) {
  EXPECT_EQ(FaultOfGang(TextTask("wrong_schema")).exit, Exit::kBug);
}

TEST_F(HardCases, AnExitInMidTaskIsAFailureOfThatRank) {
  const Fault fault = FaultOfGang(GangTask("exit", 3));
  EXPECT_EQ(fault.what, "rank 1 exited with code 0 in the middle of task \"exit\"");
  EXPECT_EQ(fault.exit, Exit::kFailed);
}

TEST_F(HardCases, AKilledRankIsNamedAtOnce) {
  MapTask task = GangTask("kill", 3);
  task.gang->deadline = kForEver;
  const Fault fault = FaultOfGang(task);
  EXPECT_EQ(fault.what, "rank 1 was killed by signal 9 (SIGKILL) in the middle of task \"kill\"");
}

TEST_F(HardCases, AGangIsRestartedUntilItSucceeds) {
  std::vector<std::string> events;
  const Call call{.events = [&](const Json& event) {
    if (!event.contains("attempt")) return;
    events.push_back(event["event"].get<std::string>() + " " + Dump(event["attempt"]));
  }};
  const auto output =
      RunTask(*workers_, GangTask("kill_until", 2, 2, "2"), Numbers(2, 10), call).ValueOrDie();
  EXPECT_THAT(SortedTexts(output), ElementsAre("0/2 from 0 from 1", "1/2 from 0 from 1"));
  EXPECT_THAT(events, ElementsAre("gang_start 0", "restart 1", "gang_start 1", "restart 2",
                                  "gang_start 2"));
}

TEST_F(HardCases, RestartsAreUsedUp) {
  const Fault fault = FaultOfGang(GangTask("kill_until", 2, 1, "9"));
  EXPECT_THAT(fault.why, HasSubstr("1 restart did not help"));
}

// Saved work forgives an old restart; what a task reports does not, whatever its name.
TEST_F(HardCases, OnlyWhatIsSavedForgivesARestart) {
  for (const auto& [name, ends_well] : {std::pair{"save_until", true}, {"report_until", false}}) {
    MapTask task = GangTask(name, 2, 1, "3");
    task.gang->restart_window = 1e-9;
    EXPECT_EQ(RunTask(*workers_, task, Numbers(2, 10)).ok(), ends_well) << name;
  }
}

TEST_F(HardCases, AStoppedRankIsNamed) {
  MapTask task = GangTask("sigstop", 3);
  task.gang->deadline = 1.5;
  const Fault fault = FaultOfGang(task);
  EXPECT_THAT(fault.what, HasSubstr("rank 1 was silent for"));
  EXPECT_EQ(fault.exit, Exit::kStalled);
}

TEST_F(HardCases, AHungRankIsNamedWithWhatItDidAndWhere) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  workers_ = Workers::Make({.logs = folder.path() / "logs"}).ValueOrDie();
  std::vector<std::string> warnings;
  int restarts = 0;
  const Call call{.events = [&](const Json& event) {
    if (event["event"] == "warning") warnings.push_back(event["message"].get<std::string>());
    restarts += event["event"] == "restart";
  }};
  MapTask task = GangTask("hang", 3, 1);
  task.gang->deadline = 1.5;
  task.gang->replace_hung = false;
  const Fault fault = FaultOf(RunTask(*workers_, task, Numbers(3, 100), call).status());
  EXPECT_EQ(fault.exit, Exit::kStalled);
  EXPECT_THAT(fault.what, HasSubstr("rank 1 kept the others waiting for 1.5 seconds ("));
  EXPECT_THAT(fault.what, HasSubstr(" s in thought)"));
  EXPECT_THAT(fault.why, HasSubstr("the task is at this moment in"));
  EXPECT_THAT(fault.why, HasSubstr("pause"));
  EXPECT_EQ(restarts, 0);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("rank 1 has kept ranks 0, 2 waiting for "));
  EXPECT_THAT(warnings[0], HasSubstr(" s in thought); after 1.5 s (gang.deadline) the run ends"));
  workers_.reset();
}

TEST_F(HardCases, AnInputThatFailsEndsTheRun) {
  class Failing : public BatchStream {
   public:
    const SchemaPtr& schema() const override { return schema_; }
    Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
      if (++calls_ < 3) return NumberBatch(0, 10);
      return Fail({.exit = Exit::kInput, .what = "line 30001 is bad"});
    }

   private:
    SchemaPtr schema_ = NumberSchema();
    int calls_ = 0;
  };
  const auto open = []() -> Result<BatchStreamPtr> { return std::make_unique<Failing>(); };
  const Fault gang = FaultOf(RunTask(*workers_, GangTask("hoard", 2, 2), open).status());
  EXPECT_EQ(gang.what, "line 30001 is bad");
  EXPECT_EQ(FaultOf(RunTask(*workers_, TextTask("hoard"), open).status()).exit, Exit::kInput);
}

TEST_F(HardCases, AStopReachesTheTaskAndItsWordsComeBack) {
  std::stop_source stop;
  const Call call{.stop = stop.get_token(), .events = [&](const Json& event) {
                    if (event["event"] == "waiting") stop.request_stop();
                  }};
  const Fault fault =
      FaultOf(RunTask(*workers_, GangTask("until_stopped", 2, 2), Numbers(1, 1), call).status());
  EXPECT_EQ(fault.exit, Exit::kStopped);
  EXPECT_EQ(fault.kept, "a checkpoint");
}

TEST_F(HardCases, RanksThatDoNotHeedAStopAreNamed) {
  std::stop_source stop;
  const Call call{.stop = stop.get_token(), .events = [&](const Json& event) {
                    if (event["event"] == "deaf") stop.request_stop();
                  }};
  MapTask task = GangTask("deaf", 2);
  task.gang->deadline = 2;
  const Fault fault = FaultOf(RunTask(*workers_, task, Numbers(1, 1), call).status());
  EXPECT_EQ(fault.exit, Exit::kStopped);
  EXPECT_EQ(fault.kept, "");
  EXPECT_THAT(fault.why, HasSubstr("ranks 0, 1 did not finish within 2 s"));
}

TEST_F(HardCases, ADeadlineEndsTheTask) {
  const Call call{.deadline = Clock::now() + std::chrono::milliseconds(300)};
  const Fault fault =
      FaultOf(RunTask(*workers_, TextTask("until_stopped"), Numbers(1, 1), call).status());
  EXPECT_EQ(fault.exit, Exit::kStalled);
}

// A driver in a separate process is killed: its workers, whose numbers it writes, must end.
TEST_F(HardCases, AKilledDriverLeavesNoWorker) {
  auto [ours, theirs] = SocketPair().ValueOrDie();
  const pid_t driver = ::fork();
  if (driver == 0) {
    auto workers = Workers::Make({}).ValueOrDie();
    const Call call{.events = [&](const Json& event) {
      if (event["event"] != "waiting") return;
      const int pid = event["pid"].get<int>();
      (void)!::write(theirs.get(), &pid, sizeof(pid));
    }};
    (void)RunTask(*workers, GangTask("until_stopped", 3), Numbers(1, 1), call);
    ::_exit(0);
  }
  ASSERT_GT(driver, 1);  // kill() of -1 would signal every process.
  theirs.reset();        // So that the end of a driver that died early is seen at once.
  std::vector<int> pids(3);
  for (int& pid : pids) ASSERT_EQ(::read(ours.get(), &pid, sizeof(pid)), sizeof(pid));
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // Orphans come to us, so that their end can be seen.
  ::kill(driver, SIGKILL);
  ::waitpid(driver, nullptr, 0);
  for (const int pid : pids) EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace protium
