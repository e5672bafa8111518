// SPDX-License-Identifier: Apache-2.0
#include "trials/tried.h"

#include <gtest/gtest.h>

#include "os/file.h"

namespace protium {
namespace {

Json Parsed(const char* text) { return ParseJson(text).ValueOrDie(); }

std::vector<int64_t> Numbers(const std::vector<const TriedTrial*>& trials) {
  std::vector<int64_t> numbers;
  for (const TriedTrial* each : trials) numbers.push_back(each->number);
  return numbers;
}

TEST(TriedSearch, HasTheSpaceAndTheTrialsBestFirst) {
  const auto search = TriedSearchFrom(
      Parsed(R"({"metric": "auc", "higher_is_better": true, "best": 3, "trials": [
        {"trial": 1, "state": "failed", "values": {"x": 1}, "value": null, "error": "no"},
        {"trial": 2, "state": "done", "values": {"x": 2}, "value": 0.5},
        {"trial": 4, "state": "pruned", "values": {"x": 2}, "value": 0.9, "pruned_at": 3},
        {"trial": 3, "state": "done", "values": {"x": 3}, "value": 0.7}]})"),
      Parsed(R"({"x": {"log_int_uniform": [1, 64], "points": 3}, "y": [[64], "a"]})"));
  ASSERT_TRUE(search);
  EXPECT_EQ(Numbers(search->BestFirst()), (std::vector<int64_t>{3, 2, 4, 1}));
  ASSERT_EQ(search->options.size(), 2u);
  EXPECT_TRUE(search->options[0].log && search->options[0].whole && search->options[0].range());
  EXPECT_EQ(search->options[0].high, 64);
  EXPECT_EQ(search->options[1].choices.size(), 2u);
  EXPECT_EQ(search->trials[3].pruned_at, 3);
}

TEST(TriedSearch, WithoutASpaceHasTheRangeOfItsValues) {
  const auto search = TriedSearchFrom(Parsed(R"({"trials": [
      {"trial": 1, "values": {"a": 3, "b": "u"}}, {"trial": 2, "values": {"a": 9, "b": [1]}}]})"),
                                      Json());
  ASSERT_TRUE(search);
  EXPECT_EQ(search->options[0].low, 3);
  EXPECT_EQ(search->options[0].high, 9);
  EXPECT_TRUE(search->options[0].whole);
  EXPECT_EQ(search->options[1].choices, (std::vector<Json>{"u", Json::array({1})}));
}

TEST(TriedSearch, WithSeveralObjectivesKnowsWhichIsBetterWhenHigher) {
  const auto search = TriedSearchFrom(
      Parsed(
          R"({"metric": "rmse", "higher_is_better": false, "objectives": ["rmse", "auc", "latency_us"],
                 "front": [1], "best": 1, "trials": [{"trial": 1, "state": "done", "values": {}, "value": 2,
                 "measured": {"latency_us": 30, "rmse": 2, "auc": 0.5}}, {"trial": 2, "measured": {"rmse": 1}}]})"),
      Json());
  ASSERT_TRUE(search);
  ASSERT_EQ(search->objectives.size(), 3u);
  EXPECT_FALSE(search->objectives[0].higher_is_better);
  EXPECT_TRUE(search->objectives[1].higher_is_better);
  EXPECT_FALSE(search->objectives[2].higher_is_better);
  EXPECT_EQ(search->trials[0].measured, (std::vector<double>{2, 0.5, 30}));
  EXPECT_EQ(search->front, (std::vector<int64_t>{1}));
}

TEST(TriedSearch, OfADamagedTableIsWhatCanBeUnderstood) {
  for (const char* text :
       {"{}", "[]", "7", R"({"trials": 7})", R"({"trials": []})", R"({"trials": [7, null]})"}) {
    EXPECT_FALSE(TriedSearchFrom(Parsed(text), Json())) << text;
  }
  const auto search = TriedSearchFrom(
      Parsed(R"({"metric": 7, "best": "x", "front": 3, "objectives": {"a": 1}, "trials": [
        {"trial": "one", "values": 7, "value": "high", "state": [], "error": {}, "measured": []}]})"),
      Parsed(R"({"x": {"uniform": ["a", 3]}, "y": 7, "z": {"uniform": [3, 1]}, "w": []})"));
  ASSERT_TRUE(search);
  EXPECT_EQ(search->trials[0].values, Json::object());
  EXPECT_FALSE(search->trials[0].value);
  EXPECT_TRUE(search->options.empty());
}

TEST(TriedSearch, OfARunIsReadFromItsFolder) {
  const TemporaryFolder run = TemporaryFolder::Make().ValueOrDie();
  EXPECT_FALSE(ReadTriedSearch(run.path()));
  ASSERT_TRUE(MakeFolder(run.path() / "trials/001").ok());
  ASSERT_TRUE(
      WriteFile(run.path() / "trials.json", R"({"trials": [{"trial": 1, "values": {"x": 0.5}}]})")
          .ok());
  ASSERT_TRUE(
      WriteFile(run.path() / "trials/search.json", R"({"space": {"x": {"uniform": [0, 1]}}})")
          .ok());
  ASSERT_TRUE(
      WriteFile(run.path() / "trials/001/result.json", R"({"curve": [3, null, 2.5]})").ok());
  const auto search = ReadTriedSearch(run.path());
  ASSERT_TRUE(search);
  EXPECT_EQ(search->options[0].high, 1);
  EXPECT_EQ(CurveOfTrial(run.path(), 1), (std::vector<double>{3, 2.5}));
  EXPECT_TRUE(CurveOfTrial(run.path(), 2).empty());
}

}  // namespace
}  // namespace protium
