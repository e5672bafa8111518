// SPDX-License-Identifier: Apache-2.0
#include "inference/roll_forward.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include "base/fault.h"
#include "inference/testing/own_session_test.h"
#include "protium/scorer.h"
#include "protium/stages.h"

namespace protium {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

std::string Text(const arrow::RecordBatch& rows, const std::string& name, int64_t row) {
  return (*rows.GetColumnByName(name)->GetScalar(row))->ToString();
}
double Number(const arrow::RecordBatch& rows, const std::string& name, int64_t row) {
  return static_cast<const arrow::DoubleArray&>(*rows.GetColumnByName(name)).Value(row);
}

// Rows of one series at the times 0, 1, 2, ...; NaN stands for a label that is missing.
BatchPtr SeriesWith(const std::vector<double>& labels) {
  arrow::Int64Builder times;
  arrow::DoubleBuilder values;
  for (const double label : labels) {
    (void)times.Append(times.length());
    (void)(std::isnan(label) ? values.AppendNull() : values.Append(label));
  }
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("t", arrow::int64()), arrow::field("y", arrow::float64())}),
      int64_t(labels.size()), {times.Finish().ValueOrDie(), values.Finish().ValueOrDie()});
}

// Predicts the label `nearest` rows before plus one, -1 where that is missing; counts its calls.
BatchPtr RolledBy(const BatchPtr& rows, int64_t nearest, int& calls, const LookBack& back = {},
                  int64_t* read = nullptr) {
  const ScoreBehind score = [&](const BatchPtr& known, const arrow::BooleanArray& wanted) {
    ++calls;
    if (read != nullptr) *read += known->num_rows();
    const auto& labels = static_cast<const arrow::DoubleArray&>(*known->GetColumnByName("y"));
    arrow::DoubleBuilder made;
    for (int64_t i = 0; i < known->num_rows(); ++i) {
      const bool there = i >= nearest && labels.IsValid(i - nearest);
      if (wanted.Value(i)) (void)made.Append(there ? labels.Value(i - nearest) + 1 : -1);
    }
    const auto column = made.Finish().ValueOrDie();
    const auto schema = arrow::schema({arrow::field("prediction", arrow::float64())});
    return Result<BatchPtr>(arrow::RecordBatch::Make(schema, column->length(), {column}));
  };
  const SeriesColumns series{
      .time = "t", .values = {"y"}, .label = "y", .nearest = nearest, .back = back};
  return RollSeries(rows, series, score, {}).ValueOrDie();
}

TEST(Rounds, MakeAllPredictionsThatReadKnownLabels) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  int calls = 0;
  const BatchPtr far = RolledBy(SeriesWith({5, 6, 7, none, none, none, none, none}), 3, calls);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(far->column(0)->ToString(),
            SeriesWith({-1, -1, -1, 6, 7, 8, 7, 8})->column(1)->ToString());
  calls = 0;
  const BatchPtr near = RolledBy(SeriesWith({5, none, none, 9, none}), 1, calls);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(near->column(0)->ToString(), SeriesWith({-1, 6, 7, 8, 10})->column(1)->ToString());
  // A gap among known labels is read two rows later.
  calls = 0;
  const BatchPtr gap = RolledBy(SeriesWith({5, 6, none, 9, none, none}), 2, calls);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(gap->column(0)->ToString(), SeriesWith({-1, -1, 6, 7, 7, 10})->column(1)->ToString());
}

TEST(Rounds, ReadNoMoreThanTheirRowsLookBackTo) {
  std::vector<double> labels(100, std::numeric_limits<double>::quiet_NaN());
  labels[0] = 1;
  const BatchPtr rows = SeriesWith(labels);
  int calls = 0;
  int64_t all = 0, few = 0, window = 0;
  const std::string expected = RolledBy(rows, 1, calls, {}, &all)->column(0)->ToString();
  const LookBack one{.all = false, .rows = 1};
  EXPECT_EQ(RolledBy(rows, 1, calls, one, &few)->column(0)->ToString(), expected);
  // Times are 0, 1, 2, ...: 3 rows, and the one before them.
  const LookBack three{.all = false, .micros = 3};
  EXPECT_EQ(RolledBy(rows, 1, calls, three, &window)->column(0)->ToString(), expected);
  EXPECT_EQ(all, 99 * 100 / 2 + 1 + 98);
  EXPECT_EQ(few, 2 + 98 * 2);
  EXPECT_EQ(window, 2 + 3 + 4 + 96 * 5);
}

class Forward : public OwnSession {
 protected:
  static std::string Day(int day) {
    return fmt::format("2024-0{}-{:02}", day < 31 ? 1 : 2, day % 31 + 1);
  }
  void SetUp() override {
    OwnSession::SetUp();
    std::ofstream seen(folder_ / "seen.csv");
    seen << "day,shop,sales\n";
    for (int i = 0; i < 60; ++i) {
      seen << Day(i / 2) << "," << i % 2 << "," << (i % 2 + 1) * 10 + i / 2 % 7 << "\n";
    }
  }
  // A session fits one model.
  void StartAgain() {
    TearDown();
    SetUp();
  }
  static Json Lags(const char* value) {
    return {
        {"id", "ago"}, {"inputs", {value}}, {"by", {"shop"}}, {"time", "day"}, {"lags", {1, 2}}};
  }
  PipelineModel Fitted(const Json& options) {
    const auto model = Pipeline({{.kind = "lag", .options = Lags("sales")},
                                 {.kind = "tree_estimator", .options = options}})
                           .Fit(session_->Read().Csv("seen.csv"));
    EXPECT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    return *model;
  }
  PipelineModel Fitted() {
    return Fitted(
        {{"numeric", {{{"stage", "ago"}}}}, {"label", "sales"}, {"trees", {{"rounds", 20}}}});
  }
  BatchPtr Rows(const DataFrame& frame) {
    const BatchStreamPtr stream = frame.Stream().ValueOrDie();
    arrow::RecordBatchVector batches;
    while (BatchPtr batch = stream->Next().ValueOrDie()) batches.push_back(batch);
    return arrow::Table::FromRecordBatches(batches)
        .ValueOrDie()
        ->CombineChunksToBatch()
        .ValueOrDie();
  }
  void ExpectDayByDay(const PipelineModel& model);
  // What the engine predicts for a table, by day and shop.
  std::map<std::string, double> ByEngine(const PipelineModel& model, const std::string& rows) {
    std::ofstream(folder_ / "rows.csv") << "day,shop,sales\n" << rows;
    const BatchPtr scored = Rows(model.Transform(session_->Read().Csv("rows.csv")));
    std::map<std::string, double> all;
    for (int64_t i = 0; i < scored->num_rows(); ++i) {
      all[Text(*scored, "day", i) + "," + Text(*scored, "shop", i)] =
          Number(*scored, "prediction", i);
    }
    return all;
  }
};

// Compares four days rolled forward with what the engine says of each day, given those before.
void Forward::ExpectDayByDay(const PipelineModel& model) {
  const Scorer scorer = Scorer::Make(model).ValueOrDie();
  const BatchPtr next = scorer.NextRows({.rows = 4}).ValueOrDie();
  ASSERT_EQ(next->num_rows(), 8);
  const BatchPtr rolled = scorer.RollForward(*next).ValueOrDie();
  std::string known;  // Earlier days with their predictions.
  for (int64_t day = 0; day < 4; ++day) {
    std::string today;
    for (const int64_t row : {day, day + 4}) {
      today += Text(*next, "day", row) + "," + Text(*next, "shop", row) + ",";
      EXPECT_EQ(Text(*next, "day", row), Day(int(30 + day)));
      today += "\n";
    }
    const auto predictions = ByEngine(model, known + today);
    for (const int64_t row : {day, day + 4}) {
      const std::string name = Text(*next, "day", row) + "," + Text(*next, "shop", row);
      EXPECT_EQ(Number(*rolled, "prediction", row), predictions.at(name)) << name;
      known += fmt::format("{},{}\n", name, predictions.at(name));
    }
  }
}

TEST_F(Forward, EachDayReadsThePredictionsOfTheDaysBefore) { ExpectDayByDay(Fitted()); }

TEST_F(Forward, WindowsOfTimeReadThemToo) {
  const Json near = {{"id", "near"},  {"inputs", {"sales"}}, {"by", {"shop"}},
                     {"time", "day"}, {"over", "3 days"},    {"of", {"mean", "std"}}};
  const Json trees = {{"numeric", {{{"stage", "ago"}}, {{"stage", "near"}}}},
                      {"label", "sales"},
                      {"trees", {{"rounds", 20}}}};
  const auto model = Pipeline({{.kind = "lag", .options = Lags("sales")},
                               {.kind = "rolling", .options = near},
                               {.kind = "tree_estimator", .options = trees}})
                         .Fit(session_->Read().Csv("seen.csv"));
  ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
  ExpectDayByDay(*model);
}

TEST_F(Forward, OfManyNewerRowsTheLastOnesAreRead) {
  const PipelineModel model = Fitted();
  const Scorer old = Scorer::Make(model).ValueOrDie();
  std::string newer;
  for (int i = 0; i < 6000; ++i) {
    const std::chrono::year_month_day day(std::chrono::sys_days(std::chrono::days(19800 + i / 2)));
    newer += fmt::format("{}-{:02}-{:02},{},{}\n", int(day.year()), unsigned(day.month()),
                         unsigned(day.day()), i % 2, i / 2 % 7 + i % 2 * 10);
  }
  std::ofstream(folder_ / "newer.csv") << "day,shop,sales\n" << newer;
  const Scorer scorer = old.WithNewerRows(*Rows(session_->Read().Csv("newer.csv"))).ValueOrDie();
  const BatchPtr next = scorer.NextRows({.rows = 1}).ValueOrDie();
  const BatchPtr rolled = scorer.RollForward(*next).ValueOrDie();
  ASSERT_EQ(rolled->num_rows(), 2);
  for (int64_t row = 0; row < 2; ++row) {
    newer += Text(*next, "day", row) + "," + Text(*next, "shop", row) + ",\n";
  }
  const auto expected = ByEngine(model, newer);
  for (int64_t row = 0; row < 2; ++row) {
    EXPECT_EQ(Number(*rolled, "prediction", row),
              expected.at(Text(*next, "day", row) + "," + Text(*next, "shop", row)));
  }
}

TEST_F(Forward, KnownLabelsStayAndRowsMayComeInAnyOrder) {
  const PipelineModel model = Fitted();
  const Scorer scorer = Scorer::Make(model).ValueOrDie();
  std::ofstream(folder_ / "next.csv") << "shop,sales,day\n1,,2024-02-01\n0,9.5,2024-01-31\n"
                                         "1,25,2024-01-31\n0,,2024-02-02\n0,,2024-02-01\n";
  const BatchPtr next = Rows(session_->Read().Csv("next.csv"));
  const BatchPtr rolled = scorer.RollForward(*next).ValueOrDie();
  const auto first = ByEngine(model,
                              "2024-01-31,0,9.5\n2024-01-31,1,25\n2024-02-01,0,\n"
                              "2024-02-01,1,\n");
  EXPECT_EQ(Number(*rolled, "prediction", 0), first.at("2024-02-01,1"));
  EXPECT_EQ(Number(*rolled, "prediction", 1), first.at("2024-01-31,0"));
  EXPECT_EQ(Number(*rolled, "prediction", 2), first.at("2024-01-31,1"));
  EXPECT_EQ(Number(*rolled, "prediction", 4), first.at("2024-02-01,0"));
  const auto second = ByEngine(
      model,
      fmt::format("2024-01-31,0,9.5\n2024-02-01,0,{}\n2024-02-02,0,\n", first.at("2024-02-01,0")));
  EXPECT_EQ(Number(*rolled, "prediction", 3), second.at("2024-02-02,0"));
}

TEST_F(Forward, NewerRowsStandBehindThoseThatTheModelKeeps) {
  const PipelineModel model = Fitted();
  const Scorer old = Scorer::Make(model).ValueOrDie();
  std::ofstream(folder_ / "newer.csv") << "day,shop,sales\n2024-01-31,0,11\n2024-02-01,0,12\n"
                                          "2024-01-30,1,99\n2024-01-05,2,7\n2024-01-06,2,8\n";
  const BatchPtr newer = Rows(session_->Read().Csv("newer.csv"));
  const Scorer scorer = old.WithNewerRows(*newer).ValueOrDie();
  const BatchPtr next = scorer.NextRows({.rows = 1}).ValueOrDie();
  ASSERT_EQ(next->num_rows(), 3);
  std::string rows;
  for (int64_t i = 0; i < 3; ++i) {
    rows += Text(*next, "day", i) + "," + Text(*next, "shop", i) + "\n";
  }
  EXPECT_EQ(rows, "2024-02-02,0\n2024-01-31,1\n2024-01-07,2\n");
  const auto expected = ByEngine(model,
                                 "2024-01-31,0,11\n2024-02-01,0,12\n2024-02-02,0,\n"
                                 "2024-01-30,1,99\n2024-01-31,1,\n"
                                 "2024-01-05,2,7\n2024-01-06,2,8\n2024-01-07,2,\n");
  const BatchPtr scored = scorer.RollForward(*next).ValueOrDie();
  EXPECT_EQ(Number(*scored, "prediction", 0), expected.at("2024-02-02,0"));
  EXPECT_EQ(Number(*scored, "prediction", 1), expected.at("2024-01-31,1"));
  EXPECT_EQ(Number(*scored, "prediction", 2), expected.at("2024-01-07,2"));
  const BatchPtr timeless = newer->RemoveColumn(0).ValueOrDie();
  EXPECT_NE(Render(FaultOf(old.WithNewerRows(*timeless).status())).find("no column \"day\""),
            std::string::npos);
}

TEST_F(Forward, WhatCannotGoForwardIsRefused) {
  const auto refused = [](const auto& result) {
    EXPECT_FALSE(result.ok());
    return Render(FaultOf(result.status()));
  };
  const Scorer scorer = Scorer::Make(Fitted()).ValueOrDie();
  EXPECT_NE(refused(scorer.NextRows({.rows = 0})).find("a horizon of 0 rows"), std::string::npos);
  std::stop_source stop;
  stop.request_stop();
  const BatchPtr next = scorer.NextRows({.rows = 1}).ValueOrDie();
  EXPECT_TRUE(scorer.RollForward(*next, stop.get_token()).status().IsCancelled());
  StartAgain();
  const Scorer levels =
      Scorer::Make(Fitted({{"numeric", {{{"stage", "ago"}}}},
                           {"label", "sales"},
                           {"loss", {{"name", "quantile"}, {"levels", {0.1, 0.9}}}}}))
          .ValueOrDie();
  const std::string why = refused(levels.RollForward(*next));
  EXPECT_NE(why.find("cannot take the place of \"sales\""), std::string::npos);
  EXPECT_NE(why.find("of quantiles the median goes forward, and the model predicts none"),
            std::string::npos);
  StartAgain();
  const auto single =
      Pipeline({{.kind = "tree_estimator", .options = {{"numeric", {"shop"}}, {"label", "sales"}}}})
          .Fit(session_->Read().Csv("seen.csv"));
  ASSERT_TRUE(single.ok()) << Render(FaultOf(single.status()));
  const Scorer rows = Scorer::Make(*single).ValueOrDie();
  EXPECT_NE(refused(rows.RollForward(*next)).find("reads no earlier rows"), std::string::npos);
}

}  // namespace
}  // namespace protium
