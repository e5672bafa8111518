// SPDX-License-Identifier: Apache-2.0
#include "frame/brought_tables.h"

#include <arrow/api.h>
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

class BroughtTablesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "brought-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(folder_ / "t.jsonl") << "{\"day\": 1, \"x\": 0.5}\n{\"day\": 2}\n";
    Open(folder_ / "run");
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }
  void Open(const fs::path& run, bool resume = false) {
    session_.reset();
    SessionOptions options{.folder = run, .base = folder_, .resume = resume};
    options.call.stop = stop_.get_token();
    options.call.events = [this](const Json& event) { events_.push_back(event); };
    auto session = OpenSession(std::move(options));
    ASSERT_TRUE(session.ok()) << Render(FaultOf(session.status()));
    session_ = std::move(*session);
  }
  std::string Text(const DataFrame& frame) {
    auto stream = frame.Stream();
    if (!stream.ok()) return Render(FaultOf(stream.status()));
    std::string text;
    while (auto batch = *(*stream)->Next()) text += batch->ToString();
    return text;
  }
  static size_t FilesIn(const fs::path& folder) {
    std::error_code ignored;
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder, ignored), fs::directory_iterator()));
  }

  fs::path folder_;
  std::stop_source stop_;
  std::vector<Json> events_;
  std::unique_ptr<Session> session_;
};

TEST_F(BroughtTablesTest, ReadsWhatEnginesDoNot) {
  const DataFrame table = session_->Read().File("t.jsonl");
  ASSERT_TRUE(table.Schema().ok()) << Render(FaultOf(table.Schema().status()));
  EXPECT_EQ((*table.Schema())->ToString(), "day: int64\nx: double");
  session_->Table("t", table);
  EXPECT_EQ(*session_->Sql("SELECT day FROM t WHERE x IS NULL").Count(), 1);
  const auto& scan = std::get<Scan>(table.plan()->verb);
  EXPECT_EQ(scan.table, "t");
  EXPECT_EQ(scan.brought_from, std::vector<std::string>{(folder_ / "t.jsonl").string()});
  EXPECT_THAT(Explain(table.plan()), HasSubstr("t.jsonl"));
  ASSERT_FALSE(events_.empty());
  EXPECT_EQ(events_[0]["event"], "etl");
}

// The user's file is what a resumed run compares and what outputs must not replace.
TEST_F(BroughtTablesTest, RecordsTheUsersFileAsTheInput) {
  const DataFrame table = session_->Read().JsonLines("t.jsonl");
  EXPECT_TRUE(StateOf(*session_).inputs().files().contains((folder_ / "t.jsonl").string()));
  const Fault fault = FaultOf(table.Write().Csv((folder_ / "t.jsonl").string()));
  EXPECT_THAT(fault.what, HasSubstr("is an input of this run"));
  EXPECT_THAT(FaultOf(table.Write().Csv("tables/t.csv")).what, HasSubstr("a file of the run"));
}

TEST_F(BroughtTablesTest, KeepsTheFileWhileTheSessionLives) {
  const fs::path tables = folder_ / "run" / "tables";
  (void)session_->Read().JsonLines("t.jsonl");
  (void)session_->Read().JsonLines("t.jsonl");
  EXPECT_EQ(FilesIn(tables), 1u);
  (void)session_->Read().File("t.jsonl", {.types = {{{"day", "string"}}}});
  EXPECT_EQ(FilesIn(tables), 2u);
  session_.reset();
  EXPECT_FALSE(fs::exists(tables));
}

TEST_F(BroughtTablesTest, GoesWithoutARun) {
  Open({});
  const DataFrame table = session_->Read().JsonLines("t.jsonl");
  const fs::path file = std::get<Scan>(table.plan()->verb).paths.front();
  EXPECT_EQ(*table.Count(), 2);
  session_.reset();
  EXPECT_FALSE(fs::exists(file.parent_path()));
}

TEST_F(BroughtTablesTest, TakesAFolderOfOneFormat) {
  fs::create_directories(folder_ / "days" / "year=2013");
  fs::create_directories(folder_ / "days" / "year=2014");
  std::ofstream(folder_ / "days" / "year=2013" / "a.ndjson") << "{\"x\": 1}\n";
  std::ofstream(folder_ / "days" / "year=2014" / "b.jsonl") << "{\"x\": 2, \"y\": true}\n";
  const DataFrame table = session_->Read().Partitions({"year"}).File("days");
  ASSERT_TRUE(table.Schema().ok()) << Render(FaultOf(table.Schema().status()));
  EXPECT_EQ((*table.Schema())->ToString(), "x: int64\ny: bool\nyear: int64");
  EXPECT_EQ(*table.Filter(Col("year") == Lit(int64_t{2014})).Count(), 1);
}

TEST_F(BroughtTablesTest, SaysWhatItCannotOpen) {
  const auto fault = [&](const std::string& path) {
    return FaultOf(session_->Read().File(path).Schema().status());
  };
  EXPECT_THAT(fault("none.jsonl").what, HasSubstr("there is no file"));
  EXPECT_THAT(fault("t.xlsx").what, HasSubstr("does not say which format"));
  stop_.request_stop();
  EXPECT_EQ(fault("t.jsonl").exit, Exit::kStopped);
  EXPECT_EQ(FilesIn(folder_ / "run" / "tables"), 0u);
}

TEST_F(BroughtTablesTest, CsvWithNumbersThatEnginesReadDifferentlyIsBrought) {
  std::ofstream(folder_ / "t.csv") << "x\n1\ninf\n-INF\n2.5\n";
  const DataFrame table = session_->Read().Csv("t.csv");
  EXPECT_EQ(table.Schema().ValueOrDie()->field(0)->type()->id(), arrow::Type::DOUBLE);
  EXPECT_THAT(Text(table), HasSubstr("1,\n    inf,\n    -inf,\n    2.5"));
  EXPECT_EQ(FilesIn(folder_ / "run" / "tables"), 1u);
}

TEST_F(BroughtTablesTest, OptionsOfCsvAreRefusedForOtherFormats) {
  const DataFrame table = session_->Read().File("t.jsonl", CsvOptions{.null = "NA"}, nullptr);
  EXPECT_EQ(FaultOf(table.Schema().status()).what,
            "\"null\" is an option of CSV, and this table is JSON lines");
}

}  // namespace
}  // namespace protium
