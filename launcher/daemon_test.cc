// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "launcher/clock.h"
#include "launcher/test_jvm.h"
#include "os/file.h"
#include "spark/ship/bundle.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// A folder as in an image: the program, and the launcher beside it under the program's name.
class DaemonTest : public testing::TestWithParam<Wire> {
 protected:
  void SetUp() override {
    const fs::path launcher = FindLauncher().ValueOrDie().file;
    fs::copy_file(launcher, folder_.path() / "test-launcher");
    fs::create_symlink(launcher.parent_path() / "launcher-test-worker", folder_.path() / "test");
  }
  JvmOptions Options() const {
    return {.launcher = folder_.path() / "test-launcher",
            .folder = folder_.path(),
            .environment = {{"PATH", "/usr/bin:/bin"}},
            .wire = GetParam()};
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

INSTANTIATE_TEST_SUITE_P(Wires, DaemonTest, testing::Values(Wire::kTcp, Wire::kUnix),
                         [](const auto& wire) {
                           return wire.param == Wire::kTcp ? "Tcp" : "Unix";
                         });

int64_t ResidentBytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  int64_t pages = 0;
  file >> pages >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

TEST_P(DaemonTest, AConnectionBecomesTheProgramUnderThePidThatWasTold) {
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  auto worker = jvm->Connect();
  ASSERT_TRUE(worker.has_value());
  EXPECT_EQ(worker->Ask("pid"), std::to_string(worker->pid()));
  EXPECT_FALSE(worker->Ask("host").empty());
}

TEST_P(DaemonTest, TheProgramSeesNoSecretAndOrdinarySignals) {
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  auto worker = jvm->Connect();
  ASSERT_TRUE(worker.has_value());
  const std::string environment = worker->Ask("environment");
  EXPECT_THAT(environment, HasSubstr("PROTIUM_SPARK_WORKER="));
  EXPECT_THAT(environment, Not(HasSubstr("the secret")));
  EXPECT_EQ(worker->Ask("ignored signals"), std::to_string(SIGPIPE) + " ");
}

TEST_P(DaemonTest, AWorkerEndsWithItsConnection) {
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  pid_t pid;
  {
    auto worker = jvm->Connect();
    ASSERT_TRUE(worker.has_value());
    pid = worker->pid();
    EXPECT_FALSE(worker->Ask("pid").empty());
  }
  EXPECT_TRUE(IsGone(pid, 1000));
}

TEST_P(DaemonTest, TheNamedWorkerIsKilledAndNoOther) {
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  auto one = jvm->Connect(), other = jvm->Connect();
  ASSERT_TRUE(one.has_value() && other.has_value());
  one->Ask("stay");
  jvm->KillWorker(::getpid());  // Not one of the daemon's: not killed.
  jvm->KillWorker(one->pid());
  EXPECT_TRUE(IsGone(one->pid(), 1000));
  EXPECT_FALSE(other->Ask("pid").empty());
}

TEST_P(DaemonTest, TheEndOfStdinEndsEverythingWithinASecond) {
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  auto worker = jvm->Connect(), stubborn = jvm->Connect();
  ASSERT_TRUE(worker.has_value() && stubborn.has_value());
  const pid_t near = std::stoi(worker->Ask("sleeper"));
  const pid_t far = std::stoi(worker->Ask("sleeper elsewhere"));
  stubborn->Ask("stay");
  const int64_t start = launcher::Now();
  jvm->CloseStdin();
  EXPECT_EQ(jvm->WaitForEnd(1000), 0);
  for (const pid_t pid : {worker->pid(), stubborn->pid(), near, far}) EXPECT_TRUE(IsGone(pid, 50));
  EXPECT_LT(launcher::Now() - start, 1000);
  if (GetParam() == Wire::kUnix) {
    EXPECT_FALSE(fs::exists(jvm->socket_path()));
  }
}

TEST_P(DaemonTest, TerminationEndsEverything) {
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  auto worker = jvm->Connect();
  ASSERT_TRUE(worker.has_value());
  EXPECT_FALSE(worker->Ask("pid").empty());
  ::kill(jvm->daemon(), SIGTERM);
  EXPECT_EQ(jvm->WaitForEnd(1000), 1);
  EXPECT_TRUE(IsGone(worker->pid(), 50));
}

TEST_P(DaemonTest, HangupIsIgnored) {
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  ::kill(jvm->daemon(), SIGHUP);
  auto worker = jvm->Connect();
  ASSERT_TRUE(worker.has_value());
  EXPECT_FALSE(worker->Ask("pid").empty());
}

TEST_P(DaemonTest, WorkersDieWithAKilledDaemon) {
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  auto worker = jvm->Connect();
  ASSERT_TRUE(worker.has_value());
  EXPECT_FALSE(worker->Ask("pid").empty());
  ::kill(jvm->daemon(), SIGKILL);
  EXPECT_TRUE(IsGone(worker->pid(), 1000));
}

TEST_P(DaemonTest, FiftyConnectionsAreFiftyWorkersAndTheDaemonStaysSmall) {
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  std::vector<WorkerLink> workers;
  for (int i = 0; i < 50; ++i) {
    auto worker = jvm->Connect();
    ASSERT_TRUE(worker.has_value()) << i;
    workers.push_back(*std::move(worker));
  }
  for (WorkerLink& worker : workers) {
    EXPECT_EQ(worker.Ask("pid"), std::to_string(worker.pid()));
  }
  EXPECT_LT(ResidentBytes(jvm->daemon()), int64_t{3} << 20);
  jvm->CloseStdin();
  EXPECT_TRUE(jvm->WaitForEnd(1500).has_value());
  for (WorkerLink& worker : workers) EXPECT_TRUE(IsGone(worker.pid(), 50));
}

TEST_P(DaemonTest, AMissingProgramIsToldAsTheErrorOfTheTask) {
  fs::remove(folder_.path() / "test");
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  auto worker = jvm->Connect();
  ASSERT_TRUE(worker.has_value());
  const std::string refusal = worker->ReadRefusal();
  EXPECT_THAT(refusal, HasSubstr((folder_.path() / "test").string() + " on this executor"));
  EXPECT_THAT(refusal, HasSubstr("No such file"));
}

TEST_P(DaemonTest, SimpleModeServesOneWorkerAndKeepsIt) {
  auto jvm = SimpleJvm::Start(Options());
  ASSERT_TRUE(jvm != nullptr && jvm->has_worker());
  EXPECT_EQ(jvm->worker().Ask("pid"), std::to_string(jvm->worker().pid()));
  const pid_t sleeper = std::stoi(jvm->worker().Ask("sleeper"));
  jvm->CloseStdin();
  EXPECT_TRUE(jvm->WaitForEnd(1000).has_value());
  EXPECT_TRUE(IsGone(jvm->worker().pid(), 50));
  EXPECT_TRUE(IsGone(sleeper, 50));
}

TEST_P(DaemonTest, SimpleModeEndsWithItsWorker) {
  auto jvm = SimpleJvm::Start(Options());
  ASSERT_TRUE(jvm != nullptr && jvm->has_worker());
  EXPECT_FALSE(jvm->worker().Ask("pid").empty());
  ::kill(jvm->worker().pid(), SIGKILL);
  EXPECT_EQ(jvm->WaitForEnd(1000), 128 + SIGKILL);
}

class TcpDaemonTest : public DaemonTest {};
INSTANTIATE_TEST_SUITE_P(Tcp, TcpDaemonTest, testing::Values(Wire::kTcp));

TEST_P(TcpDaemonTest, AWrongSecretIsRefused) {
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  for (const char* wrong : {"", "the secre", "the secret!", "the wrong!", "x"}) {
    EXPECT_FALSE(jvm->Connect(wrong).has_value()) << wrong;
  }
  EXPECT_FALSE(jvm->Connect(std::string(100000, 'x')).has_value());
  EXPECT_TRUE(jvm->Connect().has_value());
}

TEST_P(TcpDaemonTest, WhoSaysNothingIsNotWaitedForLong) {
  JvmOptions options = Options();
  options.environment["SPARK_AUTH_SOCKET_TIMEOUT"] = "1";
  auto jvm = MockJvm::Start(options);
  ASSERT_NE(jvm, nullptr);
  const UniqueFd silent = jvm->ConnectOnly();
  char bytes[16];
  ASSERT_TRUE(silent);
  const int64_t start = launcher::Now();
  while (::read(silent.get(), bytes, sizeof bytes) > 0) continue;  // Its pid, then the end.
  EXPECT_LT(launcher::Now() - start, 3000);
}

TEST_P(TcpDaemonTest, SimpleModeRefusedByTheJvmEnds) {
  auto jvm = SimpleJvm::Start(Options(), "another secret");
  ASSERT_NE(jvm, nullptr);
  EXPECT_FALSE(jvm->has_worker());
  EXPECT_EQ(jvm->WaitForEnd(2000), 1);
}

}  // namespace
}  // namespace protium
