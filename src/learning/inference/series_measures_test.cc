// SPDX-License-Identifier: Apache-2.0
// What predictions of series are measured by: baselines that are named, and "mase@k", against sums
// over the same rows.
#include <arrow/api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include "base/fault.h"
#include "frame/session_state.h"
#include "inference/roll_forward.h"
#include "inference/testing/own_session_test.h"
#include "model/model_state.h"
#include "protium/pipeline.h"
#include "protium/scorer.h"

namespace protium {
namespace {

using testing::HasSubstr;

constexpr int kTrained = 70, kTested = 28;  // Days of each shop.

// Shop 0 has a week, shop 1 also grows; neither repeats itself exactly. None is whole,
// so that the column holds predictions, too.
double Sales(int shop, int day) {
  return (shop + 1) * (20.25 + day % 7 * 3 + (day * day) % 5) + shop * day;
}

std::string DayText(int day) {
  const std::chrono::sys_days date = std::chrono::sys_days(std::chrono::days(19723 + day));
  const std::chrono::year_month_day ymd(date);
  return fmt::format("{}-{:02}-{:02}", int(ymd.year()), unsigned(ymd.month()), unsigned(ymd.day()));
}

class SeriesMeasures : public OwnSession {
 protected:
  void SetUp() override {
    OwnSession::SetUp();
    std::ofstream seen(folder_ / "seen.csv"), test(folder_ / "test.csv");
    for (auto* file : {&seen, &test}) *file << "day,shop,sales\n";
    for (int day = 0; day < kTrained + kTested; ++day) {
      auto& file = day < kTrained ? seen : test;
      for (int shop = 0; shop < 2; ++shop) {
        file << fmt::format("{},{},{}\n", DayText(day), shop, Sales(shop, day));
      }
    }
  }

  // As before, on so many cores.
  void StartAgain(const char* engine = "local[1]") {
    TearDown();
    SetUp();
    session_.reset();
    auto session = OpenSession({.engine = engine,
                                .folder = folder_ / "run",
                                .base = folder_,
                                .force = true,
                                .program = OwnLibraryFolder().parent_path() / "bin/protium"});
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = std::move(*session);
  }

  // `nearest`: how many days before a row the label is known.
  static std::vector<StageOptions> Stages(Json train, int nearest = 1, int workers = 1) {
    return {{.kind = "lag",
             .options = {{"id", "ago"},
                         {"inputs", {"sales"}},
                         {"by", {"shop"}},
                         {"time", "day"},
                         {"lags", {nearest, 14}}}},
            {.kind = "tree_estimator",
             .options = {{"numeric", {{{"stage", "ago"}}}},
                         {"label", "sales"},
                         {"trees", {{"rounds", 10}}},
                         {"gang", {{"workers", workers}}},
                         {"train", std::move(train)}}}};
  }

  PipelineModel Fitted(std::vector<StageOptions> stages) {
    const auto model = Pipeline(std::move(stages)).Fit(session_->Read().Csv("seen.csv"));
    EXPECT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    return *model;
  }
  Fault FaultOfFitting(std::vector<StageOptions> stages, const std::string& file = "seen.csv") {
    return FaultOf(Pipeline(std::move(stages)).Fit(session_->Read().Csv(file)).status());
  }

  // Scores the test rows; returns the metrics of the run and keeps predictions by shop and day.
  Json Tested(const PipelineModel& model) {
    const auto stream = model.Transform(session_->Read().Csv("test.csv")).Stream();
    EXPECT_TRUE(stream.ok()) << stream.status();
    while (const auto batch = (*stream)->Next().ValueOrDie()) {
      const auto& shops = static_cast<const arrow::Int64Array&>(*batch->GetColumnByName("shop"));
      const auto& days = *batch->GetColumnByName("day");
      const auto& predictions =
          static_cast<const arrow::DoubleArray&>(*batch->GetColumnByName("prediction"));
      for (int64_t i = 0; i < batch->num_rows(); ++i) {
        predicted_[{int(shops.Value(i)), (*days.GetScalar(i))->ToString()}] = predictions.Value(i);
      }
    }
    return StateOf(*session_).record().results()["metrics"];
  }

  // The mean size of the changes over `season` days in the first `days` days.
  static double Scale(int shop, int season, int days = kTrained) {
    double sum = 0;
    for (int day = season; day < days; ++day) {
      sum += std::abs(Sales(shop, day) - Sales(shop, day - season));
    }
    return sum / (days - season);
  }
  double Mase(int season) const {
    double sum = 0;
    for (int shop = 0; shop < 2; ++shop) {
      for (int day = kTrained; day < kTrained + kTested; ++day) {
        const double predicted = predicted_.at({shop, DayText(day)});
        sum += std::abs(predicted - Sales(shop, day)) / Scale(shop, season);
      }
    }
    return sum / (2 * kTested);
  }
  // The mean absolute error on the test rows of the value `lag` days before.
  static double ErrorOfLag(int lag) {
    double sum = 0;
    for (int shop = 0; shop < 2; ++shop) {
      for (int day = kTrained; day < kTrained + kTested; ++day) {
        sum += std::abs(Sales(shop, day) - Sales(shop, day - lag));
      }
    }
    return sum / (2 * kTested);
  }

  std::map<std::pair<int, std::string>, double> predicted_;
};

TEST_F(SeriesMeasures, MaseDividesByTheScaleOfTheTrainingRowsOfEachSeries) {
  const Json metrics = Tested(
      Fitted(Stages({{"metrics", {"mase@7", "mae", "mase@1"}}, {"baseline", "seasonal@7"}})));
  EXPECT_NEAR(metrics["test"]["mase@7"].get<double>(), Mase(7), 1e-9);
  EXPECT_NEAR(metrics["test"]["mase@1"].get<double>(), Mase(1), 1e-9);
  double expected = 0;
  for (int shop = 0; shop < 2; ++shop) {
    for (int day = kTrained; day < kTrained + kTested; ++day) {
      expected += std::abs(Sales(shop, day) - Sales(shop, day - 7)) / Scale(shop, 7);
    }
  }
  EXPECT_NEAR(metrics["baseline"]["mase@7"].get<double>(), expected / (2 * kTested), 1e-9);
}

TEST_F(SeriesMeasures, AreTheSameForAnyNumberOfWorkersAndASavedModel) {
  const Json train = {{"metrics", {"mase@7"}},
                      {"baseline", "last value"},
                      {"validation", {{"share", 0.2}, {"by_time", "day"}}}};
  const PipelineModel model = Fitted(Stages(train));
  const Json one = Tested(model);
  ASSERT_TRUE(one["validation"]["mase@7"].is_number()) << Dump(one);
  ASSERT_TRUE(model.Save((folder_ / "model").string()).ok());
  const auto loaded = PipelineModel::Load(*session_, (folder_ / "model").string());
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  EXPECT_EQ(Tested(*loaded)["test"], one["test"]);
  StartAgain("local[3]");
  const Json three = Tested(Fitted(Stages(train, 1, 3)));
  EXPECT_EQ(three["validation"], one["validation"]);
  EXPECT_EQ(three["test"], one["test"]);
  EXPECT_EQ(three["baseline"], one["baseline"]);
}

TEST_F(SeriesMeasures, BaselinesLookNoNearerThanThePipelineDoes) {
  const Json metrics =
      Tested(Fitted(Stages({{"metrics", {"mae"}}, {"baseline", "last value"}}, 3)));
  EXPECT_NEAR(metrics["baseline"]["mae"].get<double>(), ErrorOfLag(3), 1e-9);
  StartAgain();
  const Json far = Tested(Fitted(Stages({{"metrics", {"mae"}}, {"baseline", "seasonal@7"}}, 10)));
  EXPECT_NEAR(far["baseline"]["mae"].get<double>(), ErrorOfLag(14), 1e-9);
}

TEST_F(SeriesMeasures, TheSeasonOfDaysIsAWeek) {
  const Json metrics = Tested(Fitted(Stages({{"metrics", {"mae"}}, {"baseline", "seasonal"}})));
  EXPECT_NEAR(metrics["baseline"]["mae"].get<double>(), ErrorOfLag(7), 1e-9);
  EXPECT_EQ(StateOf(*session_).record().results()["baseline_column"], "sales__seasonal__7");
}

TEST_F(SeriesMeasures, TakeNoPartInGoingForward) {
  const PipelineModel model =
      Fitted(Stages({{"metrics", {"mase@7"}}, {"baseline", "last value"}}, 7));
  EXPECT_EQ(SeriesOf(StateOf(model)).nearest, 7);
}

TEST_F(SeriesMeasures, OfRowsThatAreNoSeriesAreRefused) {
  const StageOptions trees = {
      .kind = "tree_estimator",
      .options = {{"numeric", {"shop"}}, {"label", "sales"}, {"train", {{"metrics", {"mase@7"}}}}}};
  const Fault metric = FaultOfFitting({trees});
  EXPECT_EQ(metric.what, "the metric \"mase@7\" needs series, and the pipeline has none");
  EXPECT_EQ(metric.where, "pipeline.0.train.metrics");
  StageOptions other = trees;
  other.options =
      Json{{"numeric", {"shop"}}, {"label", "sales"}, {"train", {{"baseline", "seasonal"}}}};
  EXPECT_THAT(FaultOfFitting({other}).what, HasSubstr("the baseline \"seasonal\" needs series"));
  EXPECT_THAT(FaultOfFitting(Stages({{"baseline", "seasonal@"}})).what,
              HasSubstr("has no number of rows behind the @"));
}

TEST_F(SeriesMeasures, WindowsOfTimeDoNotSayHowManyRowsAreKnown) {
  std::vector<StageOptions> stages = Stages({{"baseline", "last value"}});
  stages[0] = {.kind = "rolling",
               .options = {{"id", "ago"},
                           {"inputs", {"sales"}},
                           {"by", {"shop"}},
                           {"time", "day"},
                           {"over", "7 days"},
                           {"gap", "28 days"}}};
  EXPECT_THAT(FaultOfFitting(stages).what, HasSubstr("counts rows, and the pipeline does not"));
}

TEST_F(SeriesMeasures, TimesOfNoUsualStepHaveNoSeason) {
  std::ofstream odd(folder_ / "odd.csv");
  odd << "day,shop,sales\n";
  for (int i = 0; i < 40; ++i) odd << DayText(i * i) << ",0," << i % 5 << "\n";
  odd.close();
  EXPECT_THAT(FaultOfFitting(Stages({{"baseline", "seasonal"}}), "odd.csv").why,
              HasSubstr("the times in \"day\" are not a regular step apart"));
}

// A median that goes forward is read as a label would be.
TEST_F(SeriesMeasures, TheMedianOfQuantilesGoesForward) {
  std::vector<StageOptions> stages = Stages(Json::object());
  Json options = stages[1].options.ToJson();
  options["loss"] = {{"name", "quantile"}, {"levels", {0.1, 0.5, 0.9}}};
  stages[1].options = options;
  const PipelineModel model = Fitted(stages);
  const Scorer scorer = Scorer::Make(model).ValueOrDie();
  const auto two = scorer.RollForward(*scorer.NextRows({.rows = 2}).ValueOrDie()).ValueOrDie();
  const auto next = scorer.NextRows({.rows = 1}).ValueOrDie();
  const auto one = scorer.RollForward(*next).ValueOrDie();
  const auto median = one->GetColumnByName("prediction_q50");
  ASSERT_NE(median, nullptr);
  const auto labelled =
      next->AddColumn(next->num_columns(), arrow::field("sales", arrow::float64()), median)
          .ValueOrDie();
  const auto after = scorer.WithNewerRows(*labelled).ValueOrDie();
  const auto second = after.Score(*after.NextRows({.rows = 1}).ValueOrDie()).ValueOrDie();
  for (int column = 0; column < 3; ++column) {
    for (int64_t shop = 0; shop < 2; ++shop) {
      const auto at = [&](const auto& rows, int64_t row) {
        return static_cast<const arrow::DoubleArray&>(*rows->column(column)).Value(row);
      };
      EXPECT_EQ(at(two, 2 * shop), at(one, shop));
      EXPECT_EQ(at(two, 2 * shop + 1), at(second, shop));
    }
  }
}

}  // namespace
}  // namespace protium
