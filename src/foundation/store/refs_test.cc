// SPDX-License-Identifier: Apache-2.0
#include "store/refs.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/fault.h"
#include "store/testing/store_fixture.h"

namespace protium {
namespace {

using RefsTest = StoreTest;

TEST_F(RefsTest, AChangeStatesTheVersionThatItFollows) {
  const auto store = OpenStore();
  Refs& refs = store->refs();
  EXPECT_FALSE(refs.Get("latest weights").ValueOrDie());
  EXPECT_TRUE(refs.CompareAndSet("latest weights", 0, CauseOf("a")).ValueOrDie());
  EXPECT_FALSE(refs.CompareAndSet("latest weights", 0, CauseOf("b")).ValueOrDie());
  EXPECT_TRUE(refs.CompareAndSet("latest weights", 1, CauseOf("b")).ValueOrDie());
  const auto ref = refs.Get("latest weights").ValueOrDie();
  EXPECT_EQ(ref->object, CauseOf("b"));
  EXPECT_EQ(ref->version, 2);
  EXPECT_EQ(refs.Objects(), std::set<std::string>{CauseOf("b")});
}

TEST_F(RefsTest, OfManyAtTheSameTimeExactlyOneWinsEachVersion) {
  const auto store = OpenStore();
  std::atomic<int> won = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int tries = 0; tries < 25; ++tries) {
        const auto now = store->refs().Get("count").ValueOrDie();
        const int64_t version = now ? now->version : 0;
        if (store->refs().CompareAndSet("count", version, CauseOf("a")).ValueOrDie()) ++won;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(store->refs().Get("count").ValueOrDie()->version, won);
  EXPECT_GE(won, 25);
}

TEST_F(RefsTest, ADroppedNameIsNewButItsVersionsGoOn) {
  const auto store = OpenStore();
  Refs& refs = store->refs();
  ASSERT_TRUE(refs.CompareAndSet("b", 0, CauseOf("a")).ValueOrDie());
  ASSERT_TRUE(refs.CompareAndSet("a", 0, CauseOf("a")).ValueOrDie());
  ASSERT_EQ(refs.List().size(), 2u);
  EXPECT_EQ(refs.List()[0].name, "a");
  EXPECT_FALSE(refs.Drop("b", CauseOf("other")).ValueOrDie());
  EXPECT_TRUE(refs.Drop("b", CauseOf("a")).ValueOrDie());
  EXPECT_FALSE(refs.Drop("b", CauseOf("a")).ValueOrDie());
  EXPECT_FALSE(refs.Get("b").ValueOrDie());
  EXPECT_EQ(refs.List().size(), 1u);
  // Whoever read version 1 before it was dropped does not take what came after for it.
  EXPECT_FALSE(refs.CompareAndSet("b", 1, CauseOf("c")).ValueOrDie());
  EXPECT_TRUE(refs.CompareAndSet("b", 0, CauseOf("b")).ValueOrDie());
  EXPECT_EQ(refs.Get("b").ValueOrDie()->version, 2);
  EXPECT_FALSE(refs.CompareAndSet("b", 1, CauseOf("c")).ValueOrDie());
}

// The child acknowledges each change with a byte; of the one that it dies in nobody was told.
TEST_F(RefsTest, AKillAtAnyMomentLosesNoChangeThatWasAcknowledged) {
  OpenStore();
  int64_t acknowledged = 0;
  for (int kill = 0; kill < 20; ++kill) {
    int pipe[2];
    ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const auto store = OpenStore();
      for (int64_t version = acknowledged;; ++version) {
        const auto set =
            store->refs().CompareAndSet("w", version, CauseOf(std::to_string(version)));
        if (!set.ok() || !*set || ::write(pipe[1], "+", 1) != 1) ::_exit(1);
      }
    }
    ::close(pipe[1]);
    char byte = 0;
    for (int i = 0; i <= kill % 3; ++i) acknowledged += ::read(pipe[0], &byte, 1);
    std::this_thread::sleep_for(std::chrono::microseconds(130 * kill));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "a change was refused";
    while (::read(pipe[0], &byte, 1) == 1) ++acknowledged;
    ::close(pipe[0]);

    const auto ref = OpenStore()->refs().Get("w").ValueOrDie();
    const int64_t version = ref ? ref->version : 0;
    ASSERT_TRUE(version == acknowledged || version == acknowledged + 1) << version;
    if (ref) {
      EXPECT_EQ(ref->object, CauseOf(std::to_string(version - 1)));
    }
    acknowledged = version;
  }
  EXPECT_GE(acknowledged, 20);
  // The next one to change the ref removes the lock and the file that a killed one may have left.
  ASSERT_TRUE(OpenStore()->refs().CompareAndSet("w", acknowledged, CauseOf("last")).ValueOrDie());
  EXPECT_EQ(CountIn(Options().folder / "refs"), 1) << "more than the ref is left";
}

TEST_F(RefsTest, ADamagedRefIsAFaultNotAnotherObject) {
  const auto store = OpenStore();
  ASSERT_TRUE(store->refs().CompareAndSet("x", 0, CauseOf("a")).ValueOrDie());
  for (const auto& each : std::filesystem::directory_iterator(Options().folder / "refs")) {
    ASSERT_TRUE(WriteFile(each.path(), "{}").ok());
  }
  EXPECT_EQ(FaultOf(store->refs().Get("x").status()).exit, Exit::kInput);
  EXPECT_EQ(FaultOf(store->refs().CompareAndSet("", 0, CauseOf("a")).status()).exit, Exit::kUsage);
}

}  // namespace
}  // namespace protium
