// SPDX-License-Identifier: Apache-2.0
// Models that read earlier rows, in this process and by the engine.
#include <arrow/api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "base/fault.h"
#include "base/json.h"
#include "frame/session_state.h"
#include "inference/json_answer.h"
#include "inference/testing/own_session_test.h"
#include "protium/scorer.h"
#include "protium/stages.h"

namespace protium {
namespace {

using testing::HasSubstr;

constexpr int kDays = 30;

class HistoryScorer : public OwnSession {
 protected:
  static double Sales(int shop, int day) { return 100 * shop + day * day % 17 + 0.25; }
  static std::string Day(int day) {
    return (day < 31 ? "2024-01-" : "2024-02-") + std::string(day % 31 < 9 ? "0" : "") +
           std::to_string(day % 31 + 1);
  }
  static const char* Shop(int shop) { return shop == 0 ? "north" : "south"; }

  void SetUp() override {
    OwnSession::SetUp();
    std::ofstream seen(folder_ / "seen.csv"), next(folder_ / "next.csv");
    seen << "day,shop,sales\n";
    next << "day,shop\n";
    for (int i = 0; i < 2 * kDays; ++i) {
      seen << Day(i / 2) << "," << Shop(i % 2) << "," << Sales(i % 2, i / 2) << "\n";
    }
    // In no order.
    for (const int i : {5, 0, 3, 4, 1, 2}) {
      next << Day(kDays + i / 2) << "," << Shop(i % 2) << "\n";
    }
  }

  PipelineModel Fitted() {
    const Json by = {{"by", {"shop"}}, {"time", "day"}, {"inputs", {"sales"}}};
    Json lag = by, week = by;
    lag.update({{"id", "ago"}, {"lags", {3, 7}}});
    week.update({{"id", "week"}, {"rows", 7}, {"lag", 3}});
    const auto model = Pipeline({{.kind = "lag", .options = lag},
                                 {.kind = "rolling", .options = week},
                                 Imputer({.id = "fill", .inputs = OutputsOf("ago")})})
                           .Fit(session_->Read().Csv("seen.csv"));
    EXPECT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    return *model;
  }

  // What the stages add to each row, by its day and shop.
  static std::map<std::string, std::string> ByRow(const arrow::RecordBatch& rows,
                                                  const arrow::RecordBatch& made,
                                                  const arrow::Schema& added) {
    std::map<std::string, std::string> all;
    for (int64_t i = 0; i < rows.num_rows(); ++i) {
      std::string text;
      for (const auto& field : added.fields()) {
        text += (*made.GetColumnByName(field->name())->GetScalar(i))->ToString() + " ";
      }
      const auto cell = [&](const char* name) {
        return (*rows.GetColumnByName(name)->GetScalar(i))->ToString();
      };
      all[cell("day") + " " + cell("shop")] = text;
    }
    return all;
  }
};

TEST_F(HistoryScorer, PutsRowsBehindThoseThatTheModelKeepsAsTheEngineDoes) {
  const PipelineModel model = Fitted();
  const auto scorer = Scorer::Make(model);
  ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
  EXPECT_TRUE(scorer->ReadsHistory());
  const DataFrame next = session_->Read().Csv("next.csv");
  const auto given = *(*next.Stream())->Next();
  const auto scored = scorer->Score(*given);
  ASSERT_TRUE(scored.ok()) << Render(FaultOf(scored.status()));
  const auto whole = *(*model.Transform(next).Stream())->Next();
  const auto here = ByRow(*given, **scored, *scorer->output());
  EXPECT_EQ(here.size(), 6u);
  EXPECT_EQ(here, ByRow(*whole, *whole, *scorer->output()));
  // The first row that was given: the south on the third day, as three days before.
  const auto ago = (*scored)->GetColumnByName("sales__ago__3");
  EXPECT_EQ((*ago->GetScalar(0))->ToString(), fmt::format("{}", Sales(1, kDays - 1)));
}

TEST_F(HistoryScorer, TakesJsonWithoutTheColumnWhoseEarlierValuesAreRead) {
  const auto scorer = Scorer::Make(Fitted());
  ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
  session_.reset();  // It is no longer needed, nor are its files.
  std::filesystem::remove_all(folder_);
  const auto one = scorer->ScoreJson(R"({"day": "2024-01-31", "shop": "south"})");
  ASSERT_TRUE(one.ok()) << Render(FaultOf(one.status()));
  EXPECT_EQ((*ParseJson(*one))["sales__ago__3"], Sales(1, kDays - 3));
  const auto other = scorer->ScoreJson(R"({"day": "2024-01-31", "shop": "east"})");
  EXPECT_EQ((*ParseJson(*other))["sales__ago__3"], nullptr);
  const auto twice = scorer->ScoreJson(
      R"([{"day": "2024-01-31", "shop": "south"}, {"day": "2024-01-31", "shop": "south"}])");
  EXPECT_THAT(FaultOf(twice.status()).what, HasSubstr("same value in two rows"));
}

}  // namespace
}  // namespace protium
