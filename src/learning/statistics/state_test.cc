// SPDX-License-Identifier: Apache-2.0
#include "statistics/state.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "base/fault.h"

namespace protium {
namespace {

std::shared_ptr<arrow::Array> Doubles(const std::vector<double>& values) {
  arrow::DoubleBuilder builder;
  for (const double value : values) {
    // Stands for NULL here.
    EXPECT_TRUE((value == -999 ? builder.AppendNull() : builder.Append(value)).ok());
  }
  return *builder.Finish();
}

std::shared_ptr<arrow::Array> Texts(const std::vector<std::string>& values) {
  arrow::StringBuilder builder;
  for (const std::string& value : values) {
    EXPECT_TRUE((value == "NULL" ? builder.AppendNull() : builder.Append(value)).ok());
  }
  return *builder.Finish();
}

// The driver's state, after merging the rows of workers that saw a part each.
template <class T>
T Merged(const std::vector<T>& parts) {
  T all;
  for (const T& part : parts) {
    EXPECT_TRUE(part.Emit([&](const StateRow& row) { return all.Merge(row); }).ok());
  }
  return all;
}

template <class T>
T StateFrom(const std::shared_ptr<arrow::Array>& values) {
  T state;
  EXPECT_TRUE(state.Add(*values).ok());
  return state;
}

TEST(TextCounts, OrderByFrequencyThenValue) {
  const auto counts =
      Merged<TextCounts>({StateFrom<TextCounts>(Texts({"b", "c", "NULL", "a"})),
                          StateFrom<TextCounts>(Texts({"c", "NULL", "a", "d", "ä"}))});
  EXPECT_EQ(counts.ByFrequency(), (std::vector<std::string>{"a", "c", "b", "d", "ä"}));
  EXPECT_EQ(counts.missing(), 2);
}

TEST(LogMoments, AreThoseOfTheLogarithmsAndCountWhatHasNone) {
  const auto logs = Merged<LogMoments>(
      {StateFrom<LogMoments>(Doubles({0, std::exp(2.0) - 1, -999})),
       StateFrom<LogMoments>(Doubles({-1, -2.5, -0.5})), StateFrom<LogMoments>(Doubles({}))});
  EXPECT_EQ(logs.moments().count(), 3);
  EXPECT_NEAR(logs.moments().Mean(), (2 + std::log(0.5)) / 3, 1e-15);
  EXPECT_EQ(logs.outside(), 2);
  EXPECT_EQ(logs.lowest(), -2.5);
}

TEST(TextCounts, TakeIntegersAndBooleansByTheirText) {
  arrow::Int32Builder builder;
  ASSERT_TRUE(builder.AppendValues({10, -2, 10, 9}).ok());
  EXPECT_EQ(StateFrom<TextCounts>(*builder.Finish()).ByFrequency(),
            (std::vector<std::string>{"10", "-2", "9"}));
  arrow::BooleanBuilder flags;
  ASSERT_TRUE(flags.AppendValues(std::vector<bool>{true, false, true}).ok());
  EXPECT_EQ(StateFrom<TextCounts>(*flags.Finish()).ByFrequency(),
            (std::vector<std::string>{"true", "false"}));
  TextCounts doubles;
  EXPECT_EQ(FaultOf(doubles.Add(*Doubles({1}))).exit, Exit::kInput);
}

TEST(NumberCounts, GiveTheLowerMedian) {
  const auto median = [](const std::vector<double>& values) {
    return StateFrom<NumberCounts>(Doubles(values)).Median();
  };
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2);
  EXPECT_EQ(median({7, -999, std::nan("")}), 7);
  EXPECT_EQ(median({1, 1, 1, 9, 9}), 1);
  EXPECT_FALSE(std::signbit(median({-0.0})));
  EXPECT_EQ(StateFrom<NumberCounts>(Doubles({-999, std::nan("")})).count(), 0);
}

TEST(NumberCounts, CountManyThatComeAgain) {
  std::mt19937_64 random(5);
  std::map<double, int64_t> expected;
  std::vector<double> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(double(random() % 3000) / 8 - 100);
    ++expected[values.back()];
  }
  std::map<double, int64_t> counted;
  EXPECT_TRUE(StateFrom<NumberCounts>(Doubles(values))
                  .Emit([&](const StateRow& row) {
                    counted[*row.number] = row.count;
                    return Status::OK();
                  })
                  .ok());
  EXPECT_EQ(counted, expected);
}

TEST(NumberCounts, MergeAsIfSeenAtOnce) {
  const auto merged =
      Merged<NumberCounts>({StateFrom<NumberCounts>(Doubles({1, 2, 2})),
                            StateFrom<NumberCounts>(Doubles({3, 3, 3, -999})), NumberCounts()});
  EXPECT_EQ(merged.Median(), 2);
  EXPECT_EQ(merged.count(), 6);
}

TEST(Moments, AreThoseOfStatistics) {
  const auto moments = StateFrom<Moments>(Doubles({2, 4, 4, 4, 5, 5, 7, 9, -999, std::nan("")}));
  EXPECT_EQ(moments.count(), 8);
  EXPECT_EQ(moments.Mean(), 5);
  EXPECT_DOUBLE_EQ(moments.Deviation(), std::sqrt(32.0 / 7));
}

TEST(Moments, KeepASmallSpreadAroundAHugeMean) {
  const double huge = 1e15;
  EXPECT_EQ(StateFrom<Moments>(Doubles({huge, huge + 1, huge + 2})).Deviation(), 1);
}

TEST(Moments, OfAConstantHaveNoDeviation) {
  EXPECT_EQ(StateFrom<Moments>(Doubles({0.1, 0.1, 0.1})).Deviation(), 0);
  EXPECT_EQ(StateFrom<Moments>(Doubles({0.1, 0.1, 0.1})).Mean(), 0.1);
  EXPECT_EQ(StateFrom<Moments>(Doubles({7})).Deviation(), 0);
}

TEST(Moments, DoNotDependOnOrderOrParts) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> spread(0, 8);
  std::vector<double> values(4000);
  for (double& value : values) value = spread(random) - 1;
  const auto whole = StateFrom<Moments>(Doubles(values));
  std::shuffle(values.begin(), values.end(), random);
  const auto parts =
      Merged<Moments>({StateFrom<Moments>(Doubles({values.begin(), values.begin() + 7})), Moments(),
                       StateFrom<Moments>(Doubles({values.begin() + 7, values.end()}))});
  EXPECT_EQ(parts.Mean(), whole.Mean());
  EXPECT_EQ(parts.Deviation(), whole.Deviation());
}

TEST(Moments, RefuseInfinities) { EXPECT_FALSE(Moments().Add(*Doubles({INFINITY})).ok()); }

std::string EmittedBy(const Moments& moments) {
  std::string text;
  EXPECT_TRUE(moments
                  .Emit([&](const StateRow& row) {
                    text = row.text.value_or("");
                    return Status::OK();
                  })
                  .ok());
  return text;
}

// Includes squares above and below the range of doubles.
TEST(Moments, OfManyTimesAValueAreThoseOfItsCells) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> cells;
    Moments counted;
    for (int i = 0; i < 5; ++i) {
      const int exponent = int(random() % 1900) - 950;
      const double value =
          i == 0 ? 0 : std::ldexp(double(int64_t(random() >> 11)) - 0x1p52, exponent - 52);
      const auto times = int64_t(random() % 4);
      counted.AddTimes(value, times);
      cells.insert(cells.end(), size_t(times), value);
    }
    if (cells.empty()) continue;
    EXPECT_EQ(EmittedBy(counted), EmittedBy(StateFrom<Moments>(Doubles(cells)))) << round;
  }
}

TEST(Moments, CountWhatIsMissing) {
  EXPECT_EQ(Merged<Moments>(
                {StateFrom<Moments>(Doubles({1, -999, NAN})), StateFrom<Moments>(Doubles({-999}))})
                .missing(),
            3);
}

TEST(Line, GoesThroughPointsOnALine) {
  Line line;
  ASSERT_TRUE(line.Add(*Doubles({1, 2, 4, -999, 8}), *Doubles({5, 7, 11, 3, -999})).ok());
  EXPECT_EQ(line.count(), 3);
  EXPECT_EQ(line.Slope(), 2);
  EXPECT_EQ(line.Intercept(), 3);
  EXPECT_EQ(Merged<Line>({line, Line()}).Slope(), 2);
}

TEST(Line, IsFlatWhereXIsConstant) {
  Line line;
  ASSERT_TRUE(line.Add(*Doubles({2, 2}), *Doubles({1, 5})).ok());
  EXPECT_EQ(line.Slope(), 0);
  EXPECT_EQ(line.Intercept(), 3);
}

TEST(Moments, RefuseDamagedRows) {
  Moments moments;
  EXPECT_FALSE(moments.Merge({.text = "{"}).ok());
  EXPECT_FALSE(moments.Merge({.text = R"({"count": 1, "low": 0, "high": 1, "sum": 7})"}).ok());
}

}  // namespace
}  // namespace protium
