// SPDX-License-Identifier: Apache-2.0
#include "leaks/twin_rows.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace protium {
namespace {

struct Row {
  double x = 0;
  std::string kind;
  double label = 0;
};

arrow::RecordBatchVector TableOf(const std::vector<Row>& rows) {
  arrow::DoubleBuilder x, label;
  arrow::StringBuilder kind;
  for (const Row& row : rows) {
    EXPECT_TRUE(x.Append(row.x).ok() && kind.Append(row.kind).ok() && label.Append(row.label).ok());
  }
  const auto schema =
      arrow::schema({arrow::field("x", arrow::float64()), arrow::field("kind", arrow::utf8()),
                     arrow::field("y", arrow::float64())});
  return {arrow::RecordBatch::Make(schema, int64_t(rows.size()),
                                   {*x.Finish(), *kind.Finish(), *label.Finish()})};
}

TwinRows Find(const std::vector<Row>& train, const std::vector<Row>& test) {
  return *FindTwins(TableOf(train), TableOf(test), {"x", "kind"}, "y");
}

std::vector<Row> Drawn(int count, unsigned seed, const std::function<Row(std::mt19937&)>& draw) {
  std::mt19937 random(seed);
  std::vector<Row> rows;
  for (int i = 0; i < count; ++i) rows.push_back(draw(random));
  return rows;
}

Row Real(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const double x = normal(random);
  return {x, x > 0 ? "a" : "b", x + normal(random)};
}

TEST(TwinRows, AreCountedWhereRowsWereCopied) {
  const std::vector<Row> train = Drawn(800, 1, Real);
  std::vector<Row> test = Drawn(150, 2, Real);
  test.insert(test.end(), train.begin(), train.begin() + 50);
  const TwinRows found = Find(train, test);
  EXPECT_EQ(found.rows, 200);
  EXPECT_EQ(found.twins, 50);
  EXPECT_EQ(found.other_labels, 0);
  EXPECT_TRUE(found.telling());
}

TEST(TwinRows, SayNothingWhereRowsAreFew) {
  const std::vector<Row> train = Drawn(800, 1, Real);
  std::vector<Row> test = Drawn(190, 2, Real);
  test.insert(test.end(), train.begin(), train.begin() + 9);
  EXPECT_EQ(Find(train, test).twins, 9);
  EXPECT_FALSE(Find(train, test).telling());
  EXPECT_FALSE(Find(train, Drawn(200, 3, Real)).telling());
}

// Inputs of a few values are equal by chance, and then labels differ.
TEST(TwinRows, AreNoCopiesWhereInputsHaveFewValues) {
  const auto draw = [](std::mt19937& random) {
    const int x = int(random() % 6);
    const bool strong = x < 3;
    return Row{double(x), random() % 2 == 0 ? "a" : "b",
               random() % 10 < (strong ? 9u : 1u) ? 1.0 : 0.0};
  };
  const TwinRows found = Find(Drawn(800, 1, draw), Drawn(200, 2, draw));
  EXPECT_EQ(found.twins, 200);
  EXPECT_GT(found.other_labels, 0.1);
  EXPECT_FALSE(found.telling());
}

// With one class in a hundred, labels are equal anyway.
TEST(TwinRows, SayNothingWhereLabelsHardlyDiffer) {
  const auto draw = [](std::mt19937& random) {
    return Row{double(random() % 3), "a", random() % 400 == 0 ? 1.0 : 0.0};
  };
  EXPECT_FALSE(Find(Drawn(800, 1, draw), Drawn(200, 2, draw)).telling());
}

TEST(TwinRows, NeedTheColumns) {
  EXPECT_TRUE(FindTwins(TableOf(std::vector<Row>(1)), TableOf(std::vector<Row>(1)), {"z"}, "y")
                  .status()
                  .IsInvalid());
}

}  // namespace
}  // namespace protium
