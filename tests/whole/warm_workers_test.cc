// SPDX-License-Identifier: Apache-2.0
// Whole jobs with workers of a pool: they learn the same, and neither the pool nor a driver leaves
// anything behind when it is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <thread>

#include "pool/pool_client.h"
#include "whole/flights.h"
#include "whole/live_run.h"
#include "whole/ranks.h"

namespace protium::whole {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr int kRows = 6000;
const std::vector<std::string> kSettings = {"train.epochs=6", "train.batch_size=128",
                                            "train.checkpoint.every_steps=20"};

// Long enough that whoever is asked for cores has steps left when it hears of that.
const std::vector<std::string> kLong = {"train.epochs=60", "train.batch_size=64",
                                        "train.checkpoint.every_steps=20"};

const std::string& WithoutAPool() {
  static const std::string weights = WeightsOfRun(kRows, kSettings);
  return weights;
}

class WarmWorkers : public testing::Test {
 protected:
  std::map<std::string, std::string> environment() const {
    return {{"PROTIUM_POOL", socket_.string()}};
  }
  void SetUp() override { Start(); }
  // Ends by itself, so that a signal of the test reaches the pool and nothing else.
  void TearDown() override { (void)Verb("stop"); }
  void Start() {
    pool_ = std::make_unique<Running>(
        std::vector<std::string>{ProtiumCommand(), "pool", "start", "--foreground"}, own_.path(),
        environment());
    // The socket may be that of a pool that was killed.
    ASSERT_TRUE(pool_->AwaitChange(own_.path(), [&] { return fs::exists(socket_); }));
    for (int i = 0; Verb("status").exit != 0 && i < 100; ++i) {
      std::this_thread::sleep_for(milliseconds(50));
    }
  }
  Outcome Verb(const std::string& what) {
    Running command({ProtiumCommand(), "pool", what, "--json"}, own_.path(), environment());
    return command.Wait();
  }
  Outcome RunJob(const Scratch& scratch) {
    Running command(FlightsCommand(scratch, ExampleTables(kRows), kSettings), scratch.path(),
                    environment());
    return command.Wait();
  }
  // The zygotes that are ready.
  std::vector<Json> Zygotes() {
    std::vector<Json> ready;
    const Json state = Verb("status").json;
    for (const Json& each : state.value("zygotes", Json::array())) {
      EXPECT_EQ(each["unfit"], "");
      if (each["ready"] == true) ready.push_back(each);
    }
    return ready;
  }
  // Runs a job, after which the pool has workers for the next one.
  void Acquaint() {
    const Scratch scratch;
    ASSERT_EQ(RunJob(scratch).exit, 0);
    for (int i = 0; Zygotes().empty() && i < 200; ++i)
      std::this_thread::sleep_for(milliseconds(50));
    ASSERT_EQ(Zygotes().size(), 1u);
  }
  // Asks the pool to become another program; returns what came back, "" if the pool has ended.
  std::string RestartAs(const fs::path& program) {
    const auto link = AttachToPool(socket_, "test").ValueOrDie();
    const Json request = {
        {"type", "restart"}, {"program", program.string()}, {"arguments", Json::array()}};
    EXPECT_TRUE(link->Send(request).ok());
    const auto answer = link->Receive(Clock::now() + seconds(10));
    return answer.ok() && *answer ? (*answer)->type : "";
  }
  fs::path Script(const std::string& line) {
    const fs::path script = own_.path() / "script";
    std::ofstream(script) << "#!/bin/sh\n" << line << "\n";
    fs::permissions(script, fs::perms(0700));
    return script;
  }
  bool IsPooled(pid_t worker) {
    const pid_t parent = FindParent(worker);
    return std::ranges::any_of(Zygotes(), [&](const Json& each) { return each["pid"] == parent; });
  }

  const Scratch own_;
  const fs::path socket_ = own_.path() / "own" / "pool.sock";
  std::unique_ptr<Running> pool_;
};

}  // namespace

TEST_F(WarmWorkers, LearnTheSameAndGoOnWhenThePoolIsKilled) {
  Acquaint();
  const Scratch scratch;
  Running command(FlightsCommand(scratch, ExampleTables(kRows), kSettings), scratch.path(),
                  environment());
  ASSERT_TRUE(AwaitStep(command, scratch, 5));
  const pid_t worker = PidOfRank(scratch, 1);
  EXPECT_TRUE(IsPooled(worker));
  pool_->Signal(SIGKILL);
  pool_->Wait();
  const Outcome run = command.Wait();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(ModelWeights(run, scratch), WithoutAPool());
  EXPECT_TRUE(EndWithin({worker}, seconds(5)));
  // Another takes its place.
  Start();
  EXPECT_EQ(Verb("status").exit, 0);
}

// By this build, by one that cannot be run, and by one that is killed before it has taken over.
TEST_F(WarmWorkers, KeepTheirCoresWhileThePoolIsRestartedAndWhenThatFails) {
  Acquaint();
  const Scratch scratch;
  Running command(FlightsCommand(scratch, ExampleTables(kRows), kSettings), scratch.path(),
                  environment());
  ASSERT_TRUE(AwaitStep(command, scratch, 5));
  const pid_t worker = PidOfRank(scratch, 1);
  // So that it is not done before the pools are.
  ASSERT_TRUE(SignalRank(scratch, 0, SIGSTOP));
  const Json before = Verb("status").json;
  ASSERT_EQ(before["claims"].size(), 1u) << Dump(before);
  const auto holds = [&] {
    const Json claims = Verb("status").json.value("claims", Json::array());
    return claims.size() == 1 && claims[0]["workers"] == before["claims"][0]["workers"];
  };
  const Outcome restarted = Verb("restart");
  EXPECT_THAT(restarted.out, HasSubstr("runs this build of protium now")) << restarted.err;
  EXPECT_TRUE(IsPooled(worker));
  EXPECT_TRUE(holds());
  EXPECT_EQ(Verb("status").json["pid"], before["pid"]);
  EXPECT_EQ(RestartAs("/no/such/program"), "refused");
  EXPECT_TRUE(holds());
  EXPECT_TRUE(IsPooled(worker));
  EXPECT_EQ(RestartAs(Script("kill -9 $$")), "");
  pool_->Wait();
  Start();
  for (int i = 0; !holds() && i < 200; ++i) std::this_thread::sleep_for(milliseconds(50));
  EXPECT_TRUE(holds()) << Dump(Verb("status").json);
  ASSERT_TRUE(SignalRank(scratch, 0, SIGCONT));
  const Outcome run = command.Wait();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("without the pool")));
  EXPECT_EQ(ModelWeights(run, scratch), WithoutAPool());
  EXPECT_TRUE(EndWithin({worker}, seconds(5)));
  const Json after = Verb("status").json;
  EXPECT_EQ(after["claims"].size(), 0u);
  EXPECT_EQ(after["free_cores"], after["cores"]);
}

TEST_F(WarmWorkers, EndWithinASecondOfTheirDriverEvenIfStopped) {
  Acquaint();
  const Scratch scratch;
  Running command(FlightsCommand(scratch, ExampleTables(kRows), kSettings), scratch.path(),
                  environment());
  ASSERT_TRUE(AwaitStep(command, scratch, 5));
  const std::vector<pid_t> workers = {PidOfRank(scratch, 0), PidOfRank(scratch, 1)};
  EXPECT_TRUE(IsPooled(workers[0]));
  kill(workers[1], SIGSTOP);
  command.Signal(SIGKILL);
  command.Wait();
  // Within a second, on a machine that has one to spare.
  EXPECT_TRUE(EndWithin(workers, seconds(5)));
}

TEST_F(WarmWorkers, PauseForAHigherPriorityAndLearnTheSame) {
  const Scratch scratch, other;
  Running low(FlightsCommand(scratch, ExampleTables(kRows), kLong), scratch.path(), environment());
  ASSERT_TRUE(AwaitStep(low, scratch, 5));
  const int cores = Verb("status").json["cores"].get<int>();
  // So that it is not done before the other one asks.
  ASSERT_TRUE(SignalRank(scratch, 0, SIGSTOP));
  std::vector<std::string> argv = FlightsCommand(other, ExampleTables(kRows), kSettings);
  argv.insert(argv.end(), {"--set", "gang.priority=5"});
  Running high(argv, other.path(), environment());
  // With cores for both it does not wait.
  const bool waits = cores < 4;
  ASSERT_TRUE(!waits || AwaitEvents(high, other, "waiting", 1));
  ASSERT_TRUE(SignalRank(scratch, 0, SIGCONT));
  const Outcome first = high.Wait(), second = low.Wait();
  ASSERT_EQ(first.exit, 0) << first.err;
  ASSERT_EQ(second.exit, 0) << second.err;
  EXPECT_EQ(ModelWeights(first, other), WithoutAPool());
  EXPECT_EQ(ModelWeights(second, scratch), WeightsOfRun(kRows, kLong));
  if (!waits) return;
  EXPECT_THAT(first.err, HasSubstr("waiting  for 2 cores: gang train of flights-"));
  EXPECT_THAT(second.err, HasSubstr("the gang pauses after this step: makes room for gang train"));
}

TEST_F(WarmWorkers, OfAReplacedProgramAreNotUsed) {
  const fs::path program = own_.path() / "protium";
  const auto run = [&] {
    fs::remove(program);
    fs::copy_file(ProtiumCommand(), program);
    const Scratch scratch;
    std::vector<std::string> argv = FlightsCommand(scratch, ExampleTables(kRows), kSettings);
    argv[0] = program.string();
    auto variables = environment();
    variables["LD_LIBRARY_PATH"] = PROTIUM_LIBRARIES;
    Running command(argv, scratch.path(), variables);
    EXPECT_EQ(command.Wait().exit, 0);
    for (int i = 0; Zygotes().empty() && i < 200; ++i)
      std::this_thread::sleep_for(milliseconds(50));
    return Zygotes();
  };
  const auto first = run();
  ASSERT_EQ(first.size(), 1u);
  for (int i = 0; Zygotes().size() < 2 && i < 20; ++i) run();
  EXPECT_GE(Zygotes().size(), 2u);
}

// A replaced library ends what waits with the old one, though nobody asks for it.
TEST_F(WarmWorkers, DoNotWaitWithALibraryThatWasReplaced) {
  const fs::path libraries = own_.path() / "lib";
  fs::create_directory(libraries);
  for (const auto& each : fs::directory_iterator(PROTIUM_LIBRARIES)) {
    if (each.path().filename().string().starts_with("libprotium.so")) {
      fs::copy(each.path(), libraries / each.path().filename());
    } else {
      fs::create_symlink(each.path(), libraries / each.path().filename());
    }
  }
  const Scratch scratch;
  auto variables = environment();
  variables["LD_LIBRARY_PATH"] = libraries.string();
  Running command(FlightsCommand(scratch, ExampleTables(kRows), kSettings), scratch.path(),
                  variables);
  ASSERT_EQ(command.Wait().exit, 0);
  for (int i = 0; Zygotes().empty() && i < 200; ++i) std::this_thread::sleep_for(milliseconds(50));
  ASSERT_EQ(Zygotes().size(), 1u);
  const fs::path library = fs::canonical(libraries / "libprotium.so");
  fs::copy_file(library, own_.path() / "new");
  fs::rename(own_.path() / "new", library);
  for (int i = 0; !Zygotes().empty() && i < 200; ++i) std::this_thread::sleep_for(milliseconds(50));
  EXPECT_TRUE(Zygotes().empty());
  EXPECT_THAT(Verb("status").json["replaced"].get<std::string>(), HasSubstr("libprotium.so"));
}

TEST_F(WarmWorkers, AreRefusedInAFolderThatOthersCanReach) {
  fs::permissions(socket_.parent_path(), fs::perms(0755));
  const Outcome status = Verb("status");
  EXPECT_EQ(status.exit, 4);
  EXPECT_THAT(status.err, HasSubstr("is open to others"));
  const Scratch scratch;
  const Outcome run = RunJob(scratch);
  EXPECT_EQ(run.exit, 0);
  EXPECT_THAT(run.err, HasSubstr("without the pool: the folder of the pool is open to others"));
  fs::permissions(socket_.parent_path(), fs::perms(0700));
}

TEST_F(WarmWorkers, HaveOnePool) {
  const Outcome second = Verb("start");
  EXPECT_EQ(second.exit, 2);
  EXPECT_THAT(second.err, HasSubstr("a pool is already running"));
  EXPECT_EQ(Verb("stop").exit, 0);
  EXPECT_EQ(pool_->Wait().exit, 0);
  const Outcome none = Verb("status");
  EXPECT_EQ(none.exit, 3);
  EXPECT_THAT(none.err, HasSubstr("protium pool start"));
  // Detached; it has this command's mark, and would be killed with it.
  Running starting({ProtiumCommand(), "pool", "start"}, own_.path(), environment());
  EXPECT_THAT(starting.Wait().out, HasSubstr("the pool is running (pid "));
  EXPECT_EQ(starting.Descendants().size(), 1u);
  EXPECT_THAT(Verb("stop").out, HasSubstr("keep their workers"));
  EXPECT_TRUE(EndWithin(starting.Descendants(), seconds(5)));
}

}  // namespace protium::whole
