// SPDX-License-Identifier: Apache-2.0
// Gangs with devices, on a machine whose two GPUs are simulated by a script.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <mutex>
#include <thread>

#include "gang/program.h"
#include "gang/wish.h"
#include "os/file.h"
#include "workers/testing/test_tasks.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class DevicesTest : public testing::Test {
 protected:
  void SetUp() override {
    before_ = CountBelongings();
    Print(R"({"name": "gpu", "addresses": ["0", "1"]})");
    workers_ = MakeWorkers();
  }
  void TearDown() override {
    workers_.reset();
    EXPECT_EQ(CountBelongings(), before_);
    const auto leases = folder_.path() / "leases";
    EXPECT_TRUE(!std::filesystem::exists(leases) || std::filesystem::is_empty(leases));
  }

  std::unique_ptr<Workers> MakeWorkers() {
    return Workers::Make({.discovery = script_, .leases = folder_.path() / "leases"}).ValueOrDie();
  }
  void Print(const std::string& answer) {
    ASSERT_TRUE(WriteFile(script_, "#!/bin/sh\necho '" + answer + "'\n").ok());
    std::filesystem::permissions(script_, std::filesystem::perms::owner_all);
  }
  static MapTask OnGpus(const std::string& name, int32_t workers, int32_t gpus) {
    MapTask task = GangTask(name, workers, 2, "2");
    task.gang->gpus_per_worker = gpus;
    return task;
  }
  // /bin/sh with this script, with one device per rank.
  static MapTask Program(WorkerRange workers, const std::string& script) {
    ProgramSpec spec{.words = {"/bin/sh", "-c", script}};
    spec.folder = "/";
    return {.task = kProgramTask,
            .config = Dump(FieldsToJson(spec)),
            .output = ProgramColumns(),
            .gang = GangSpec{.workers = workers, .gpus_per_worker = 1, .max_restarts = 0},
            .role = MapTask::Role::kProgram};
  }
  // Up to two ranks that report that they have started, and end when this holds or when asked to.
  static MapTask Waiting(const std::string& end) {
    return Program(
        {1, 2}, "trap 'exit 0' TERM; echo up; " + end + " && exit 0; while :; do sleep 0.05; done");
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::filesystem::path script_ = folder_.path() / "gpus";
  std::unique_ptr<Workers> workers_;
  Belongings before_;
};

TEST_F(DevicesTest, GiveEveryRankItsOwn) {
  const auto output = RunTask(*workers_, OnGpus("devices", 2, 1), Numbers(0, 0)).ValueOrDie();
  EXPECT_THAT(SortedTexts(output), ElementsAre("0 has gpu 0, sees \"0\" by PCI_BUS_ID",
                                               "1 has gpu 1, sees \"1\" by PCI_BUS_ID"));
  const auto both = RunTask(*workers_, OnGpus("devices", 1, 2), Numbers(0, 0)).ValueOrDie();
  EXPECT_THAT(SortedTexts(both), ElementsAre("0 has gpu 0 gpu 1, sees \"0,1\" by PCI_BUS_ID"));
}

TEST_F(DevicesTest, AreSeenByNobodyElse) {
  const auto output = RunTask(*workers_, GangTask("devices", 1), Numbers(0, 0)).ValueOrDie();
  EXPECT_THAT(SortedTexts(output), ElementsAre("0 has, sees \"\" by PCI_BUS_ID"));
}

TEST_F(DevicesTest, EndTheWorkersThatSawThem) {
  workers_->Expect(1, false);
  ASSERT_TRUE(RunTask(*workers_, OnGpus("devices", 2, 1), Numbers(0, 0)).ok());
  EXPECT_EQ(CountBelongings().children, 1u);
}

TEST_F(DevicesTest, StayWithTheGangWhenItIsRestarted) {
  EXPECT_TRUE(RunTask(*workers_, OnGpus("kill_until", 2, 1), Numbers(0, 0)).ok());
}

TEST_F(DevicesTest, OnWhichRanksDieAreLeftOut) {
  Print(R"({"name": "gpu", "addresses": ["0", "1", "2"]})");
  MapTask task = OnGpus("kill_until", 2, 1);
  task.config = "3";
  task.gang->max_restarts = 3;
  task.gang->quarantine = 1;
  std::vector<std::string> seats, warnings;
  const Call call{.events = [&](const Json& event) {
    if (event["event"] == "gang_start") seats.push_back(Dump(event["ranks"][1]["gpus"]));
    if (event["event"] == "warning") warnings.push_back(event["message"].get<std::string>());
  }};
  EXPECT_TRUE(RunTask(*workers_, task, Numbers(0, 0), call).ok());
  EXPECT_THAT(seats, ElementsAre(R"(["1"])", R"(["2"])", R"(["2"])", R"(["2"])"))
      << "a gang that has no other device continues with what it has";
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[0],
            "gpu 1 is left out for 600 s (gang.probation): 1 worker died on it (gang.quarantine)");
  EXPECT_THAT(workers_->WaitsFor({.workers = 2, .gpus_per_worker = 1}).ValueOrDie(),
              HasSubstr("quarantine after deaths of workers holds gpu 2"));
}

// A program that fails on a device counts like a rank that dies: if no other device is left, a gang
// of programs with a range starts again with one rank less.
TEST_F(DevicesTest, OnWhichProgramsFailAreLeftOut) {
  Print(R"({"name": "gpu", "addresses": ["0", "1", "2"]})");
  MapTask task = Program({1, 3}, "echo $RANK of $WORLD_SIZE; [ $CUDA_VISIBLE_DEVICES != 1 ]");
  task.gang->max_restarts = 2;
  task.gang->quarantine = 2;
  std::vector<size_t> worlds;
  const Call call{.events = [&](const Json& event) {
    if (event["event"] == "gang_start") worlds.push_back(event["ranks"].size());
  }};
  const auto output = RunTask(*workers_, task, Numbers(0, 0), call);
  EXPECT_TRUE(output.ok()) << output.status();
  EXPECT_THAT(worlds, ElementsAre(3u, 3u, 2u));
}

// It starts with the free devices, and again with more when another gang has given its device back.
TEST_F(DevicesTest, ThatComeFreeAreTakenByProgramsOfARange) {
  std::stop_source stop;
  std::atomic<bool> running = false;
  const auto other = MakeWorkers();
  const Call first{.stop = stop.get_token(), .events = [&](const Json& event) {
                     if (event.contains("pid")) running = true;
                   }};
  std::jthread holder(
      [&] { (void)RunTask(*other, OnGpus("until_stopped", 1, 1), Numbers(0, 0), first); });
  while (!running) std::this_thread::yield();
  std::vector<size_t> worlds;
  const Call call{.events = [&](const Json& event) {
    if (event["event"] == "gang_start") worlds.push_back(event["ranks"].size());
    if (event["event"] == "printed") stop.request_stop();
  }};
  const auto output = RunTask(*workers_, Waiting("[ $WORLD_SIZE = 2 ]"), Numbers(0, 0), call);
  EXPECT_TRUE(output.ok()) << output.status();
  EXPECT_THAT(worlds, ElementsAre(1u, 2u));
}

// Programs of a range give a device to a gang of a higher priority, and take it back afterwards.
TEST_F(DevicesTest, AreGivenByProgramsOfARange) {
  MapTask urgent = OnGpus("devices", 1, 1);
  urgent.gang->priority = 1;
  const auto other = MakeWorkers();
  Result<arrow::RecordBatchVector> higher;
  std::jthread later;
  std::vector<size_t> worlds;
  std::vector<std::string> notes;
  const Call call{.events = [&](const Json& event) {
    if (event["event"] == "gang_start") worlds.push_back(event["ranks"].size());
    if (event["event"] == "note") notes.push_back(event["message"]);
    if (event["event"] != "printed" || later.joinable()) return;
    later = std::jthread([&] { higher = RunTask(*other, urgent, Numbers(0, 0)); });
  }};
  const auto output =
      RunTask(*workers_, Waiting("[ $TORCHELASTIC_RESTART_COUNT = 2 ]"), Numbers(0, 0), call);
  EXPECT_TRUE(output.ok()) << output.status();
  later.join();
  EXPECT_TRUE(higher.ok()) << higher.status();
  EXPECT_THAT(worlds, ElementsAre(2u, 1u, 2u));
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_EQ(notes[1],
            "the gang starts again with 1 worker: a gang of a higher priority needs room");
  EXPECT_EQ(notes[2], "the gang starts again with 2 workers: there is room");
}

// It takes the third device instead of the one that it gives back.
TEST_F(DevicesTest, OnWhichAMemberDiesAreLeftByAGangThatBends) {
  Print(R"({"name": "gpu", "addresses": ["0", "1", "2"]})");
  MapTask task = TextTask("bend", R"({"steps": 1500})");
  task.gang = GangSpec{.workers = {1, 2}, .gpus_per_worker = 1, .deadline = 20, .patience = 5};
  task.gang->quarantine = 1;
  const auto other = MakeWorkers();
  pid_t second = -1;
  int64_t killed_at = -1;
  std::string warning, held;
  std::vector<std::string> worlds;
  const Call call{.events = [&](const Json& event) {
    if (event["event"] == "gang_start") second = event["ranks"][1]["pid"].get<pid_t>();
    if (event["event"] == "warning") warning = event["message"].get<std::string>();
    if (event["event"] == "gang_change") worlds.push_back(Dump(event["world"]));
    if (event["event"] != "step") return;
    if (killed_at < 0 && event["step"] >= 20) {
      killed_at = event["step"];
      ::kill(second, SIGKILL);
    }
    if (worlds.size() < 2 || !held.empty()) return;
    held = other->WaitsFor({.workers = 2, .gpus_per_worker = 1}).ValueOrDie();
    EXPECT_EQ(other->WaitsFor({.gpus_per_worker = 1}).ValueOrDie(), "") << "gpu 1 is free";
  }};
  const auto output = RunTask(*workers_, task, Numbers(0, 0), call);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_THAT(warning, HasSubstr("gpu 1 is left out for 600 s"));
  EXPECT_THAT(worlds, ElementsAre("1", "2"));
  EXPECT_THAT(held, HasSubstr("holds gpus 0, 2"));
}

TEST_F(DevicesTest, ThatAreTooFewCanNeverFit) {
  const Fault fault = FaultOf(workers_->Placement({.workers = 3, .gpus_per_worker = 1}).status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_THAT(fault.what, HasSubstr("asks for 3 gpus, 2 found"));
  const Status run = RunTask(*workers_, OnGpus("devices", 3, 1), Numbers(0, 0)).status();
  EXPECT_EQ(FaultOf(run).what, fault.what);
  const Json table = workers_->Placement({.workers = 2, .gpus_per_worker = 1}).ValueOrDie();
  EXPECT_EQ(Dump(table["ranks"][1]["gpus"]), R"(["1"])");
}

TEST_F(DevicesTest, AreNotGivenToTwoDriversAtOnce) {
  std::stop_source stop;
  std::atomic<bool> running = false;
  const Call first{.stop = stop.get_token(), .events = [&](const Json& event) {
                     if (event.contains("pid")) running = true;
                   }};
  std::jthread holder([&, other = MakeWorkers()] {
    (void)RunTask(*other, OnGpus("until_stopped", 1, 1), Numbers(0, 0), first);
  });
  while (!running) std::this_thread::yield();

  std::vector<std::string> waits;
  const Call call{.events = [&](const Json& event) {
    if (event["event"] == "waiting") waits.push_back(event["why"].get<std::string>());
  }};
  const auto one = RunTask(*workers_, OnGpus("devices", 1, 1), Numbers(0, 0), call).ValueOrDie();
  EXPECT_THAT(SortedTexts(one), ElementsAre(HasSubstr("has gpu 1")));
  MapTask both = OnGpus("devices", 2, 1);
  both.gang->deadline = 0.2;
  const Fault fault = FaultOf(RunTask(*workers_, both, Numbers(0, 0), call).status());
  const std::string who = "gang until_stopped of pid " + std::to_string(::getpid());
  EXPECT_EQ(fault.exit, Exit::kStalled);
  EXPECT_THAT(fault.why, HasSubstr(who + " holds gpu 0"));
  EXPECT_THAT(waits, ElementsAre(fault.why));
  EXPECT_EQ(workers_->WaitsFor(*both.gang).ValueOrDie(), fault.why);
  EXPECT_EQ(workers_->WaitsFor({.gpus_per_worker = 1}).ValueOrDie(), "");

  both.gang->deadline = 20;
  const Call freeing{.events = [&](const Json& event) {
    if (event["event"] == "waiting") stop.request_stop();
  }};
  EXPECT_TRUE(RunTask(*workers_, both, Numbers(0, 0), freeing).ok());
}

// What a gang of priority 0 reports until another driver's gang has had its devices.
TEST_F(DevicesTest, AreLeftToAGangOfAHigherPriorityForAWhile) {
  std::mutex mutex;
  std::vector<std::string> notes;
  std::atomic<int> waiting = 0;
  const Call low{.events = [&](const Json& event) {
    if (event["event"] == "waiting" && event.contains("pid")) ++waiting;
    const std::lock_guard lock(mutex);
    if (event["event"] == "note") notes.push_back(event["message"].get<std::string>());
  }};
  Result<arrow::RecordBatchVector> lower;
  std::jthread holder([&, other = MakeWorkers()] {
    lower = RunTask(*other, OnGpus("stopped_once", 2, 1), Numbers(0, 0), low);
  });
  while (waiting < 2) std::this_thread::yield();
  MapTask urgent = OnGpus("devices", 2, 1);
  urgent.gang->priority = 5;
  std::string why;
  const Call high{.events = [&](const Json& event) {
    if (event["event"] == "waiting") why = event["why"].get<std::string>();
  }};
  const auto output = RunTask(*workers_, urgent, Numbers(0, 0), high);
  ASSERT_TRUE(output.ok()) << output.status();
  holder.join();
  ASSERT_TRUE(lower.ok()) << lower.status();
  EXPECT_THAT(SortedTexts(*lower), ElementsAre("attempt 1", "attempt 1"));
  const std::string pid = " of pid " + std::to_string(::getpid());
  EXPECT_THAT(why, HasSubstr("gang stopped_once" + pid + " was asked to make room"));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("the gang pauses after this step: gang devices" + pid +
                                           " (gang.priority = 5) needs its devices"),
                                 "the gang continues: there is room again"));
}

// Of its two devices it gives up one, and holds the one that it cannot do without.
TEST_F(DevicesTest, AGangThatBendsGivesOneAndGoesOn) {
  MapTask task = TextTask("bend", R"({"steps": 1500})");
  task.gang = GangSpec{.workers = {1, 2}, .gpus_per_worker = 1, .deadline = 20, .patience = 5};
  MapTask urgent = OnGpus("devices", 1, 1);
  urgent.gang->priority = 1;
  const auto other = MakeWorkers();
  Result<arrow::RecordBatchVector> higher;
  std::jthread later;
  std::vector<std::string> worlds;
  bool stopped = false;
  const Call call{.events = [&](const Json& event) {
    if (event["event"] == "gang_change") worlds.push_back(Dump(event["world"]));
    stopped = stopped || event["event"] == "restart" || event["event"] == "waiting";
    if (event["event"] != "step" || event["step"] != 20 || later.joinable()) return;
    later = std::jthread([&] { higher = RunTask(*other, urgent, Numbers(0, 0)); });
  }};
  const auto output = RunTask(*workers_, task, Numbers(0, 0), call);
  ASSERT_TRUE(output.ok()) << output.status();
  later.join();
  EXPECT_TRUE(higher.ok()) << higher.status();
  ASSERT_FALSE(worlds.empty());
  EXPECT_EQ(worlds.front(), "1");
  EXPECT_EQ(worlds.back(), "2") << "it grows again when the device comes back";
  EXPECT_FALSE(stopped);
}

// At first another driver has one of two devices; later a user wants fewer workers, and that driver
// gets one again, while the gang goes on.
TEST_F(DevicesTest, ComeToAGangThatBendsAndGoAgain) {
  const auto run = folder_.path() / "run";
  workers_ = Workers::Make(
                 {.logs = run / "logs", .discovery = script_, .leases = folder_.path() / "leases"})
                 .ValueOrDie();
  std::stop_source stop;
  std::atomic<bool> running = false;
  const auto other = MakeWorkers();
  const Call first{.stop = stop.get_token(), .events = [&](const Json& event) {
                     if (event.contains("pid")) running = true;
                   }};
  std::jthread holder(
      [&] { (void)RunTask(*other, OnGpus("until_stopped", 1, 1), Numbers(0, 0), first); });
  while (!running) std::this_thread::yield();

  MapTask task = TextTask("bend", R"({"steps": 1500})");
  task.gang = GangSpec{.workers = {1, 2}, .gpus_per_worker = 1, .deadline = 20, .patience = 5};
  std::vector<std::string> worlds;
  std::string after;
  std::jthread later;
  const Call call{.events = [&](const Json& event) {
    if (event["event"] == "gang_start") worlds.push_back(Dump(event["ranks"][0]["gpus"]));
    if (event["event"] == "step" && event["step"] == 20) stop.request_stop();
    if (event["event"] != "gang_change") return;
    worlds.push_back(Dump(event["world"]));
    if (event["world"] == 2) {
      EXPECT_TRUE(WriteFile(run / kWorkersWanted, "1").ok());
    }
    if (event["world"] != 1) return;
    later = std::jthread([&] {
      const auto output = RunTask(*other, OnGpus("devices", 1, 1), Numbers(0, 0));
      after = output.ok() ? SortedTexts(*output).front() : FaultOf(output.status()).what;
    });
  }};
  const auto output = RunTask(*workers_, task, Numbers(0, 0), call);
  ASSERT_TRUE(output.ok()) << output.status();
  later.join();
  EXPECT_THAT(worlds, ElementsAre(R"(["1"])", "2", "1"));
  EXPECT_THAT(after, HasSubstr("has gpu 0"));
}

TEST_F(DevicesTest, OfAScriptThatIsWrongAreNobodys) {
  Print("two");
  const Fault fault = FaultOf(workers_->Placement({.gpus_per_worker = 1}).status());
  EXPECT_EQ(fault.exit, Exit::kEnvironment);
  EXPECT_EQ(fault.where, script_.string());
  EXPECT_TRUE(workers_->Placement({.workers = 1}).ok());
}

}  // namespace
}  // namespace protium
