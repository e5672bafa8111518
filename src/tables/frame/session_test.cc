// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "base/fault.h"
#include "frame/session_state.h"
#include "protium/events.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "session-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(folder_ / "t.csv") << "day,x\n1,0.5\n2,NA\n3,2.5\n";
    Open({});
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }
  void Open(std::map<std::string, Json> settings) {
    SessionOptions options{.folder = folder_ / "run", .base = folder_};
    options.settings = std::move(settings);
    options.call.events = [this](const Json& event) { events_.push_back(event); };
    auto session = OpenSession(std::move(options));
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = std::move(*session);
  }
  DataFrame Table() { return session_->Read().Csv("t.csv", {.null = "NA"}); }
  static int64_t Rows(const DataFrame& frame) {
    auto stream = frame.Stream();
    EXPECT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
    int64_t rows = 0;
    while (auto batch = *(*stream)->Next()) rows += batch->num_rows();
    return rows;
  }

  fs::path folder_;
  std::vector<Json> events_;
  std::unique_ptr<Session> session_;
};

TEST_F(SessionTest, RunsSqlOverNamedTables) {
  session_->Table("t", Table());
  EXPECT_EQ(Rows(session_->Sql("SELECT day FROM t WHERE x IS NOT NULL")), 2);
  EXPECT_EQ(Rows(session_->Table("t").Filter(Col("day") > Lit(int64_t{1})).Limit(1)), 1);
  EXPECT_THAT(FaultOf(session_->Table("tt").Schema().status()).fix, HasSubstr("one of: t"));
}

// A row whose mark is NULL is trained on: every row is on one side.
TEST_F(SessionTest, SplitsByAColumnThatSaysTheSide) {
  const DataFrame marked = session_->Sql(
      "SELECT * FROM (VALUES (1, true), (2, false), (3, NULL), (4, true)) AS t(n, late)");
  const auto [train, test] = marked.Split({.column = "late"});
  EXPECT_EQ(Rows(train), 2);
  EXPECT_EQ(Rows(train.Filter(Col("late"))), 0);
  EXPECT_EQ(Rows(test), 2);
  EXPECT_EQ(Rows(test.Filter(Col("late"))), 2);
}

TEST_F(SessionTest, SplitsIntoSidesThatMakeUpTheWhole) {
  const auto [train, test] = Table().Split({.by = {"day"}, .test = 0.5, .seed = 3});
  EXPECT_EQ(Rows(train) + Rows(test), 3);
}

TEST_F(SessionTest, WritesIntoTheRunFolderAndReadsBack) {
  ASSERT_TRUE(Table().Select({"x"}).Write().Parquet("out.parquet").ok());
  ASSERT_TRUE(Table().Write().Csv("out.csv").ok());
  const DataFrame back = session_->Read().Parquet((folder_ / "run" / "out.parquet").string());
  EXPECT_EQ((*back.Schema())->ToString(), "x: double");
  EXPECT_EQ(Rows(back), 3);
  EXPECT_EQ(Rows(session_->Read().Csv((folder_ / "run" / "*.csv").string())), 3);
  EXPECT_EQ(StateOf(*session_).record().results()["outputs"].size(), 2u);
}

TEST_F(SessionTest, NamesAParquetFileThatWasCutOff) {
  ASSERT_TRUE(Table().Write().Parquet("out.parquet").ok());
  const fs::path file = folder_ / "run" / "out.parquet";
  fs::resize_file(file, fs::file_size(file) / 2);
  const Fault fault = FaultOf(session_->Read().Parquet(file.string()).Schema().status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.what, HasSubstr("out.parquet"));
}

TEST_F(SessionTest, NestsSettingsOfAGroup) {
  Open({{"data", "here"}, {"train.epochs", 3}, {"train.validation.share", 0.5}, {"training", 1}});
  EXPECT_EQ(session_->Setting("data", "data"), "here");
  EXPECT_EQ(session_->Setting("train.epochs"), "3");
  EXPECT_EQ(session_->Setting("other", "else"), "else");
  EXPECT_EQ(Dump(StateOf(*session_).Settings("train")),
            R"({"epochs":3,"validation":{"share":0.5}})");
}

TEST_F(SessionTest, RefusesASettingThatNobodyAskedFor) {
  Open({{"data", "here"}, {"train.epochs", 3}, {"train.epoch", 4}});
  EXPECT_EQ(session_->Setting("data"), "here");
  EXPECT_EQ(StateOf(*session_).Settings("train").size(), 2u);
  EXPECT_TRUE(StateOf(*session_).CheckSettings().ok());
  Open({{"dat", "here"}});
  session_->Setting("data");
  const Fault fault = FaultOf(Table().Write().Csv("out.csv"));
  EXPECT_EQ(fault.what, "unknown setting \"dat\"");
  EXPECT_EQ(fault.fix, "did you mean \"data\"?");
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_FALSE(fs::exists(folder_ / "run" / "out.csv"));
}

TEST_F(SessionTest, KeepsARecordOfEventsAndPassesThemOn) {
  StateOf(*session_).call().Send(StepDone{.step = 1});
  EXPECT_TRUE(StateOf(*session_).record().results()["seconds"].contains("first_step"));
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_EQ(events_[0]["step"], 1);
}

TEST_F(SessionTest, RefusesEnginesItDoesNotKnow) {
  for (const char* engine : {"lokal", "local[0]", "local[x]", "local[2"}) {
    const Status status = OpenSession({.engine = engine}).status();
    EXPECT_EQ(FaultOf(status).exit, Exit::kUsage) << engine;
    EXPECT_THAT(FaultOf(status).what, HasSubstr(engine));
  }
}

}  // namespace
}  // namespace protium
