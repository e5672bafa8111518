// SPDX-License-Identifier: Apache-2.0
#include "store/draft_lock.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <thread>

#include "base/fault.h"
#include "store/testing/store_fixture.h"

namespace protium {
namespace {

using testing::HasSubstr;
using DraftLockTest = StoreTest;

// A process that begins an object, reports it and then waits to be killed.
pid_t BeginInChild(const StoreOptions& options, const DraftRequest& request) {
  Pipe pipe = Pipe::Make().ValueOrDie();
  const pid_t child = ::fork();
  if (child == 0) {
    const auto store = LocalStore::Open(options);
    if (!store.ok()) ::_exit(1);
    auto begun = (*store)->FindOrBegin(request, Call{});
    if (!begun.ok()) ::_exit(1);
    (void)!::write(pipe.write.get(), "x", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  EXPECT_EQ(::read(pipe.read.get(), &byte, 1), 1);
  return child;
}

TEST_F(DraftLockTest, ASecondProgramWaitsSaysForWhomAndTakesOverFromADeadOne) {
  OpenStore();
  const pid_t maker = BeginInChild(Options(), Request("a"));
  const auto store = OpenStore();  // Whose sweep leaves the draft alone.
  std::vector<DraftHolder> waited;
  auto begun = store->FindOrBegin(Request("a"), Soon(), [&](const DraftHolder& holder) {
    waited.push_back(holder);
    ::kill(maker, SIGKILL);
  });
  ASSERT_EQ(::waitpid(maker, nullptr, 0), maker);
  ASSERT_TRUE(begun.ok());
  EXPECT_TRUE(std::holds_alternative<Draft>(*begun));
  ASSERT_EQ(waited.size(), 1u);
  EXPECT_EQ(waited[0].who, "run of a");
  EXPECT_EQ(waited[0].pid, maker);
}

TEST_F(DraftLockTest, WaitingEndsAtTheDeadlineWithTheHoldersName) {
  const auto store = OpenStore();
  auto first = store->FindOrBegin(Request("a"), Soon()).ValueOrDie();
  Call call;
  call.deadline = Clock::now() + std::chrono::milliseconds(50);
  const auto second = store->FindOrBegin(Request("a"), call);
  EXPECT_EQ(FaultOf(second.status()).exit, Exit::kStalled);
  EXPECT_THAT(FaultOf(second.status()).what, HasSubstr("run of a (pid"));
}

TEST_F(DraftLockTest, WaitingEndsWhenItIsStopped) {
  const auto store = OpenStore();
  auto first = store->FindOrBegin(Request("a"), Soon()).ValueOrDie();
  std::stop_source source;
  Call call = Soon();
  call.stop = source.get_token();
  const auto second =
      store->FindOrBegin(Request("a"), call, [&](const DraftHolder&) { source.request_stop(); });
  EXPECT_TRUE(second.status().IsCancelled());
}

TEST_F(DraftLockTest, OfManyThreadsOneMakesTheObjectAndAllGetIt) {
  const auto store = OpenStore();
  std::atomic<int> made = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      auto begun = store->FindOrBegin(Request("a"), Soon()).ValueOrDie();
      auto* const draft = std::get_if<Draft>(&begun);
      if (draft == nullptr) return;
      ++made;
      EXPECT_TRUE(draft->AddPart("rows", 3).ok());
      EXPECT_TRUE(draft->Commit({}).ok());
    });
  }
  threads.clear();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(store->List().size(), 1u);
  EXPECT_EQ(CountIn(Options().folder / "drafts"), 0);
}

TEST_F(DraftLockTest, UnlockedDraftsAreSweptByWhoeverOpensTheStoreNext) {
  OpenStore();
  const pid_t maker = BeginInChild(Options(), Request("a"));
  ::kill(maker, SIGKILL);
  ASSERT_EQ(::waitpid(maker, nullptr, 0), maker);
  EXPECT_EQ(CountIn(Options().folder / "drafts"), 2);
  OpenStore();
  EXPECT_EQ(CountIn(Options().folder / "drafts"), 0);
}

}  // namespace
}  // namespace protium
