// SPDX-License-Identifier: Apache-2.0
// Pipelines without a net, in this process and by the engine; for nets see
// tests/whole/scorer_test.cc.
#include "protium/scorer.h"

#include <arrow/api.h>
#include <arrow/compute/cast.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/fault.h"
#include "base/json.h"
#include "frame/session_state.h"
#include "inference/json_rows.h"
#include "inference/prediction_times.h"
#include "inference/testing/own_session_test.h"
#include "protium/stages.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ScorerTest : public OwnSession {
 protected:
  void SetUp() override {
    OwnSession::SetUp();
    std::ofstream out(folder_ / "t.csv");
    out << "origin,hour,temp\n";
    for (int i = 0; i < 40; ++i) {
      out << (i % 9 == 4   ? "NA"
              : i % 3 == 0 ? "JFK"
                           : "EWR")
          << "," << i % 24 << "," << (i % 5 == 0 ? "NA" : std::to_string(i % 7) + ".5") << "\n";
    }
    out.close();
  }

  DataFrame Table() { return session_->Read().Csv("t.csv", {.null = "NA"}); }
  PipelineModel Fitted(const std::vector<StageOptions>& stages) {
    auto model = Pipeline(stages).Fit(Table());
    EXPECT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    return *model;
  }
  static std::vector<StageOptions> Stages() {
    return {StringIndexer({.id = "index",
                           .inputs = {"origin", "hour"},
                           .unseen = Unseen::kNull,
                           .missing = Unseen::kOwnIndex}),
            Imputer({.id = "fill", .inputs = {"temp"}}),
            StandardScaler({.id = "scale", .inputs = OutputsOf("fill") + Columns{"hour"}})};
  }

  // Expects the same columns from all stages here and by the engine.
  void ExpectSame(const PipelineModel& model) {
    const auto scorer = Scorer::Make(model);
    ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
    const auto stream = *model.Transform(Table()).Stream();
    int64_t rows = 0;
    while (const auto batch = *stream->Next()) {
      const auto given = *batch->SelectColumns({0, 1, 2});
      const auto scored = scorer->Score(*given);
      ASSERT_TRUE(scored.ok()) << Render(FaultOf(scored.status()));
      for (const auto& field : scorer->output()->fields()) {
        EXPECT_TRUE((*scored)
                        ->GetColumnByName(field->name())
                        ->Equals(*batch->GetColumnByName(field->name())))
            << field->name();
      }
      rows += batch->num_rows();
    }
    EXPECT_EQ(rows, 40);
  }
};

TEST_F(ScorerTest, IsTimedRowByRowAndOverManyRows) {
  const PipelineModel model = Fitted(Stages());
  const auto times = TimePredictions(model, Table());
  ASSERT_TRUE(times.ok()) << Render(FaultOf(times.status()));
  EXPECT_GT(times->latency_us, 0);
  EXPECT_GT(times->seconds_a_million, 0);
  EXPECT_LT(times->seconds_a_million, times->latency_us) << "a row alone costs more than its share";
  const auto none = TimePredictions(model, Table().Filter(Col("hour") > 99));
  EXPECT_EQ(FaultOf(none.status()).exit, Exit::kInput);
}

TEST_F(ScorerTest, GivesWhatTheEngineGives) {
  const PipelineModel model = Fitted(Stages());
  EXPECT_EQ(Scorer::Make(model)->input()->ToString(), "origin: string\nhour: int64\ntemp: double");
  ExpectSame(model);
}
// Kinds of stages that use comparisons, logarithms and roots.
TEST_F(ScorerTest, GivesWhatTheEngineGivesForOtherKindsOfStages) {
  const PipelineModel model = Fitted(
      {Imputer({.id = "fill", .inputs = {"temp"}}),
       {.kind = "min_max_scaler", .options = {{"id", "range"}, {"inputs", {"hour", "temp"}}}},
       {.kind = "max_abs_scaler", .options = {{"id", "most"}, {"inputs", {"hour"}}}},
       {.kind = "clip", .options = {{"id", "clip"}, {"inputs", {"temp"}}, {"low", 1}, {"high", 4}}},
       {.kind = "log_transform", .options = {{"id", "log"}, {"inputs", {"hour", "temp"}}}},
       {.kind = "binarizer", .options = {{"id", "flag"}, {"inputs", {"temp"}}, {"threshold", 3}}}});
  ExpectSame(model);
}

TEST_F(ScorerTest, TakesRowsAsJson) {
  const auto scorer = Scorer::Make(Fitted(Stages()));
  ASSERT_TRUE(scorer.ok());
  session_.reset();  // It is no longer needed.
  const auto one = scorer->ScoreJson(R"({"origin": null, "hour": 3, "temp": null, "more": 1})");
  ASSERT_TRUE(one.ok()) << one.status();
  const Json row = *ParseJson(*one);
  EXPECT_EQ(row["origin__index"], 2);
  const auto list = scorer->ScoreJson(R"([{"origin": "X", "hour": 3, "temp": 1}])");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ((*ParseJson(*list)).at(0)["origin__index"], nullptr);
  EXPECT_EQ(*scorer->ScoreJson("[]"), "[]");
}

// pandas, Polars and others have other types for the same values, and additional columns.
TEST_F(ScorerTest, TakesTheTypesThatTablesTake) {
  const auto scorer = Scorer::Make(Fitted(Stages()));
  ASSERT_TRUE(scorer.ok());
  const auto rows = ReadBareJsonRows(
      R"([{"origin": "JFK", "hour": 3, "temp": 1.5}, {"origin": null, "hour": 4, "temp": 2}])",
      *scorer->input());
  ASSERT_TRUE(rows.ok()) << rows.status();
  const arrow::RecordBatch& plain = *rows->batch;
  const auto wanted = scorer->Score(plain);
  ASSERT_TRUE(wanted.ok()) << Render(FaultOf(wanted.status()));
  const std::vector<std::shared_ptr<arrow::DataType>> types[] = {
      {arrow::large_utf8(), arrow::int16(), arrow::float32()},
      {arrow::dictionary(arrow::int8(), arrow::utf8()), arrow::uint64(), arrow::float64()}};
  for (const auto& each : types) {
    arrow::ArrayVector columns;
    arrow::FieldVector fields;
    for (int i = 0; i < 3; ++i) {
      columns.push_back(*arrow::compute::Cast(*plain.column(i), each[size_t(i)]));
      fields.push_back(arrow::field(plain.column_name(i), each[size_t(i)]));
    }
    columns.push_back(*arrow::MakeArrayOfNull(arrow::month_interval(), 2));
    fields.push_back(arrow::field("unread", arrow::month_interval()));
    const auto scored = scorer->Score(*arrow::RecordBatch::Make(arrow::schema(fields), 2, columns));
    ASSERT_TRUE(scored.ok()) << Render(FaultOf(scored.status()));
    EXPECT_TRUE((*scored)->Equals(**wanted)) << (*scored)->ToString();
  }
}

TEST_F(ScorerTest, SaysWhatIsMissingAsTransformDoes) {
  const auto scorer = Scorer::Make(Fitted(Stages()));
  ASSERT_TRUE(scorer.ok());
  const Fault fault = FaultOf(scorer->ScoreJson(R"({"origin": "JFK", "hour": 3})").status());
  EXPECT_EQ(fault.what, "the table lacks 1 column that the model reads: \"temp\"");
  EXPECT_EQ(fault.exit, Exit::kInput);
}

}  // namespace
}  // namespace protium
