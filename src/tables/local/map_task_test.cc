// SPDX-License-Identifier: Apache-2.0
// Plans whose tables go through tasks in worker processes.
#include <arrow/api.h>
#include <gtest/gtest.h>

#include "local/local_engine.h"
#include "os/file.h"
#include "workers/testing/test_tasks.h"

namespace protium {
namespace {

class MapTasks : public testing::Test {
 protected:
  static Plan Doubled(const Plan& input, std::string task = "double") {
    return MakePlan(
        MapTask{.task = std::move(task), .config = "{}", .output = NumberSchema(), .workers = 2},
        {input});
  }
  static Plan Query(const std::string& text, Plan input = nullptr) {
    return input == nullptr ? MakePlan(Sql{text, {}}) : MakePlan(Sql{text, {"t"}}, {input});
  }
  Result<std::vector<int64_t>> Rows(const Plan& plan) {
    PT_LET(BatchStreamPtr stream, engine_->Execute(plan, {}));
    arrow::RecordBatchVector batches;
    while (true) {
      PT_LET(const auto batch, stream->Next());
      if (batch == nullptr) return SortedNumbers(batches);
      batches.push_back(batch);
    }
  }

  const Plan numbers_ = Query("SELECT id AS x FROM range(50000)");
  std::unique_ptr<Engine> engine_ = MakeLocalEngine({}).ValueOrDie();
};

TEST_F(MapTasks, TakeRowsFromSqlAndGiveRowsToSql) {
  const Plan sum = Query("SELECT sum(x) + count(*) AS x FROM t", Doubled(numbers_));
  EXPECT_EQ(Rows(sum).ValueOrDie(), std::vector<int64_t>{50000ll * 49999 + 50000});
}

TEST_F(MapTasks, StreamThroughLimitsAndColumns) {
  const Plan plan =
      MakePlan(Limit{10}, {MakePlan(Project{{{"y", Col("X")}}}, {Doubled(numbers_)})});
  EXPECT_EQ(Rows(plan).ValueOrDie().size(), 10u);
  EXPECT_EQ(engine_->Execute(plan, {}).ValueOrDie()->schema()->field(0)->name(), "y");
}

TEST_F(MapTasks, AreFollowedByOthers) {
  const Plan twice = Doubled(MakePlan(Filter{Col("x") < Lit(int64_t{6})}, {Doubled(numbers_)}));
  EXPECT_EQ(Rows(twice).ValueOrDie(), (std::vector<int64_t>{0, 4, 8}));
}

TEST_F(MapTasks, AreKeptWhenMaterialized) {
  const Plan kept = MakePlan(Materialize{"kept"},
                             {Doubled(Query("SELECT id * 7919 % 10007 AS x FROM range(100)"))});
  const auto first = Rows(kept).ValueOrDie();
  EXPECT_EQ(first.size(), 100u);
  EXPECT_EQ(Rows(kept).ValueOrDie(), first);
  EXPECT_EQ(Rows(Query("SELECT x FROM t WHERE x >= 0", kept)).ValueOrDie(), first);
}

TEST_F(MapTasks, AreWrittenWhole) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const std::string path = folder.path() / "out.parquet";
  const Plan write = MakePlan(Write{.path = path}, {Doubled(numbers_)});
  EXPECT_EQ(engine_->Run(write, {}).ValueOrDie(), 50000);
  EXPECT_FALSE(engine_
                   ->Run(MakePlan(Write{.path = folder.path() / "bad.parquet"},
                                  {Doubled(numbers_, "throw")}),
                         {})
                   .ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "bad.parquet"));
}

TEST_F(MapTasks, HaveTypesBeforeTheyRun) {
  const Plan plan = Query("SELECT x / 2 AS half FROM t", Doubled(numbers_, "throw"));
  EXPECT_TRUE(engine_->Analyze(plan, {}).ValueOrDie()->field(0)->type()->Equals(arrow::float64()));
  MapTask gang = GangTask("double", 2);
  const auto said = engine_->Explain(MakePlan(gang, {numbers_}), {}).ValueOrDie();
  EXPECT_NE(said.sql.find("-- input of task double\n"), std::string::npos) << said.sql;
  ASSERT_EQ(said.placement.size(), 1u);
  EXPECT_EQ(said.placement[0]["task"], "double");
}

TEST_F(MapTasks, AWrongQueryAboveIsFoundBeforeWorkersStart) {
  const Plan plan = Query("SELECT y FROM t", Doubled(numbers_));
  EXPECT_FALSE(engine_->Analyze(plan, {}).ok());
  EXPECT_FALSE(engine_->Explain(plan, {}).ok());
}

}  // namespace
}  // namespace protium
