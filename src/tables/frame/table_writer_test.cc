// SPDX-License-Identifier: Apache-2.0
#include "frame/table_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "base/fault.h"
#include "frame/session_state.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TableWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "writer-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto session = OpenSession({.folder = folder_ / "run", .base = folder_, .force = true});
    ASSERT_TRUE(session.ok());
    session_ = std::move(*session);
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }
  DataFrame Rows() {
    return session_->Sql(
        "SELECT * FROM (VALUES (1, 'a/b', 0.5), (1, NULL, 2.0), (2, 'a/b', 3.0)) AS t(n, s, x)");
  }
  std::string Path(const std::string& name) const { return (folder_ / "run" / name).string(); }
  int64_t Count(const DataFrame& frame) {
    const auto rows = frame.Count();
    EXPECT_TRUE(rows.ok()) << Render(FaultOf(rows.status()));
    return rows.ValueOr(-1);
  }

  fs::path folder_;
  std::unique_ptr<Session> session_;
};

TEST_F(TableWriterTest, WritesWhatTheNameSays) {
  for (const char* name :
       {"t.csv", "t.parquet", "t.jsonl", "t.ndjson.zst", "t.arrow", "t.csv.gz"}) {
    const Status written = Rows().Write().File(name);
    ASSERT_TRUE(written.ok()) << Render(FaultOf(written));
    const DataFrame back = session_->Read().File(Path(name));
    EXPECT_EQ(Count(back.Filter(Col("x") > Lit(1.5))), 2) << name;
  }
  EXPECT_EQ(StateOf(*session_).record().results()["output_rows"][Path("t.arrow")], 3);
}

TEST_F(TableWriterTest, FindsColumnsOfFoldersAsSqlDoes) {
  const Status written = Rows().Write().File("parts.parquet", {.partitions = {"N"}});
  ASSERT_TRUE(written.ok()) << Render(FaultOf(written));
  EXPECT_EQ(Count(session_->Read().Partitions({"n"}).Parquet(Path("parts.parquet"))), 3);
  EXPECT_TRUE(fs::exists(fs::path(Path("parts.parquet")) / "n=1"));
  EXPECT_THAT(FaultOf(Rows().Write().File("a.parquet", {.partitions = {"n", "N"}})).what,
              HasSubstr("column \"N\" twice"));
  EXPECT_THAT(FaultOf(Rows().Write().File("b.parquet", {.partitions = {"m"}})).what,
              HasSubstr("make folders of \"m\": the table has no such column"));
}

TEST_F(TableWriterTest, TakesASlashAtTheEndOfAFolder) {
  const Plan plan = Rows().plan();
  const auto rows = WriteFrame(StateOf(*session_), plan, {Format::kParquet}, Path("slash/"), {"n"});
  ASSERT_TRUE(rows.ok()) << Render(FaultOf(rows.status()));
  EXPECT_EQ(Count(session_->Read().Partitions({"n"}).Parquet(Path("slash"))), 3);
}

TEST_F(TableWriterTest, RefusesNamesThatSayOtherwise) {
  EXPECT_THAT(FaultOf(Rows().Write().Parquet("t.csv")).what,
              HasSubstr("is named as csv and was to be parquet"));
  EXPECT_THAT(FaultOf(Rows().Write().File("t.xlsx")).what, HasSubstr("does not say which format"));
  EXPECT_TRUE(Rows().Write().JsonLines("lines.txt").ok());
  EXPECT_FALSE(fs::exists(Path("t.csv")));
}

TEST_F(TableWriterTest, WritesFoldersThatReadBack) {
  ASSERT_TRUE(Rows().Write().File("out.parquet", {.partitions = {"n", "s"}}).ok());
  EXPECT_TRUE(fs::exists(Path("out.parquet/n=1/s=a%2Fb/part-0.parquet")));
  EXPECT_TRUE(fs::exists(Path("out.parquet/n=1/s=__HIVE_DEFAULT_PARTITION__/part-0.parquet")));
  const DataFrame back = session_->Read().Partitions({"n", "s"}).Parquet(Path("out.parquet"));
  EXPECT_EQ(Count(back), 3);
  EXPECT_EQ(Count(back.Filter(Col("s") == Lit("a/b"))), 2);
}

// The same run may write a folder again, and nothing of the first remains.
TEST_F(TableWriterTest, ReplacesAFolderOfItsOwn) {
  ASSERT_TRUE(Rows().Write().File("out.parquet", {.partitions = {"n", "s"}}).ok());
  const Status again = Rows().Write().File("out.parquet", {.partitions = {"s"}});
  ASSERT_TRUE(again.ok()) << Render(FaultOf(again));
  EXPECT_FALSE(fs::exists(Path("out.parquet/n=1")));
  EXPECT_TRUE(fs::exists(Path("out.parquet/s=a%2Fb/part-0.parquet")));
}

TEST_F(TableWriterTest, LeavesOtherFoldersAndNoDraft) {
  fs::create_directories(folder_ / "mine.csv");
  std::ofstream(folder_ / "mine.csv" / "notes.txt") << "mine";
  const std::string mine = (folder_ / "mine.csv").string();
  EXPECT_THAT(FaultOf(Rows().Write().File(mine, {.partitions = {"n"}})).what,
              HasSubstr("already exists"));
  EXPECT_TRUE(fs::exists(folder_ / "mine.csv" / "notes.txt"));
  const DataFrame empty = session_->Sql("SELECT 1 AS n, '' AS s");
  EXPECT_THAT(FaultOf(empty.Write().File("e.csv", {.partitions = {"s"}})).what,
              HasSubstr("holds an empty text"));
  EXPECT_THAT(FaultOf(Rows().Write().File("e.csv", {.partitions = {"x"}})).what,
              HasSubstr("cannot name folders"));
  EXPECT_THAT(FaultOf(Rows().Write().File("e.csv", {.partitions = {"m"}})).fix, HasSubstr("n"));
  EXPECT_THAT(FaultOf(Rows().Write().File("e.csv", {.partitions = {"n", "s", "x"}})).what,
              HasSubstr("cannot name folders"));
  EXPECT_FALSE(fs::exists(Path("e.csv")));
  EXPECT_FALSE(fs::exists(Path(".e.csv.draft")));
}

}  // namespace
}  // namespace protium
