// SPDX-License-Identifier: Apache-2.0
#include "column/group_batches.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "base/fault.h"
#include "column/stream.h"

namespace protium {
namespace {

const SchemaPtr kSchema =
    arrow::schema({arrow::field("Shop", arrow::utf8()), arrow::field("x", arrow::float64())});

// "-" is NULL.
std::shared_ptr<arrow::RecordBatch> Batch(const std::vector<std::string>& shops) {
  arrow::StringBuilder names;
  arrow::DoubleBuilder numbers;
  for (const std::string& shop : shops) {
    EXPECT_TRUE((shop == "-" ? names.AppendNull() : names.Append(shop)).ok());
    EXPECT_TRUE(numbers.Append(double(names.length())).ok());
  }
  return arrow::RecordBatch::Make(kSchema, int64_t(shops.size()),
                                  {names.Finish().ValueOrDie(), numbers.Finish().ValueOrDie()});
}

std::vector<int64_t> Sizes(const arrow::RecordBatchVector& batches) {
  std::vector<int64_t> sizes;
  for (const auto& batch : batches) sizes.push_back(batch->num_rows());
  return sizes;
}

TEST(GroupBatches, AreCutOnlyBetweenGroups) {
  const auto stream =
      WholeGroups(MakeStream(kSchema, {Batch({"-", "-", "a"}), Batch({}), Batch({"a", "a"}),
                                       Batch({"a", "b"}), Batch({"c"}), Batch({"c"})}),
                  {"shop"});
  const auto batches = Collect(*stream).ValueOrDie();
  EXPECT_EQ(Sizes(batches), (std::vector<int64_t>{2, 4, 1, 2}));
  EXPECT_EQ(GroupStarts(*Batch({"-", "-", "a", "a", "b"}), {"SHOP"}).ValueOrDie(),
            (std::vector<int64_t>{0, 2, 4}));
}

// Whatever the batches are, the rows are the same and no group is split between two.
TEST(GroupBatches, KeepAllRowsHoweverTheyCome) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> rows;
    for (int group = 0; group < 20; ++group) {
      rows.insert(rows.end(), random() % 6, std::string(1, char('a' + group)));
    }
    arrow::RecordBatchVector batches;
    for (size_t at = 0; at < rows.size();) {
      const size_t end = std::min(rows.size(), at + random() % 5);
      batches.push_back(Batch({rows.begin() + at, rows.begin() + end}));
      at = end;
    }
    const auto whole = Collect(*WholeGroups(MakeStream(kSchema, batches), {"Shop"})).ValueOrDie();
    std::vector<std::string> back, seen;
    for (const auto& batch : whole) {
      const auto& names = static_cast<const arrow::StringArray&>(*batch->column(0));
      for (int64_t i = 0; i < names.length(); ++i) back.push_back(names.GetString(i));
      for (const int64_t start : GroupStarts(*batch, {"Shop"}).ValueOrDie()) {
        seen.push_back(names.GetString(start));
      }
    }
    EXPECT_EQ(back, rows);
    EXPECT_TRUE(std::adjacent_find(seen.begin(), seen.end(), std::greater_equal<>()) == seen.end());
  }
}

TEST(GroupBatches, NumbersAreComparedByValue) {
  arrow::DoubleBuilder numbers;
  const double nan = std::nan("");
  EXPECT_TRUE(numbers.AppendValues({-0.0, 0.0, nan, -nan, 1}).ok());
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::float64())}),
                                              5, {numbers.Finish().ValueOrDie()});
  EXPECT_EQ(GroupStarts(*batch, {"x"}).ValueOrDie(), (std::vector<int64_t>{0, 2, 4}));
}

TEST(GroupBatches, RefuseKeysThatAreNone) {
  EXPECT_THAT(FaultOf(CheckGroupKeys(*kSchema, {"shp"})).fix, testing::HasSubstr("Shop"));
  const auto lists = arrow::schema({arrow::field("l", arrow::list(arrow::int64()))});
  EXPECT_THAT(FaultOf(CheckGroupKeys(*lists, {"l"})).what, testing::HasSubstr("not compared"));
}

}  // namespace
}  // namespace protium
