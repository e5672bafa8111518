// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>

#include "store/testing/flip.h"
#include "store/testing/store_fixture.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// Two machines are two stores with a shared folder.
class SharedTierTest : public StoreTest {
 protected:
  SharedTierTest() { fs::create_directory(shared()); }

  fs::path shared() const { return folder_.path() / "shared"; }
  fs::path SharedObject(const std::string& name) const {
    const std::string cause = CauseOf(name);
    return shared() / "objects" / cause.substr(0, 2) / cause;
  }
  std::unique_ptr<LocalStore> Machine(const std::string& name,
                                      std::function<void(std::string_view)> step = {}) {
    StoreOptions options = Options();
    options.folder = folder_.path() / name;
    options.shared = {
        .folder = shared(), .patience = std::chrono::milliseconds(200), .step = std::move(step)};
    return OpenStore(std::move(options));
  }
  // What another machine has made is there when its store has ended.
  void MakeOnA(const std::string& name, const std::string& text,
               const DraftFacts& facts = {.content = "of a", .seconds = 1}) {
    ASSERT_TRUE(Make(*Machine("a"), name, text, facts).ok());
  }
};

TEST_F(SharedTierTest, WhatOneMachineHasMadeAnotherTakes) {
  MakeOnA("x", "rows of x");
  const auto b = Machine("b");
  EXPECT_FALSE(b->Peek(CauseOf("x")).has_value());
  ASSERT_TRUE(b->PeekShared(CauseOf("x")).has_value());
  EXPECT_EQ(TextOf(*b, "x"), "rows of x");
  const auto here = b->Peek(CauseOf("x"));
  ASSERT_TRUE(here.has_value());
  EXPECT_EQ(here->run, "run of x");
  EXPECT_EQ(here->content, "of a");
  // From here on it is its own.
  fs::remove_all(shared());
  EXPECT_EQ(TextOf(*b, "x"), "rows of x");
  EXPECT_EQ(TextOf(*b, "y"), "none");
  EXPECT_THAT(notes_, ElementsAre());
}

TEST_F(SharedTierTest, OnlyWhatIsWorthTheWayIsPutThere) {
  EXPECT_TRUE(IsWorthSharing(1000, 0));
  EXPECT_TRUE(IsWorthSharing(100'000'000, 3));
  EXPECT_FALSE(IsWorthSharing(100'000'000, 1));
  MakeOnA("large", std::string(2 << 20, 'x'), {.seconds = 0.001});
  MakeOnA("own", "a training", {.seconds = 1, .own = true});
  const auto b = Machine("b");
  EXPECT_EQ(TextOf(*b, "large"), "none");
  EXPECT_EQ(TextOf(*b, "own"), "none");
}

TEST_F(SharedTierTest, WhatIsTakenIsNotMadeWithAFreshRun) {
  MakeOnA("x", "old");
  // Made anew by somebody who asked for that, with other rows: so the old ones go.
  ASSERT_TRUE(Make(*Machine("b"), "x", "new", {.content = "of b", .seconds = 1}).ok());
  EXPECT_EQ(TextOf(*Machine("c"), "x"), "new");
}

TEST_F(SharedTierTest, AFlippedBitIsFoundSaidAndRemoved) {
  MakeOnA("x", "rows of x");
  MakeOnA("y", "rows of y");
  FlipBit(SharedObject("x") / "rows");
  FlipBit(SharedObject("y") / "manifest.json");
  const auto b = Machine("b");
  EXPECT_EQ(TextOf(*b, "x"), "none");
  EXPECT_EQ(TextOf(*b, "y"), "none");
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_THAT(notes_[0], HasSubstr((SharedObject("x") / "rows").string() + " is damaged"));
  EXPECT_FALSE(fs::exists(SharedObject("x")));
  // They are made again, here and there.
  ASSERT_TRUE(Make(*Machine("b"), "x", "rows of x").ok());
  ASSERT_TRUE(Make(*Machine("b"), "y", "rows of y").ok());
  notes_.clear();
  EXPECT_EQ(TextOf(*Machine("c"), "y"), "rows of y");
  EXPECT_EQ(TextOf(*Machine("c"), "x"), "rows of x");
  EXPECT_THAT(notes_, ElementsAre());
}

TEST_F(SharedTierTest, AFolderThatHangsIsPassedByInBoundedTime) {
  MakeOnA("x", "rows of x");
  std::mutex mutex;
  std::condition_variable changed;
  bool released = false, left = false;
  const auto begun = Clock::now();
  {
    const auto b = Machine("b", [&](std::string_view) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return released; });
      left = true;
      changed.notify_all();
    });
    EXPECT_EQ(TextOf(*b, "x"), "none");
    EXPECT_EQ(TextOf(*b, "y"), "none");
    ASSERT_TRUE(Make(*b, "x", "rows of x").ok());
    EXPECT_EQ(TextOf(*b, "x"), "rows of x");
    ASSERT_EQ(notes_.size(), 1u);
    EXPECT_THAT(notes_[0], HasSubstr("does not answer while an object is looked for: it is passed "
                                     "by from now on"));
  }
  EXPECT_LT(Clock::now() - begun, std::chrono::seconds(2));
  // Both threads, that of the look and that of the offer, end when their folder answers.
  std::unique_lock lock(mutex);
  released = true;
  changed.notify_all();
  EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return left; }));
}

TEST_F(SharedTierTest, AFolderThatCannotBeWrittenIsSaidOnceAndRead) {
  MakeOnA("x", "rows of x");
  // As of a share that is full or read-only, for root as well.
  fs::rename(shared() / "drafts", folder_.path() / "drafts");
  std::ofstream(shared() / "drafts") << "no folder";
  {
    const auto b = Machine("b");
    ASSERT_TRUE(Make(*b, "y", "rows of y").ok());
    ASSERT_TRUE(Make(*b, "z", "rows of z").ok());
    const auto until = Clock::now() + std::chrono::seconds(20);
    while (notes_.empty() && Clock::now() < until) EXPECT_EQ(TextOf(*b, "w"), "none");
    EXPECT_EQ(TextOf(*b, "x"), "rows of x");
    ASSERT_EQ(notes_.size(), 1u);
    EXPECT_THAT(notes_[0], HasSubstr("nothing is put into the shared store"));
  }
  fs::remove(shared() / "drafts");
  EXPECT_EQ(TextOf(*Machine("c"), "y"), "none");
}

// Whatever step it is: a killed machine leaves a draft, never an object.
TEST_F(SharedTierTest, AnObjectIsWholeOrNotThere) {
  for (const std::string stop : {"offer", "copy there", "rename there"}) {
    const std::string name = "until " + stop;
    const pid_t child = ::fork();
    if (child == 0) {
      const auto b = Machine("b", [&](std::string_view step) {
        if (step == stop) ::_exit(7);
      });
      (void)Make(*b, name, std::string(100'000, 'x'));
      while (true) ::pause();
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(WEXITSTATUS(status), 7);
    EXPECT_FALSE(fs::exists(SharedObject(name)));
    ASSERT_TRUE(Make(*Machine("c"), name, "whole").ok());
    EXPECT_EQ(TextOf(*Machine("d"), name), "whole");
  }
}

TEST_F(SharedTierTest, WhatIsNoFolderIsSaid) {
  fs::remove(shared());
  const auto b = Machine("b");
  EXPECT_EQ(TextOf(*b, "x"), "none");
  ASSERT_TRUE(Make(*b, "x", "rows of x").ok());
  const auto until = Clock::now() + std::chrono::seconds(20);
  while (notes_.empty() && Clock::now() < until) EXPECT_EQ(TextOf(*b, "w"), "none");
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_THAT(notes_[0], HasSubstr((shared().string() + " is no folder")));
}

}  // namespace
}  // namespace protium
