// SPDX-License-Identifier: Apache-2.0
// Workers that a pool's zygote forks, against the pool itself in a thread of the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "os/file.h"
#include "pool/pool_daemon.h"
#include "workers/idle_workers.h"
#include "workers/testing/test_tasks.h"

namespace protium {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

Deadline Soon() { return Clock::now() + std::chrono::seconds(10); }

// The pool, which ends with it.
class OwnPool {
 public:
  OwnPool() { Start(); }
  ~OwnPool() {
    Stop();
    // Zygotes are children of this process, and end with their pool and their last worker.
    while (::waitpid(-1, nullptr, 0) > 0) continue;
  }
  std::filesystem::path socket() const { return folder_.path() / "own" / "pool.sock"; }
  std::filesystem::path folder() const { return folder_.path(); }
  void Start() {
    auto listener = ListenAsPool(socket()).ValueOrDie();
    thread_ =
        std::jthread([this, listener = std::move(listener)](const std::stop_token& stop) mutable {
          const Status ended =
              PoolDaemon({.socket = socket(), .log = folder_.path() / "log"}, std::move(listener))
                  .Serve(stop);
          EXPECT_TRUE(ended.ok()) << ended;
        });
  }
  void Stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }
  Json State() const {
    const auto link = AttachToPool(socket(), "test").ValueOrDie();
    return AskPool(*link, {{"type", "status"}}).ValueOrDie().head["pool"];
  }
  // Waits until as many zygotes are ready to fork.
  bool AwaitZygotes(size_t count) const {
    for (const Deadline deadline = Soon(); Clock::now() < deadline;) {
      size_t ready = 0;
      const Json state = State();
      for (const Json& each : state["zygotes"]) ready += each["ready"] == true ? 1 : 0;
      if (ready == count) return true;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return false;
  }

 private:
  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::jthread thread_;
};

class Pooled : public testing::Test {
 protected:
  // Makes the pool acquainted with this program.
  void SetUp() override {
    PoolClient client(pool_.socket(), "first");
    EXPECT_TRUE(client.Take(wish_, 1).empty());
    EXPECT_EQ(client.TakeNote(), "");
    ASSERT_TRUE(pool_.AwaitZygotes(1)) << Dump(pool_.State());
  }
  PooledWorker TakeOne(PoolClient& client) {
    auto workers = client.Take(wish_, 1);
    PT_CHECK(workers.size() == 1);
    return std::move(workers.front());
  }

  OwnPool pool_;
  PooledWish wish_{.program = "/proc/self/exe"};
};

TEST_F(Pooled, ComeWithWhatAChildInherits) {
  ::setenv("PROTIUM_POOLED_TEST", "of the driver", 1);
  wish_.environment = {{"OWN_WORD", "more"}};
  wish_.log = pool_.folder() / "worker.log";
  const mode_t before = ::umask(027);
  PoolClient client(pool_.socket(), "test");
  PooledWorker worker = TakeOne(client);
  ::umask(before);
  const auto ready = worker.link->Receive(Soon()).ValueOrDie();
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->type, "ready");
  const std::string process = "/proc/" + std::to_string(worker.process.pid());
  EXPECT_THAT(*ReadFile(process + "/status"), HasSubstr("Umask:\t0027"));
  EXPECT_EQ(std::filesystem::read_symlink(process + "/cwd"), std::filesystem::current_path());
  EXPECT_EQ(std::filesystem::read_symlink(process + "/fd/2"), wish_.log);
  EXPECT_EQ(::getpgid(worker.process.pid()), worker.process.pid());
}

TEST_F(Pooled, RunGangs) {
  const WorkerSettings settings{.pool = pool_.socket(), .who = "gangs"};
  // Another profile than that of SetUp(): one thread.
  Workers::Make(settings).ValueOrDie()->Expect(1, false);
  ASSERT_TRUE(pool_.AwaitZygotes(2)) << Dump(pool_.State());
  auto workers = Workers::Make(settings).ValueOrDie();
  const auto texts =
      SortedTexts(RunTask(*workers, GangTask("facts", 2), Numbers(1, 10)).ValueOrDie());
  EXPECT_THAT(texts, ElementsAre("0/2 from 0 from 1", "1/2 from 0 from 1"));
  const Json state = pool_.State();
  EXPECT_EQ(state["drivers"][0]["who"], "gangs");
  EXPECT_EQ(state["drivers"][0]["workers"].size(), 2u);
}

TEST_F(Pooled, ReportHowTheyEnded) {
  PoolClient client(pool_.socket(), "test");
  PooledWorker worker = TakeOne(client);
  EXPECT_FALSE(worker.process.Wait(Clock::now()).ValueOrDie());
  ::kill(worker.process.pid(), SIGSTOP);
  worker.process.Signal(SIGUSR1);
  worker.process.Signal(SIGCONT);
  EXPECT_EQ(worker.process.Wait(Soon()).ValueOrDie()->Describe(),
            "was killed by signal 10 (SIGUSR1)");
  PooledWorker left = TakeOne(client);
  ASSERT_TRUE(left.link->Receive(Soon()).ValueOrDie());
  left.link.reset();  // Its driver's end of the channel.
  EXPECT_EQ(left.process.Wait(Soon()).ValueOrDie()->Describe(), "exited with code 0");
  PooledWorker killed = TakeOne(client);
  EXPECT_EQ(killed.process.Kill().signal, SIGKILL);
}

TEST_F(Pooled, EndWithTheirDriverEvenIfStopped) {
  const auto link = AttachToPool(pool_.socket(), "test").ValueOrDie();
  const Json profile = ProfileOf(wish_.program, {}, false).ValueOrDie().ToJson();
  auto answer = AskPool(*link, {{"type", "workers"}, {"profile", profile}, {"count", 1}});
  ASSERT_EQ(answer->fds.size(), 3u);
  const int process = answer->fds[1].get();
  ::kill(answer->head["pids"][0].get<pid_t>(), SIGSTOP);
  // The pool does not see it: the zygote does.
  pool_.Stop();
  // As when the driver is killed: it sends no signal, but its descriptors close.
  answer->fds[0].reset();
  answer->fds[2].reset();
  EXPECT_EQ(WaitReadable({&process, 1}, Soon()).ValueOrDie().size(), 1u);
}

TEST_F(Pooled, GoOnWithoutTheirPool) {
  PoolClient client(pool_.socket(), "test");
  PooledWorker worker = TakeOne(client);
  pool_.Stop();
  ASSERT_TRUE(worker.link->Receive(Soon()).ValueOrDie());
  ASSERT_TRUE(worker.link->Send({{"type", "load"}}).ok());
  EXPECT_EQ(worker.link->Receive(Soon()).ValueOrDie()->type, "loaded");
  EXPECT_EQ(worker.process.Kill().signal, SIGKILL);
  EXPECT_TRUE(client.Take(wish_, 1).empty());
  // It may come back, with another process.
  pool_.Start();
  EXPECT_TRUE(client.Take(wish_, 1).empty());
  ASSERT_TRUE(pool_.AwaitZygotes(1));
  EXPECT_EQ(client.Take(wish_, 1).size(), 1u);
  EXPECT_EQ(client.TakeNote(), "");
}

TEST_F(Pooled, WaitReadyMadeAfterTheFirst) {
  PoolClient client(pool_.socket(), "test");
  ASSERT_EQ(client.Take(wish_, 2).size(), 2u);
  for (const Deadline deadline = Soon(); Clock::now() < deadline;) {
    if (pool_.State()["zygotes"][0]["warm"].get<int>() > 0) break;
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_GT(pool_.State()["zygotes"][0]["warm"].get<int>(), 0);
}

TEST(WithoutAPool, NothingIsSaid) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  PoolClient client(folder.path() / "pool.sock", "test");
  EXPECT_TRUE(client.Take({.program = "/proc/self/exe"}, 1).empty());
  EXPECT_EQ(client.TakeNote(), "");
}

// It accepts, but nobody reads.
TEST(APoolThatDoesNotAnswer, IsGivenUpInTime) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const auto listener = ListenAsPool(folder.path() / "own" / "pool.sock").ValueOrDie();
  PoolClient client(folder.path() / "own" / "pool.sock", "test");
  const auto begin = Clock::now();
  EXPECT_TRUE(client.Take({.program = "/proc/self/exe"}, 1).empty());
  EXPECT_TRUE(client.Take({.program = "/proc/self/exe"}, 1).empty());
  EXPECT_LT(Clock::now() - begin, 2 * kPoolPatience + milliseconds(2000));
  EXPECT_EQ(client.TakeNote(),
            "without the pool: it did not answer within 200 ms; protium pool restart");
}

}  // namespace
}  // namespace protium
