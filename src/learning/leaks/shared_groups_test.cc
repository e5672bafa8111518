// SPDX-License-Identifier: Apache-2.0
#include "leaks/shared_groups.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <random>

namespace protium {
namespace {

struct Rows {
  std::vector<int64_t> groups;
  std::vector<double> labels;
};

arrow::RecordBatchVector PartOf(const Rows& rows) {
  arrow::Int64Builder groups;
  arrow::DoubleBuilder labels;
  EXPECT_TRUE(groups.AppendValues(rows.groups).ok() && labels.AppendValues(rows.labels).ok());
  const auto schema = arrow::schema(
      {arrow::field("patient_id", arrow::int64()), arrow::field("y", arrow::float64())});
  return {arrow::RecordBatch::Make(schema, int64_t(rows.groups.size()),
                                   {*groups.Finish(), *labels.Finish()})};
}

// 300 patients with five rows each, whose labels are as alike as `within` is small; every fifth row
// is for testing, or with `apart` every fifth patient.
SharedGroups Find(double within, bool apart, bool classes = false) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Rows train, test;
  for (int64_t patient = 0; patient < 300; ++patient) {
    const double own = normal(random);
    for (int i = 0; i < 5; ++i) {
      const double y = within < 0 ? normal(random) : own + within * normal(random);
      Rows& rows = (apart ? patient % 5 == 0 : i == 0) ? test : train;
      rows.groups.push_back(patient);
      rows.labels.push_back(classes ? (y > 0 ? 1 : 0) : y);
    }
  }
  return *FindSharedGroups(PartOf(train), PartOf(test), "patient_id", "y", classes);
}

TEST(SharedGroups, AreFoundWhereRowsOfAGroupAreAlike) {
  const SharedGroups found = Find(1, false);
  EXPECT_EQ(found.groups, 300);
  EXPECT_EQ(found.test_rows, 300);
  EXPECT_EQ(found.shared_rows, 300);
  EXPECT_NEAR(found.alike, 0.5, 0.08);
  EXPECT_TRUE(found.telling());
  EXPECT_TRUE(Find(0.7, false, true).telling());
  EXPECT_EQ(Find(0, false).alike, 1);
}

TEST(SharedGroups, AreFineWhereTheSplitKeepsThemTogether) {
  EXPECT_EQ(Find(1, true).shared_rows, 0);
  EXPECT_FALSE(Find(1, true).telling());
}

TEST(SharedGroups, AreFineWhereTheirRowsAreNoMoreAlikeThanOthers) {
  EXPECT_EQ(Find(-1, false).alike, 0);
  EXPECT_FALSE(Find(-1, false).telling());
  EXPECT_FALSE(Find(-1, false, true).telling());
}

TEST(SharedGroups, HaveNamesOfIds) {
  EXPECT_TRUE(MayNameGroups("patient_id", *arrow::int64()));
  EXPECT_TRUE(MayNameGroups("userId", *arrow::utf8()));
  EXPECT_TRUE(MayNameGroups("Subject", *arrow::utf8()));
  EXPECT_TRUE(MayNameGroups("customer_no", *arrow::int64()));
  EXPECT_TRUE(MayNameGroups("first_user_key", *arrow::utf8()));
  EXPECT_FALSE(MayNameGroups("users", *arrow::int64()));
  EXPECT_FALSE(MayNameGroups("superuser", *arrow::utf8()));
  EXPECT_FALSE(MayNameGroups("customer_rate", *arrow::int64()));
  EXPECT_FALSE(MayNameGroups("ID", *arrow::float64()));
  EXPECT_FALSE(MayNameGroups("paid", *arrow::int64()));
}

}  // namespace
}  // namespace protium
