// SPDX-License-Identifier: Apache-2.0
// A process that is killed at every step, a disk that is full at every size.
#include <sys/wait.h>

#include "base/fault.h"
#include "os/file_size_limit.h"
#include "store/testing/store_fixture.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using StoreFaultsTest = StoreTest;

// Runs `work` on the store in a process of its own that ends, without a word, before its step of
// that number; returns whether it came so far.
template <class Work>
bool DiesAt(int number, StoreOptions options, const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int steps = 0;
    options.step = [&](std::string_view) {
      if (steps++ == number) ::_exit(9);
    };
    const auto store = LocalStore::Open(options);
    if (!store.ok()) ::_exit(1);
    ::_exit(work(**store) ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_TRUE(WEXITSTATUS(status) == 9 || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
  return WEXITSTATUS(status) == 9;
}

TEST_F(StoreFaultsTest, AKillAtAnyStepOfPublishingLeavesAllOrNothing) {
  OpenStore();
  int step = 0;
  const auto make = [](LocalStore& store) {
    return Make(store, "a", "rows of a", {.seconds = 1, .synced = true}).ok();
  };
  for (; DiesAt(step, Options(), make); ++step) {
    const auto store = OpenStore();
    EXPECT_EQ(CountIn(Options().folder / "drafts"), 0) << step;
    const std::string text = TextOf(*store, "a");
    EXPECT_TRUE(text == "none" || text == "rows of a") << step << text;
    ASSERT_TRUE(Make(*store, "a", "rows of a").ok());
    EXPECT_EQ(TextOf(*store, "a"), "rows of a");
    ASSERT_TRUE(store->Remove(CauseOf("a")).ValueOrDie());
    ASSERT_TRUE(store->Reindex().ok());
    EXPECT_FALSE(store->Facts(CauseOf("a")).ValueOrDie());
  }
  // begin, add, hash, flush part, manifest, flush manifest, index, rename, renamed, flush name
  EXPECT_EQ(step, 10);
  EXPECT_TRUE(notes_.empty());
}

TEST_F(StoreFaultsTest, AKillAtAnyStepOfGivingWayLeavesAllOrNothing) {
  int step = 0;
  const auto give = [](LocalStore& store) { return store.GiveWay(1).ValueOr(0) > 0; };
  while (true) {
    ASSERT_TRUE(Make(*OpenStore(), "a", "rows of a").ok());
    ASSERT_TRUE(Make(*OpenStore(), "b", "rows of b", {.seconds = 9}).ok());
    const bool died = DiesAt(step, Options(), give);
    const auto store = OpenStore();
    EXPECT_EQ(CountIn(Options().folder / "trash"), 0) << step;
    const std::string text = TextOf(*store, "a");
    EXPECT_TRUE(text == "none" || text == "rows of a") << step << text;
    EXPECT_EQ(TextOf(*store, "b"), "rows of b");
    ASSERT_TRUE(store->Reindex().ok());
    EXPECT_EQ(store->Facts(CauseOf("a")).ValueOrDie().has_value(), text != "none") << step;
    if (!died) break;
    ++step;
  }
  EXPECT_EQ(step, 2);  // remove, removed
}

TEST_F(StoreFaultsTest, AKillAtAnyStepOfTakingAFileLeavesTheFileAndAllOrNothing) {
  OpenStore();
  const fs::path file = folder_.path() / "written";
  ASSERT_TRUE(WriteFile(file, "rows of a").ok());
  const auto take = [&](LocalStore& store) {
    auto begun = store.FindOrBegin(Request("a"), Soon());
    if (!begun.ok()) return false;
    auto* const draft = std::get_if<Draft>(&*begun);
    return draft != nullptr && draft->TakePart("rows", file).ok() && draft->Commit({}).ok();
  };
  int step = 0;
  for (; DiesAt(step, Options(), take); ++step) {
    const auto store = OpenStore();
    EXPECT_EQ(CountIn(Options().folder / "drafts"), 0) << step;
    const std::string text = TextOf(*store, "a");
    EXPECT_TRUE(text == "none" || text == "rows of a") << step << text;
    EXPECT_EQ(ReadFile(file).ValueOrDie(), "rows of a") << step;
    (void)store->Remove(CauseOf("a"));
    EXPECT_EQ(fs::hard_link_count(file), 1u) << step;
  }
  EXPECT_EQ(step, 7);  // begin, take, hash, manifest, index, rename, renamed
  EXPECT_TRUE(notes_.empty());
}

TEST_F(StoreFaultsTest, ABitThatFlipsInAnyFileOfAnObjectIsFoundAfterTheNextBoot) {
  const auto store = OpenStore();
  StoreOptions options = Options();
  options.boot = "next boot";
  const auto later = OpenStore(options);
  size_t flips = 0;
  for (const char* name : {"rows", "manifest.json"}) {
    for (size_t at = 0;; at += at < 10 ? 1 : 17) {
      ASSERT_TRUE(Make(*store, "a", "rows of a").ok());
      std::string bytes = ReadFile(PathOf("a") / name).ValueOrDie();
      if (at >= bytes.size()) break;
      bytes[at] = char(bytes[at] ^ 1);
      std::fstream(PathOf("a") / name, std::ios::in | std::ios::out | std::ios::binary) << bytes;
      ++flips;
      EXPECT_EQ(TextOf(*later, "a"), "none") << name << " at " << at;
      EXPECT_FALSE(fs::exists(PathOf("a"))) << name << " at " << at;
    }
  }
  EXPECT_EQ(notes_.size(), flips);
  EXPECT_GT(flips, 30u);
}

TEST_F(StoreFaultsTest, AFullDiskAtAnySizeLosesOnlyTheNewObject) {
  const auto store = OpenStore();
  const std::string text(40'000, 'x');
  ASSERT_TRUE(Make(*store, "old", "rows of old").ok());
  int failures = 0;
  // The files of the index are larger than the smallest of these limits, too.
  for (const rlim_t bytes : {0, 1, 200, 600, 5'000, 20'000, 39'999, 40'000, 200'000, 4'000'000}) {
    Status made;
    {
      const FileSizeLimit limit(bytes);
      made = Make(*store, "new", text);
    }
    failures += made.ok() ? 0 : 1;
    EXPECT_EQ(TextOf(*store, "old"), "rows of old") << bytes;
    EXPECT_EQ(TextOf(*store, "new"), made.ok() ? text : "none") << bytes << made.ToString();
    EXPECT_EQ(CountIn(Options().folder / "drafts"), 0) << bytes;
    (void)store->Remove(CauseOf("new"));
  }
  EXPECT_EQ(failures, 7);
}

TEST_F(StoreFaultsTest, ALossOfPowerBeforeTheFlushIsFoundAndTheObjectMadeAgain) {
  ASSERT_TRUE(Make(*OpenStore(), "a", "rows of a").ok());
  // What ext4 leaves of a file that was renamed but not flushed: its size, and zeros.
  ASSERT_TRUE(WriteFile(PathOf("a") / "rows", std::string(9, '\0')).ok());
  StoreOptions options = Options();
  options.boot = "after the power came back";
  const auto store = OpenStore(options);
  ASSERT_TRUE(Make(*store, "a", "rows of a").ok());
  EXPECT_EQ(TextOf(*store, "a"), "rows of a");
  EXPECT_EQ(notes_.size(), 1u);
}

}  // namespace
}  // namespace protium
