// SPDX-License-Identifier: Apache-2.0
#include "app/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/report/chart.h"
#include "app/report/sections.h"

namespace protium {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ReportFacts SomeFacts() {
  ReportFacts facts{.id = "flights-20130101-081500-abcd"};
  facts.run = {{"name", "flights"}, {"state", "done"}, {"started", "2013-01-01T08:15:00.000Z"}};
  facts.result = Json::parse(R"({
    "metrics": {"test": {"rmse": 16.25, "mae": 11.5, "rows": 6400},
                "baseline": {"rmse": 17.0, "mae": 12.0}, "validation": {"rmse": 16.0, "mae": 11.0}},
    "seconds": {"total": 9.5, "etl": 1.0, "first_step": 1.8, "train": 6.0, "score": 0.5},
    "steps": 460, "rows": 23512, "best_epoch": 2, "weights_sha256": "00ff",
    "history": [{"epoch": 1, "step": 46, "loss": 0.5, "validation": {"rmse": 17.5}},
                {"epoch": 2, "step": 92, "loss": 0.4, "validation": {"rmse": 16.0}}]})");
  facts.job = Json::parse(R"({"job": {"etl": {"sql": "SELECT 1 < 2 AS \"<b>\""}},
    "plan": {"training": {"workers": 2, "shards": 4, "batch_size": 512},
             "placement": [{"task": "train", "ranks": [{"rank": 0, "host": "here"}]}],
             "not_exact": ["avg(x): depends on the order"]},
    "settings": [{"key": "train.epochs", "value": 2, "from": "flights.toml:70:14"}]})");
  return facts;
}

TEST(Report, TellsTheWholeRunInOneFileWithoutNetwork) {
  const std::string page = RenderReport(SomeFacts());
  for (const char* part :
       {"test rmse; the baseline has 17.000", "kept: epoch 2", "flights.toml:70:14", "00ff",
        "512 rows per step = 4 shards x 128 rows; 2 workers with 2 shards each", "1.8 s to the end",
        "depends on the order", "class=\"state done\""}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, HasSubstr("SELECT 1 &lt; 2 AS &quot;&lt;b&gt;&quot;"));
  for (const char* outside : {"http:", "https:", "src=", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(Report, BeginsWithWhatIsPredictedFromWhatAndHowWell) {
  ReportFacts facts = SomeFacts();
  facts.result["labels"] = {"arr_delay"};
  facts.result["baseline_column"] = "dep_delay";
  facts.job["job"]["pipeline"] = Json::parse(R"([{"kind": "standard_scaler"},
    {"kind": "torch_estimator", "label": "arr_delay", "net": {"name": "linear"},
     "numeric": [{"stage": "scale"}, "<hour>"], "train": {"best": "rmse"}}])");
  facts.job["plan"]["stages"] = Json::parse(R"([
    {"id": "fill", "inputs": ["temp"], "outputs": ["temp__fill"]},
    {"id": "scale", "inputs": ["distance", "temp__fill"], "outputs": ["distance__scale"]}])");
  facts.events = {Json{{"event", "note"}, {"message", "7 rows have no <label>"}}};
  const std::string page = RenderReport(facts);
  for (const char* part :
       {"Predicts <b>arr_delay</b>, a number, from 3 columns: temp, distance, &lt;hour&gt;.",
        "the rmse is 16.25; a baseline, a straight line in dep_delay, has 17.",
        "<li>7 rows have no &lt;label&gt;</li>", "torch_estimator: linear"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
}

TEST(Report, NamesTheColumnsThatDrifted) {
  ReportFacts facts{.id = "drift"};
  facts.profile = Json::parse(R"({"train": {"columns": [
      {"column": "<x>", "kind": "number", "quantiles": [[0.5, 1.5]]}, {"column": "y"}]},
    "test": {"columns": [
      {"column": "<x>", "kind": "number", "quantiles": [[0.5, 4]], "psi": 0.31, "drifted": true},
      {"column": "y", "kind": "text", "psi": 0.01, "drifted": false}]}})");
  EXPECT_THAT(RenderReport(facts), HasSubstr("<tr><td>&lt;x&gt;</td><td class=\"num\">0.31</td>"
                                             "<td>median 1.5</td><td>median 4</td></tr>"));
  facts.profile["test"]["columns"][0]["drifted"] = false;
  EXPECT_THAT(RenderReport(facts), Not(HasSubstr("drifted")));
}

TEST(Report, TellsAFailureWithWhatIsKnown) {
  ReportFacts facts{.id = "broken"};
  facts.run = {{"name", "broken"}, {"state", "failed"}};
  facts.result = Json::parse(R"({"error": {"exit": 1, "what": "rank 1: signal 9 <killed>"}})");
  facts.events = {Json{{"event", "step"}, {"step", 1}, {"loss", 0.7}},
                  Json{{"event", "step"}, {"step", 9}, {"loss", 0.5}},
                  Json{{"event", "restart"}, {"cause", "signal 9"}},
                  Json{{"event", "validation"}, {"epoch", 1}, {"step", 9}, {"rmse", 18.0}}};
  const std::string page = RenderReport(facts);
  EXPECT_THAT(page, HasSubstr("error: rank 1: signal 9 &lt;killed&gt;"));
  EXPECT_THAT(page, HasSubstr("Training loss"));
  EXPECT_THAT(page, HasSubstr("restart"));
  EXPECT_THAT(page, HasSubstr("Validation rmse"));
  EXPECT_THAT(page, Not(HasSubstr("<h2>Metrics")));
}

TEST(Report, ShowsTheTrialsOfASearchAndTheBest) {
  ReportFacts facts{.id = "search"};
  facts.trials = Json::parse(R"({"metric": "rmse", "best": 2, "trials": [
    {"trial": 1, "values": {"net.hidden": [64, 8], "net.name": "<b>"}, "value": 15.5,
     "deviation": 0.25, "seconds": 2.0},
    {"trial": 2, "values": {"net.hidden": [8], "net.name": "y"}, "value": 14.5, "best_epoch": 3},
    {"trial": 3, "values": {"net.hidden": [9], "net.name": "z"}, "error": "the loss <broke>"}]})");
  const std::string page = RenderReport(facts);
  for (const char* part :
       {"<h2>Trials</h2>", "<tr class=\"best\"><td>2 (the best)</td>", "[64,8]", "&lt;b&gt;",
        "15.5 \u00b1 0.25", "the loss &lt;broke&gt;", "rmse of each trial"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(RenderReport({.id = "x"}), Not(HasSubstr("Trials")));
}

TEST(Report, DrawsWhatPredictionsAreLike) {
  ReportFacts facts = SomeFacts();
  facts.result["classes"] = {"<no>", "yes"};
  facts.result["diagnostics"]["validation"] = Json::parse(R"({"labels": [{}]})");
  facts.result["diagnostics"]["test"] = Json::parse(R"({"kind": "two_classes", "labels": [
      {"confusion": [[900, 100], [5, 95]], "roc": [[0, 0], [0.1, 0.95], [1, 1]],
       "precision_recall": [[0.5, 0.9], [1, 0.1]], "calibration": [[0.05, 0.04, 900]]}]})");
  const std::string page = RenderReport(facts);
  for (const char* part : {"Predictions on the test rows", "as &lt;no&gt;", ">900</td>", "ROC",
                           "Precision over recall", "Calibration"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  facts.result["labels"] = {"a", "b"};
  facts.result["diagnostics"] = {{"validation", Json::parse(R"({"labels": [
      {"predicted_actual": [[1, 2], [3, 3.5]], "residuals": {"low": -1, "high": 2, "counts": [3, 4]}},
      {"below": [[0.1, 0.12], [0.9, 0.88]]}]})")}};
  const std::string numbers = RenderReport(facts);
  for (const char* part : {"Predictions of a on the validation rows", "Predictions of b",
                           "Actual over predicted", "Residuals", "below each quantile"}) {
    EXPECT_THAT(numbers, HasSubstr(part));
  }
}

TEST(Report, ShowsWhichColumnsMatter) {
  ReportFacts facts = SomeFacts();
  facts.result["importance"] = Json::parse(R"({"metric": "auc", "value": 0.8, "rows": 1000,
      "columns": [{"column": "a<b", "value": 0.7, "worse": 0.1},
                  {"column": "none", "value": 0.81, "worse": -0.01}, {"column": 3}]})");
  const std::string page = RenderReport(facts);
  for (const char* part : {"<h2>Columns</h2>", "among 1,000 validation rows", "a&lt;b", "+0.1<",
                           "width:100.0%", "-0.01<", "width:0.0%"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  for (const char* strange : {"7", "{\"columns\": []}", "{\"columns\": [null, 3]}"}) {
    facts.result["importance"] = Json::parse(strange);
    EXPECT_THAT(RenderReport(facts), Not(HasSubstr("<h2>Columns</h2>")));
  }
}

// Files of other versions, and damaged ones, must not keep a report from being made.
TEST(Report, LeavesOutPredictionsThatItCannotRead) {
  ReportFacts facts = SomeFacts();
  for (const char* strange : {"7", "{\"test\": {\"labels\": 3}}",
                              "{\"test\": {\"labels\": [null, {\"roc\": [7, [1]], "
                              "\"confusion\": 9, \"residuals\": {\"low\": 1}}]}}"}) {
    facts.result["diagnostics"] = Json::parse(strange);
    EXPECT_THAT(RenderReport(facts), Not(HasSubstr("Predictions")));
  }
}

TEST(Report, StandsWithNothingKnown) {
  EXPECT_THAT(RenderReport({.id = "x"}), HasSubstr("</html>"));
}

TEST(Chart, LeavesOutWhatIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(DrawChart({.title = "t", .series = {{"a", {{1, nan}}, true}}}), "");
  const std::string svg =
      DrawChart({.title = "t", .x_name = "step", .series = {{"a", {{1, 2}, {2, nan}}, true}}});
  EXPECT_THAT(svg, HasSubstr("<circle"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(Chart, DividesItsAxesByRoundNumbers) {
  EXPECT_THAT(Ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(Ticks(0.93, 1.07, 3),
              ElementsAre(testing::DoubleEq(0.95), 1.0, testing::DoubleEq(1.05)));
  EXPECT_THAT(Ticks(3, 3, 5), ElementsAre(3));
}

TEST(Shards, AreExplained) {
  EXPECT_EQ(
      ShardsText({{"workers", 3}, {"shards", 4}, {"batch_size", 512}}),
      "512 rows per step = 4 shards x 128 rows; 3 workers with 1 or 2 shards, 33 % of them idle");
  EXPECT_THAT(
      ShardsText({{"workers", 2}, {"row_bytes", 92}, {"rows_in_memory", 1000000}}),
      testing::EndsWith("; rows of 92 bytes, of which 1,000,000 fit engine.rows_memory: more "
                        "go to disk"));
}

}  // namespace protium
