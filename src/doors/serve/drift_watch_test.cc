// SPDX-License-Identifier: Apache-2.0
#include "serve/drift_watch.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <optional>

namespace protium {
namespace {

const char* const kKept = R"({"rows": 400, "columns": [
    {"column": "x", "kind": "number", "bins": {"edges": [1, 2], "rows": [100, 100, 200, 0]}},
    {"column": "shop", "kind": "text", "bins": {"texts": ["north"], "rows": [300, 100, 0]}},
    {"column": "damaged", "kind": "text", "bins": {"texts": ["north"], "rows": [300]}}]})";

std::shared_ptr<arrow::RecordBatch> Rows(int count, std::optional<double> x, const char* shop) {
  arrow::DoubleBuilder numbers;
  arrow::StringBuilder shops;
  for (int i = 0; i < count; ++i) {
    EXPECT_TRUE((x ? numbers.Append(*x) : numbers.AppendNull()).ok());
    EXPECT_TRUE(shops.Append(shop).ok());
  }
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("x", arrow::float64()), arrow::field("shop", arrow::utf8())}),
      count, {*numbers.Finish(), *shops.Finish()});
}

TEST(DriftWatch, IsNearZeroForRowsAsInTraining) {
  DriftWatch watch(*ParseJson(kKept));
  for (const double x : {0.5, 1.5, 2.5, 2.5}) watch.Add(*Rows(75, x, "north"));
  watch.Add(*Rows(25, 0.5, "south"));
  watch.Add(*Rows(25, 1.5, "south"));
  watch.Add(*Rows(50, 2.5, "south"));
  const auto drifts = watch.Drifts();
  ASSERT_EQ(drifts.size(), 2u);
  EXPECT_LT(drifts.at("x"), 0.01);
  EXPECT_LT(drifts.at("shop"), 0.01);
}

TEST(DriftWatch, SeesOtherValuesAndMissingOnes) {
  DriftWatch watch(*ParseJson(kKept));
  watch.Add(*Rows(99, std::nullopt, "east"));
  EXPECT_TRUE(watch.Drifts().empty());  // Too few to say anything.
  watch.Add(*Rows(101, std::nullopt, "east"));
  EXPECT_GT(watch.Drifts().at("x"), 1);
  EXPECT_GT(watch.Drifts().at("shop"), 1);
}

TEST(DriftWatch, ForgetsOlderRows) {
  DriftWatch watch(*ParseJson(kKept));
  for (int i = 0; i < 20; ++i) watch.Add(*Rows(1000, std::nullopt, "north"));
  const double before = watch.Drifts().at("x");
  for (int i = 0; i < 100; ++i) {
    for (const double x : {0.5, 1.5, 2.5, 2.5}) watch.Add(*Rows(250, x, "north"));
  }
  EXPECT_GT(before, 1);
  EXPECT_LT(watch.Drifts().at("x"), 0.05);
}

TEST(DriftWatch, IgnoresColumnsOfOtherTypesAndModelsWithoutAProfile) {
  DriftWatch watch(*ParseJson(kKept));
  const auto rows = Rows(200, 1.5, "north");
  watch.Add(*arrow::RecordBatch::Make(
      arrow::schema({arrow::field("shop", arrow::float64()), arrow::field("x", arrow::utf8())}),
      200, rows->columns()));
  EXPECT_TRUE(watch.Drifts().empty());
  DriftWatch none{Json()};
  none.Add(*rows);
  EXPECT_TRUE(none.Drifts().empty());
}

}  // namespace
}  // namespace protium
