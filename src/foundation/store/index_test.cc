// SPDX-License-Identifier: Apache-2.0
#include "store/index.h"

#include "store/testing/store_fixture.h"

namespace protium {
namespace {

using StoreIndexTest = StoreTest;

TEST_F(StoreIndexTest, ProcessesSeeEachOthersRows) {
  const auto file = folder_.path() / "index.sqlite";
  bool fresh = false;
  const auto one = StoreIndex::Open(file, fresh).ValueOrDie();
  EXPECT_TRUE(fresh);
  const auto two = StoreIndex::Open(file, fresh).ValueOrDie();
  EXPECT_FALSE(fresh);
  ASSERT_TRUE(one->Put({.cause = "a", .kind = "table", .content = "c", .bytes = 7}).ok());
  EXPECT_EQ(two->TotalBytes().ValueOrDie(), 7);
  EXPECT_EQ(two->WithContent("table", "c").ValueOrDie(), std::vector<std::string>{"a"});
  ASSERT_TRUE(two->Drop("a").ok());
  EXPECT_TRUE(one->All().ValueOrDie().empty());
}

TEST_F(StoreIndexTest, UsesAreWrittenSomeAtATimeAndNoneIsForgotten) {
  const auto file = folder_.path() / "index.sqlite";
  bool fresh = false;
  auto one = StoreIndex::Open(file, fresh).ValueOrDie();
  const auto other = StoreIndex::Open(file, fresh).ValueOrDie();
  const auto uses = [&](StoreIndex& index) { return index.Get("a").ValueOrDie()->uses; };
  ASSERT_TRUE(one->Put({.cause = "a", .kind = "table", .content = "c", .uses = 1}).ok());
  ASSERT_TRUE(one->CountUse("a", 0.25).ok());
  EXPECT_EQ(one->Look("a").ValueOrDie().row->uses, 2);
  EXPECT_EQ(uses(*other), 1) << "not written yet";
  EXPECT_EQ(uses(*one), 2);
  EXPECT_EQ(uses(*other), 2);
  EXPECT_EQ(other->Get("a").ValueOrDie()->worth, 0.25);

  ASSERT_TRUE(other->CountUse("a", 0.5).ok());
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(one->CountUse(i == 0 ? "a" : std::to_string(i), 1).ok());
  EXPECT_EQ(uses(*other), 4) << "both counted";
  ASSERT_TRUE(one->CountUse("a", 2).ok());
  one.reset();
  EXPECT_EQ(uses(*other), 5);
}

class AnswersTest : public StoreIndexTest {
 protected:
  std::unique_ptr<StoreIndex> Open() {
    bool fresh = false;
    return StoreIndex::Open(file_, fresh).ValueOrDie();
  }
  // Runs a statement as a stranger would.
  void Do(const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(database);
  }

  const std::filesystem::path file_ = folder_.path() / "index.sqlite";
};

TEST_F(AnswersTest, AreRememberedByOtherProcesses) {
  const auto one = Open(), two = Open();
  EXPECT_EQ(one->Answer("a").ValueOrDie(), std::nullopt);
  ASSERT_TRUE(one->PutAnswer("a", "first").ok());
  ASSERT_TRUE(one->PutAnswer("a", std::string("sec\0nd", 6)).ok());
  EXPECT_EQ(two->Answer("a").ValueOrDie(), std::string("sec\0nd", 6));
  ASSERT_TRUE(two->DropAnswers().ok());
  EXPECT_EQ(one->Answer("a").ValueOrDie(), std::nullopt);
}

TEST_F(AnswersTest, ThatAreDamagedOrLieUnderAnotherNameAreNone) {
  const auto index = Open();
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(index->PutAnswer(name, name).ok());
  Do("UPDATE answers SET answer = 'e' WHERE name = 'a'");
  Do("UPDATE answers SET name = 'd' WHERE name = 'b'");
  EXPECT_EQ(index->Answer("a").ValueOrDie(), std::nullopt);
  EXPECT_EQ(index->Answer("d").ValueOrDie(), std::nullopt);
  EXPECT_EQ(index->Answer("c").ValueOrDie(), "c");
}

TEST_F(AnswersTest, AnIndexFromBeforeThereWereAnyGetsThem) {
  ASSERT_TRUE(Open()->Put({.cause = "object", .kind = "table", .bytes = 7}).ok());
  Do("DROP TABLE answers");
  const auto index = Open();
  EXPECT_EQ(index->TotalBytes().ValueOrDie(), 7);
  ASSERT_TRUE(index->PutAnswer("a", "x").ok());
  EXPECT_EQ(index->Answer("a").ValueOrDie(), "x");
}

TEST_F(AnswersTest, TheOldestGiveWayAndLongOnesAreNotRemembered) {
  const auto index = Open();
  ASSERT_TRUE(index->PutAnswer("long", std::string((1 << 20) + 1, 'x')).ok());
  EXPECT_EQ(index->Answer("long").ValueOrDie(), std::nullopt);
  for (int i = 0; i <= 5000; ++i) ASSERT_TRUE(index->PutAnswer(std::to_string(i), "x").ok());
  EXPECT_EQ(index->Answer("0").ValueOrDie(), std::nullopt);
  EXPECT_EQ(index->Answer("1").ValueOrDie(), "x");
}

TEST_F(StoreIndexTest, TheAgeOnlyGrows) {
  bool fresh = false;
  const auto index = StoreIndex::Open(folder_.path() / "index.sqlite", fresh).ValueOrDie();
  ASSERT_TRUE(index->SetAge(2).ok());
  ASSERT_TRUE(index->SetAge(1).ok());
  EXPECT_EQ(index->Age().ValueOrDie(), 2);
}

}  // namespace
}  // namespace protium
