// SPDX-License-Identifier: Apache-2.0
// Sums whose elements are rounded to bfloat16, by every backend.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/half.h"
#include "collective/combine.h"
#include "collective/row_tree.h"
#include "tcp/testing/conformance.h"

namespace protium {
namespace {

class RoundedConformance : public Conformance {};

INSTANTIATE_TEST_SUITE_P(Backends, RoundedConformance, testing::ValuesIn(Worlds()),
                         [](const auto& info) { return info.param.name; });

float Rounded(float value) { return Widen(NarrowToBfloat16(value)) + 0.0f; }

float Expected(const std::vector<std::vector<float>>& leaves, size_t begin, size_t end, size_t i,
               bool rounded) {
  return Halving(leaves, begin, end, i, rounded ? Rounded : nullptr);
}

std::vector<int32_t> SomeOwners(int32_t leaves, int32_t world, std::mt19937& random) {
  std::vector<int32_t> first = {0, leaves};
  for (int32_t r = 1; r < world; ++r) {
    first.push_back(int32_t(random() % uint32_t(leaves + 1)));
  }
  std::ranges::sort(first);
  return first;
}

Status CheckTree(SumTree& tree, const TreeSpec& spec, uint32_t seed) {
  auto leaves = MakeLeaves(spec.leaves, spec.count, seed);
  // Rounds to -0.0, which becomes 0.0.
  for (auto& leaf : leaves) leaf.front() = -1e-45f;
  for (const Subtree& own : tree.own()) {
    for (size_t i = 0; i < own.sum.size(); ++i) {
      const bool rounded = int64_t(i) < spec.rounded;
      own.sum[i] = Expected(leaves, size_t(own.begin), size_t(own.end), i, rounded);
    }
  }
  PT_LET(const auto sum, tree.Reduce());
  for (size_t i = 0; i < size_t(spec.count); ++i) {
    const float expected = Expected(leaves, 0, size_t(spec.leaves), i, int64_t(i) < spec.rounded);
    if (std::memcmp(&sum[i], &expected, sizeof(float)) != 0) {
      return Status::Invalid("element ", i, ": ", sum[i], " is not ", expected);
    }
  }
  return Status::OK();
}

// The long ones are cut into slices and chunks, in which both kinds of elements meet.
TEST_P(RoundedConformance, SumsTreesBitForBit) {
  Run([](Communicator& communicator) -> Status {
    std::mt19937 random(3);
    for (const auto& [rounded, others] : {std::pair<int64_t, int64_t>{16, 0},
                                          {16, 1},
                                          {320, 37},
                                          {4800, 2051},
                                          {200'000, 1003},
                                          {160, 150'000}}) {
      const int32_t leaves = 1 + int32_t(random() % 7);
      const TreeSpec spec{.leaves = leaves,
                          .count = rounded + others,
                          .first = SomeOwners(leaves, communicator.world(), random),
                          .rounded = rounded};
      PT_LET(auto tree, communicator.MakeTree(spec));
      PT_TRY(CheckTree(*tree, spec, 1));
      PT_TRY(CheckTree(*tree, spec, 2));
    }
    return Status::OK();
  });
}

TEST_P(RoundedConformance, RefusesToRoundAPartOfACacheLine) {
  for (const Status& status : Failures([](Communicator& communicator) {
         std::mt19937 random(1);
         return communicator
             .MakeTree({.leaves = 2,
                        .count = 40,
                        .first = SomeOwners(2, communicator.world(), random),
                        .rounded = 17})
             .status();
       })) {
    EXPECT_FALSE(status.ok());
  }
}

// Shard `leaf` has the rows that it divides, with values that round.
void Fill(int32_t leaf, SparseRows& rows) {
  for (int64_t id = 0; id < 30; ++id) {
    if (id % (leaf + 1) != 0) continue;
    float* const row = rows.At(id);
    for (int64_t j = 0; j < rows.width(); ++j) row[j] += float(id * 7 + j + 1) / float(leaf + 3);
  }
  rows.Round();
}

SparseRows FillAll(int32_t begin, int32_t end, int64_t width) {
  SparseRows sum(width);
  if (end - begin == 1) {
    Fill(begin, sum);
    return sum;
  }
  const int32_t middle = begin + (end - begin) / 2;
  sum = FillAll(begin, middle, width);
  sum.Add(FillAll(middle, end, width));
  sum.Round();
  return sum;
}

TEST_P(RoundedConformance, SumsRowsOfTablesBitForBit) {
  Run([](Communicator& communicator) -> Status {
    for (uint32_t round = 0; round < 6; ++round) {
      std::mt19937 random(round);
      const int32_t leaves = 1 + int32_t(random() % 6);
      RowTree tree({.leaves = leaves,
                    .first = SomeOwners(leaves, communicator.world(), random),
                    .widths = {1, 3, 16},
                    .rounded = true},
                   communicator);
      for (RowSubtree& own : tree.own()) {
        for (SparseRows& table : own.tables) table = FillAll(own.begin, own.end, table.width());
      }
      PT_LET(const auto sums, tree.Reduce());
      for (const auto& [table, width] : {std::pair<size_t, int64_t>{0, 1}, {1, 3}, {2, 16}}) {
        SparseRows expected = FillAll(0, leaves, width);
        if (int64_t(sums[table].ids.size()) != expected.count()) return Status::Invalid("rows");
        const float* row = sums[table].values.data();
        for (const int64_t id : sums[table].ids) {
          if (std::memcmp(row, expected.At(id), size_t(width) * sizeof(float)) != 0) {
            return Status::Invalid("row ", id);
          }
          row += width;
        }
      }
    }
    return Status::OK();
  });
}

TEST(Rounding, KeepsWhatIsNotFiniteAndMakesZerosOfOneSign) {
  float values[] = {std::numeric_limits<float>::quiet_NaN(),
                    std::numeric_limits<float>::infinity(),
                    -0.0f,
                    -1e-45f,
                    1.00390625f,
                    1.01171875f};
  RoundToBfloat16(values, 6);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_TRUE(std::isinf(values[1]));
  EXPECT_FALSE(std::signbit(values[2]));
  EXPECT_FALSE(std::signbit(values[3]));
  EXPECT_EQ(values[4], 1.0f);  // Ties to even.
  EXPECT_EQ(values[5], 1.015625f);
}

}  // namespace
}  // namespace protium
