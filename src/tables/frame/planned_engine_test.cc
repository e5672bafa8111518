// SPDX-License-Identifier: Apache-2.0
#include "frame/planned_engine.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "base/fault.h"
#include "events/events.h"
#include "frame/open.h"
#include "frame/session_state.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Planned : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "planned-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(folder_ / "t.csv") << "day,x\n1,0.5\n2,2.5\n";
    const SessionOptions options{.base = folder_};
    auto planned = std::make_unique<PlannedEngine>(
        *OpenEngine(options), [this](Json plan) { told_.push_back(std::move(plan)); });
    engine_ = planned.get();
    session_ = *OpenSession(options, std::move(planned));
    session_->Table("t", session_->Read().Csv("t.csv"));
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }
  std::string Output(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
  std::vector<Json> told_;
  const PlannedEngine* engine_ = nullptr;
  std::unique_ptr<Session> session_;
};

TEST_F(Planned, TellsWhatIsWrittenAndWritesNothing) {
  ASSERT_TRUE(session_->Sql("SELECT day FROM t").Write().Csv(Output("a.csv")).ok());
  ASSERT_TRUE(session_->Sql("SELECT x FROM t").Write().Parquet(Output("b.parquet")).ok());
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_THAT(told_[0]["tree"].get<std::string>(), HasSubstr("a.csv"));
  EXPECT_THAT(told_[1]["sql"].get<std::string>(), HasSubstr("SELECT"));
  EXPECT_FALSE(fs::exists(Output("a.csv")));
  EXPECT_FALSE(engine_->owes_rows());
}

TEST_F(Planned, GivesNoRowsAndTellsNothingOfWhatNeedsThem) {
  const auto stream = session_->Sql("SELECT day FROM t").Stream();
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ((*stream)->schema()->field(0)->name(), "day");
  EXPECT_EQ(*(*stream)->Next(), nullptr);
  EXPECT_TRUE(engine_->owes_rows());
  ASSERT_TRUE(session_->Table("t").Write().Csv(Output("a.csv")).ok());
  EXPECT_EQ(told_.size(), 1u);
}

TEST_F(Planned, StillFindsWhatIsWrong) {
  const Status status = session_->Sql("SELECT dya FROM t").Write().Csv(Output("a.csv"));
  EXPECT_THAT(FaultOf(status).what, HasSubstr("dya"));
  EXPECT_TRUE(told_.empty());
  EXPECT_EQ(session_->Sql("SELECT x FROM t").Schema().ValueOrDie()->num_fields(), 1);
}

// Two tables' metrics must not be merged, so scoring drops earlier ones; a program's own task does
// not score, whatever its name.
TEST_F(Planned, OnlyScoringDropsEarlierScores) {
  RunRecord& record = StateOf(*session_).record();
  record.On(EventToJson(ScoredStates{.unseen_rows = 3}));
  const SchemaPtr output = arrow::schema({arrow::field("x", arrow::int64())});
  const auto run = [&](const char* task, MapTask::Role role) {
    const DataFrame mapped =
        session_->Table("t").Map({.task = task, .output = output, .role = role});
    EXPECT_TRUE(mapped.Stream().ok());
    return record.results().contains("unseen_test_rows");
  };
  EXPECT_TRUE(run("score_cards", MapTask::Role::kMap));
  EXPECT_FALSE(run("mine", MapTask::Role::kScore));
}

TEST_F(Planned, AdmitsAGangByTellingOfIt) {
  const SchemaPtr output = arrow::schema({arrow::field("json", arrow::utf8())});
  const MapTask task{.task = "train", .output = output, .gang = GangSpec{}};
  const Plan plan = MakePlan(task, {session_->Table("t").plan()});
  const Status admitted = StateOf(*session_).engine().Admit({.plan = plan}, {}).status();
  ASSERT_TRUE(admitted.ok()) << admitted;
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0]["placement"][0]["task"], "train");
  EXPECT_TRUE(engine_->owes_rows());
}

}  // namespace
}  // namespace protium
