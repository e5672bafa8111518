// SPDX-License-Identifier: Apache-2.0
#include "pipeline/profile.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <random>

namespace protium {
namespace {

struct Row {
  std::optional<double> number;
  std::optional<std::string> text;
};

std::vector<std::shared_ptr<arrow::Array>> AsColumns(const std::vector<Row>& rows) {
  arrow::DoubleBuilder numbers;
  arrow::StringBuilder texts;
  for (const Row& row : rows) {
    EXPECT_TRUE((row.number ? numbers.Append(*row.number) : numbers.AppendNull()).ok());
    EXPECT_TRUE((row.text ? texts.Append(*row.text) : texts.AppendNull()).ok());
  }
  return {*numbers.Finish(), *texts.Finish()};
}

// The driver's state after each of `workers` saw every n-th row, in batches of 100.
ColumnProfiles Seen(const std::vector<Row>& rows, size_t workers) {
  ColumnProfiles all;
  for (size_t w = 0; w < workers; ++w) {
    ColumnProfiles own;
    std::vector<Row> batch;
    for (size_t i = w; i < rows.size(); i += workers) {
      batch.push_back(rows[i]);
      if (batch.size() < 100 && i + workers < rows.size()) continue;
      EXPECT_TRUE(own.Add(AsColumns(batch)).ok());
      batch.clear();
    }
    EXPECT_TRUE(own.Emit([&](const StateRow& row) { return all.Merge(row); }).ok());
  }
  return all;
}

const std::vector<ProfiledColumn> kColumns = {{"x", "number", "double"}, {"t", "text", "string"}};

// Normally distributed numbers around `mean`; every second text is "a".
std::vector<Row> Normal(int count, double mean, int seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(mean);
  std::vector<Row> rows;
  for (int i = 0; i < count; ++i) {
    rows.push_back({normal(random), i % 2 == 0 ? "a" : "b" + std::to_string(i % 10)});
  }
  return rows;
}

TEST(ProfileOfATable, OfASmallTableIsExact) {
  std::vector<Row> rows = {{1, "a"}, {2, "b"}, {2, "b"}, {std::nullopt, "b"}, {5, std::nullopt}};
  const Json profile = ProfileToJson(Seen(rows, 2), kColumns);
  EXPECT_EQ(profile["rows"], 5);
  EXPECT_EQ(profile["sampled_rows"], 5);
  EXPECT_EQ(profile["all_rows_sampled"], true);
  const Json &x = profile["columns"][0], &t = profile["columns"][1];
  EXPECT_EQ(x["missing"], 1);
  EXPECT_EQ(x["distinct"], 3);
  EXPECT_EQ(x["distinct_exact"], true);
  EXPECT_EQ(x["low"], 1.0);
  EXPECT_EQ(x["high"], 5.0);
  EXPECT_EQ(x["mean"], 2.5);
  EXPECT_EQ(x["quantiles"][3], Json({0.5, 2.0}));
  EXPECT_EQ(x["top"][0], Json({2.0, 0.5}));
  EXPECT_EQ(t["top"][0], Json({"b", 0.75}));
  EXPECT_EQ(t["distinct"], 2);
}

TEST(ProfileOfATable, IsTheSameForAnyPartitioning) {
  const std::vector<Row> rows = Normal(20'000, 0, 3);
  const std::string one = Dump(ProfileToJson(Seen(rows, 1), kColumns));
  EXPECT_EQ(Dump(ProfileToJson(Seen(rows, 3), kColumns)), one);
  EXPECT_EQ(Dump(ProfileToJson(Seen({rows.rbegin(), rows.rend()}, 2), kColumns)), one);
}

TEST(ProfileOfATable, OfALargeTableComesFromASampleThatItSays) {
  const Json profile = ProfileToJson(Seen(Normal(40'000, 10, 5), 2), kColumns);
  EXPECT_EQ(profile["rows"], 40'000);
  EXPECT_EQ(profile["all_rows_sampled"], false);
  EXPECT_GT(profile["sampled_rows"], 400);
  const Json& x = profile["columns"][0];
  EXPECT_EQ(x["distinct_exact"], false);
  EXPECT_NEAR(x["distinct"].get<double>(), 40'000, 4000);
  EXPECT_NEAR(x["quantiles"][3][1].get<double>(), 10, 0.15);
  EXPECT_EQ(profile["columns"][1]["distinct"], 6);
}

TEST(ProfileOfATable, DriftIsWhatMovesAndNotChance) {
  const Json train = ProfileToJson(Seen(Normal(20'000, 0, 1), 2), kColumns);
  const Json same = TestProfileToJson(Seen(Normal(5000, 0, 2), 2), kColumns, train);
  EXPECT_LT(same["columns"][0]["psi"].get<double>(), 0.06);
  EXPECT_EQ(same["columns"][0]["drifted"], false);
  EXPECT_EQ(same["columns"][1]["drifted"], false);
  EXPECT_EQ(same["columns"][0]["histogram"]["edges"], train["columns"][0]["histogram"]["edges"]);
  const Json moved = TestProfileToJson(Seen(Normal(5000, 1, 2), 2), kColumns, train);
  // For two normal distributions one deviation apart it is 1 without bins.
  EXPECT_NEAR(moved["columns"][0]["psi"].get<double>(), 0.9, 0.15);
  EXPECT_EQ(moved["columns"][0]["drifted"], true);
  EXPECT_EQ(moved["columns"][1]["drifted"], false);
}

TEST(ProfileOfATable, FewTestRowsAreNotCalledDrifted) {
  const Json train = ProfileToJson(Seen(Normal(20'000, 0, 1), 2), kColumns);
  const Json few = TestProfileToJson(Seen(Normal(12, 0, 9), 1), kColumns, train);
  EXPECT_EQ(few["columns"][0]["drifted"], false);
}

TEST(ProfileOfATable, OtherColumnsAreOnlyCounted) {
  arrow::BinaryBuilder builder;
  EXPECT_TRUE(builder.Append("x").ok() && builder.AppendNull().ok());
  ColumnProfiles state;
  EXPECT_TRUE(state.Add(std::vector<std::shared_ptr<arrow::Array>>{*builder.Finish()}).ok());
  const Json column = ProfileToJson(state, {{"b", "other", "binary"}})["columns"][0];
  EXPECT_EQ(column["missing"], 1);
  EXPECT_FALSE(column.contains("distinct"));
}

TEST(ProfileOfATable, DamagedStatesAreRefused) {
  ColumnProfiles state;
  for (const char* text : {"{}", "[]", "[-1]", "7", R"({"level":99,"columns":[]})",
                           R"({"level":1,"columns":[{"missing":"x"}]})"}) {
    EXPECT_FALSE(state.Merge({.text = text, .count = 1}).ok()) << text;
  }
}

}  // namespace
}  // namespace protium
