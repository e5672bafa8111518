// SPDX-License-Identifier: Apache-2.0
#include "store/local_store.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "store/testing/store_fixture.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using LocalStoreTest = StoreTest;

TEST_F(LocalStoreTest, FindsWhatAnEarlierProcessMade) {
  ASSERT_TRUE(Make(*OpenStore(), "a", "rows of a", {.content = "c1", .seconds = 2.5}).ok());
  const auto store = OpenStore();
  EXPECT_EQ(TextOf(*store, "a"), "rows of a");
  EXPECT_EQ(TextOf(*store, "b"), "none");
  const auto found = store->Find(CauseOf("a")).ValueOrDie();
  EXPECT_EQ(found->manifest().run, "run of a");
  EXPECT_EQ(found->manifest().seconds, 2.5);
  EXPECT_EQ(found->manifest().bytes, 9);
  EXPECT_EQ(store->Peek(CauseOf("a"))->run, "run of a");
  EXPECT_FALSE(store->Peek(CauseOf("b")));
  // Its making was the first use.
  EXPECT_EQ(store->Facts(CauseOf("a")).ValueOrDie()->uses, 3);
}

TEST_F(LocalStoreTest, FindsByContentWhateverMadeIt) {
  const auto store = OpenStore();
  ASSERT_TRUE(Make(*store, "a", "same", {.content = "c1"}).ok());
  const auto found = store->FindContent("table", "c1").ValueOrDie();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->manifest().cause, CauseOf("a"));
  EXPECT_FALSE(store->FindContent("table", "c2").ValueOrDie());
  EXPECT_FALSE(store->FindContent("weights", "c1").ValueOrDie());
}

TEST_F(LocalStoreTest, LeavesNothingOfADraftThatIsNotCommitted) {
  const auto store = OpenStore();
  {
    auto begun = store->FindOrBegin(Request("a"), Soon()).ValueOrDie();
    ASSERT_TRUE(std::get<Draft>(begun).AddPart("rows", 100).ok());
  }
  EXPECT_EQ(CountIn(Options().folder / "drafts"), 0);
  EXPECT_EQ(TextOf(*store, "a"), "none");
}

TEST_F(LocalStoreTest, TakesAFileThatAnotherWroteWithoutCopyingIt) {
  const auto store = OpenStore();
  const fs::path file = Options().folder / "open" / "written";
  ASSERT_TRUE(WriteFile(file, "by DuckDB").ok());
  {
    auto begun = store->FindOrBegin(Request("a"), Soon()).ValueOrDie();
    Draft& draft = std::get<Draft>(begun);
    ASSERT_TRUE(draft.TakePart("rows", file).ok());
    ASSERT_TRUE(draft.Commit({.synced = true}).ok());
  }
  EXPECT_EQ(TextOf(*store, "a"), "by DuckDB");
  EXPECT_EQ(fs::hard_link_count(file), 2u);
}

TEST_F(LocalStoreTest, GivesWayToNewObjectsButNeverTakesOneThatIsRead) {
  StoreOptions options = Options();
  options.most_bytes = 25;
  const auto store = OpenStore(options);
  ASSERT_TRUE(Make(*store, "cheap", "0123456789", {.seconds = 1}).ok());
  ASSERT_TRUE(Make(*store, "dear", "0123456789", {.seconds = 9}).ok());
  ASSERT_TRUE(Make(*store, "next", "0123456789", {.seconds = 5}).ok());
  EXPECT_EQ(TextOf(*store, "cheap"), "none");
  const auto read = store->Find(CauseOf("next")).ValueOrDie();
  ASSERT_TRUE(Make(*store, "last", "0123456789", {.seconds = 3}).ok());
  EXPECT_EQ(TextOf(*store, "dear"), "none");
  EXPECT_EQ(TextOf(*store, "next"), "0123456789");
  EXPECT_EQ(CountIn(Options().folder / "trash"), 0);
}

TEST_F(LocalStoreTest, RefusesWhatCanNeverFitAndKeepsTheOthers) {
  StoreOptions options = Options();
  options.most_bytes = 25;
  const auto store = OpenStore(options);
  ASSERT_TRUE(Make(*store, "a", "0123456789").ok());
  const Status status = Make(*store, "large", std::string(26, 'x'));
  EXPECT_EQ(FaultOf(status).exit, Exit::kNoRoom);
  EXPECT_THAT(FaultOf(status).what, HasSubstr("no room for 26 bytes"));
  EXPECT_EQ(TextOf(*store, "a"), "0123456789");
  EXPECT_EQ(CountIn(Options().folder / "drafts"), 0);
}

TEST_F(LocalStoreTest, AnObjectWithARefDoesNotGiveWay) {
  StoreOptions options = Options();
  options.most_bytes = 15;
  const auto store = OpenStore(options);
  ASSERT_TRUE(Make(*store, "a", "0123456789").ok());
  ASSERT_TRUE(store->refs().CompareAndSet("weights", 0, CauseOf("a")).ValueOrDie());
  EXPECT_EQ(FaultOf(Make(*store, "b", "0123456789")).exit, Exit::kNoRoom);
  EXPECT_EQ(TextOf(*store, "a"), "0123456789");
}

TEST_F(LocalStoreTest, FindsAFlippedBitAfterTheNextBootAndDropsTheObject) {
  ASSERT_TRUE(Make(*OpenStore(), "a", "rows of a").ok());
  const fs::path part = PathOf("a") / "rows";
  std::fstream(part, std::ios::in | std::ios::out).put('R');
  StoreOptions options = Options();
  options.boot = "next boot";
  const auto store = OpenStore(options);
  EXPECT_EQ(TextOf(*store, "a"), "none");
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_THAT(notes_[0], HasSubstr("its part rows has other bytes"));
  EXPECT_FALSE(fs::exists(PathOf("a")));
  ASSERT_TRUE(Make(*store, "a", "rows of a").ok());
  EXPECT_EQ(TextOf(*store, "a"), "rows of a");
}

TEST_F(LocalStoreTest, ReadsAnObjectOfAnotherBootWholeOnlyOnce) {
  ASSERT_TRUE(Make(*OpenStore(), "a", "rows of a").ok());
  StoreOptions options = Options();
  options.boot = "next boot";
  const auto store = OpenStore(options);
  EXPECT_EQ(TextOf(*store, "a"), "rows of a");
  EXPECT_EQ(store->Facts(CauseOf("a")).ValueOrDie()->checked, "next boot");
}

TEST_F(LocalStoreTest, ASizeThatDiffersIsFoundAtOnce) {
  const auto store = OpenStore();
  ASSERT_TRUE(Make(*store, "a", "rows of a").ok());
  fs::resize_file(PathOf("a") / "rows", 4);
  EXPECT_EQ(TextOf(*store, "a"), "none");
  EXPECT_THAT(notes_.at(0), HasSubstr("another size"));
}

TEST_F(LocalStoreTest, EveryDamageOfAManifestIsFound) {
  const auto store = OpenStore();
  ASSERT_TRUE(Make(*store, "a", "rows of a").ok());
  const fs::path manifest = PathOf("a") / kManifestName;
  const std::string whole = ReadFile(manifest).ValueOrDie();
  for (size_t size : {size_t{0}, size_t{1}, whole.size() / 2, whole.size() - 2}) {
    ASSERT_TRUE(Make(*store, "a", "rows of a").ok());
    fs::resize_file(manifest, size);
    EXPECT_EQ(TextOf(*store, "a"), "none") << size;
  }
  EXPECT_EQ(notes_.size(), 4u);
}

TEST_F(LocalStoreTest, FollowsNoLink) {
  const auto store = OpenStore();
  ASSERT_TRUE(Make(*store, "a", "rows of a").ok());
  ASSERT_TRUE(WriteFile(folder_.path() / "secret", "rows of a").ok());
  fs::remove(PathOf("a") / "rows");
  fs::create_symlink(folder_.path() / "secret", PathOf("a") / "rows");
  EXPECT_EQ(TextOf(*store, "a"), "none");
  EXPECT_THAT(notes_.at(0), HasSubstr("is a link"));
}

TEST_F(LocalStoreTest, RefusesAFolderThatOthersCanRead) {
  OpenStore();
  ::chmod(Options().folder.c_str(), 0755);
  const auto refused = LocalStore::Open(Options());
  EXPECT_EQ(FaultOf(refused.status()).exit, Exit::kEnvironment);
  EXPECT_THAT(FaultOf(refused.status()).fix, HasSubstr("PROTIUM_STORE=off"));
  ::chmod(Options().folder.c_str(), 0700);
}

TEST_F(LocalStoreTest, RefusesTheFolderOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  OpenStore();
  ASSERT_EQ(::chown(Options().folder.c_str(), 1234, 1234), 0);
  const auto refused = LocalStore::Open(Options());
  EXPECT_EQ(FaultOf(refused.status()).exit, Exit::kEnvironment);
  EXPECT_THAT(FaultOf(refused.status()).what, HasSubstr("belongs to another user"));
}

TEST_F(LocalStoreTest, TakesNoPartThatIsOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  const auto store = OpenStore();
  ASSERT_TRUE(Make(*store, "a", "rows of a").ok());
  ASSERT_EQ(::chown((PathOf("a") / "rows").c_str(), 1234, 1234), 0);
  EXPECT_EQ(TextOf(*store, "a"), "none");
  EXPECT_THAT(notes_.at(0), HasSubstr("no file of yours"));
}

// Parts then look younger than their manifest, which is written last.
TEST_F(LocalStoreTest, FindsWhatWasWrittenWhileTheClockWasSetBack) {
  const auto store = OpenStore();
  ASSERT_TRUE(Make(*store, "a", "rows of a").ok());
  const fs::path manifest = PathOf("a") / kManifestName;
  fs::last_write_time(manifest, fs::last_write_time(manifest) - std::chrono::hours(3));
  EXPECT_EQ(TextOf(*store, "a"), "rows of a");
  std::fstream(PathOf("a") / "rows", std::ios::in | std::ios::out).put('R');
  EXPECT_EQ(TextOf(*store, "a"), "none") << "read whole, since it may have been changed";
}

TEST_F(LocalStoreTest, VerifyDropsWhatIsDamaged) {
  const auto store = OpenStore();
  ASSERT_TRUE(Make(*store, "a", "rows of a").ok());
  ASSERT_TRUE(Make(*store, "b", "rows of b").ok());
  std::fstream(PathOf("b") / "rows", std::ios::in | std::ios::out).put('R');
  EXPECT_TRUE(store->Verify(CauseOf("a")).ValueOrDie());
  EXPECT_FALSE(store->Verify(CauseOf("b")).ValueOrDie());
  EXPECT_EQ(store->List().size(), 1u);
}

TEST_F(LocalStoreTest, TheIndexComesBackFromTheFolders) {
  ASSERT_TRUE(Make(*OpenStore(), "a", "rows of a", {.content = "c1", .seconds = 3}).ok());
  for (const char* junk : {"", "no database at all, but long enough to look like one"}) {
    for (const char* suffix : {"-wal", "-shm"})
      fs::remove(Options().folder / ("index.sqlite" + std::string(suffix)));
    ASSERT_TRUE(WriteFile(Options().folder / "index.sqlite", junk).ok());
    const auto store = OpenStore();
    EXPECT_TRUE(store->FindContent("table", "c1").ValueOrDie()) << junk;
    EXPECT_EQ(store->Facts(CauseOf("a")).ValueOrDie()->bytes, 9);
  }
}

TEST_F(LocalStoreTest, AnIndexWithWrongSizesCostsNoObjectItsPlace) {
  ASSERT_TRUE(Make(*OpenStore(), "a", "rows of a").ok());
  for (const int64_t bytes : {int64_t{1} << 40, INT64_MAX, INT64_MIN}) {
    bool fresh = false;
    const auto index = StoreIndex::Open(Options().folder / "index.sqlite", fresh).ValueOrDie();
    for (const char* name : {"a", "b"}) {
      ASSERT_TRUE(index->Put({.cause = CauseOf(name), .kind = "table", .bytes = bytes}).ok());
    }
    const auto store = OpenStore();
    const Status made = Make(*store, "b", "rows of b");
    EXPECT_TRUE(made.ok()) << bytes << made;
    EXPECT_EQ(TextOf(*store, "a"), "rows of a") << bytes;
    EXPECT_TRUE(store->Remove(CauseOf("b")).ValueOrDie());
  }
}

TEST_F(LocalStoreTest, AnObjectThatWasRemovedByHandIsAMiss) {
  const auto store = OpenStore();
  ASSERT_TRUE(Make(*store, "a", "rows of a").ok());
  fs::remove_all(PathOf("a"));
  EXPECT_EQ(TextOf(*store, "a"), "none");
  EXPECT_TRUE(notes_.empty());
  EXPECT_FALSE(store->Remove(CauseOf("a")).ValueOrDie());
  EXPECT_EQ(store->GiveWay(1).ValueOrDie(), 0);
}

}  // namespace
}  // namespace protium
