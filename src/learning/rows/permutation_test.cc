// SPDX-License-Identifier: Apache-2.0
#include "rows/permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

namespace protium {
namespace {

// How far `seen` is from uniform, in standard deviations (Wilson and Hilferty's cube root).
double Unevenness(const std::vector<int64_t>& seen) {
  const double expected =
      double(std::accumulate(seen.begin(), seen.end(), int64_t{0})) / double(seen.size());
  double chi_square = 0;
  for (const int64_t n : seen) chi_square += std::pow(double(n) - expected, 2) / expected;
  const double freedom = double(seen.size()) - 1;
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(chi_square / freedom) - (1 - spread)) / std::sqrt(spread);
}

TEST(Permutation, VisitsEveryRowOnce) {
  for (int64_t n = 0; n <= 1000; ++n) {
    const Permutation order(0, n % 7, int32_t(n % 3), n);
    std::vector<int> seen(static_cast<size_t>(n));
    for (int64_t p = 0; p < n; ++p) {
      const int64_t row = order.At(p);
      ASSERT_GE(row, 0);
      ASSERT_LT(row, n);
      ASSERT_EQ(seen[size_t(row)]++, 0) << "row " << row << " of " << n;
    }
  }
  std::vector<bool> seen(1'000'000);
  const Permutation order(42, 3, 1, 1'000'000);
  for (int64_t p = 0; p < order.rows(); ++p) seen[size_t(order.At(p))] = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 1'000'000);
}

// The worked example of docs/rows.md.
TEST(Permutation, IsTheOneWrittenDown) {
  std::vector<int64_t> few;
  std::vector<int64_t> many;
  for (int64_t p = 0; p < 8; ++p) few.push_back(Permutation(7, 2, 3, 8).At(p));
  for (int64_t p = 0; p < 8; ++p) many.push_back(Permutation(7, 2, 3, 1000).At(p));
  EXPECT_EQ(few, (std::vector<int64_t>{6, 4, 5, 3, 1, 0, 7, 2}));
  EXPECT_EQ(many, (std::vector<int64_t>{768, 532, 788, 409, 408, 806, 366, 495}));
}

TEST(Permutation, DependsOnSeedEpochAndShard) {
  const auto visits = [](int64_t seed, int64_t epoch, int32_t shard) {
    std::vector<int64_t> rows;
    const Permutation order(seed, epoch, shard, 500);
    for (int64_t p = 0; p < 500; ++p) rows.push_back(order.At(p));
    return rows;
  };
  EXPECT_EQ(visits(0, 0, 0), visits(0, 0, 0));
  EXPECT_NE(visits(0, 0, 0), visits(1, 0, 0));
  EXPECT_NE(visits(0, 0, 0), visits(0, 1, 0));
  EXPECT_NE(visits(0, 0, 0), visits(0, 0, 1));
  EXPECT_NE(visits(0, 1, 0), visits(1, 0, 0));
  EXPECT_NE(visits(-1, 0, 0), visits(0, 0, 0));
}

TEST(Permutation, OfFewRowsTakesEveryOrderEquallyOften) {
  int64_t orders = 1;
  for (int64_t n = 2; n <= 6; ++n) {
    orders *= n;
    std::map<std::vector<int64_t>, int64_t> seen;
    for (int64_t epoch = 0; epoch < 100 * orders; ++epoch) {
      const Permutation order(0, epoch, 0, n);
      std::vector<int64_t> rows;
      for (int64_t p = 0; p < n; ++p) rows.push_back(order.At(p));
      ++seen[rows];
    }
    ASSERT_EQ(int64_t(seen.size()), orders);
    std::vector<int64_t> counts;
    for (const auto& [rows, count] : seen) counts.push_back(count);
    EXPECT_LT(std::abs(Unevenness(counts)), 4) << n << " rows";
  }
}

TEST(Permutation, PutsEveryRowInEveryPlaceEquallyOftenOverEpochs) {
  for (const int64_t n : {7, 31, 32, 33, 34, 50, 64, 65, 100, 127, 256, 500, 777, 1000}) {
    for (const int64_t position : {int64_t{0}, n / 2, n - 1}) {
      std::vector<int64_t> seen(static_cast<size_t>(n));
      for (int64_t epoch = 0; epoch < 20 * n; ++epoch) {
        ++seen[size_t(Permutation(0, epoch, 1, n).At(position))];
      }
      EXPECT_LT(std::abs(Unevenness(seen)), 4.5) << n << " rows, position " << position;
    }
  }
}

TEST(Permutation, KeepsNeighboursApartOverEpochs) {
  for (const int64_t n : {7, 31, 33, 34, 50, 65, 100, 256, 777, 1000}) {
    for (const int64_t position : {int64_t{0}, n / 2, n - 2}) {
      std::vector<int64_t> distance(static_cast<size_t>(n) - 1);
      for (int64_t epoch = 0; epoch < 20 * n; ++epoch) {
        const Permutation order(3, epoch, 0, n);
        ++distance[size_t((order.At(position + 1) - order.At(position) + n) % n - 1)];
      }
      EXPECT_LT(std::abs(Unevenness(distance)), 4.5) << n << " rows, position " << position;
    }
  }
}

TEST(Permutation, SpreadsAMillionRowsEvenly) {
  constexpr int64_t kRows = 1'000'000;
  constexpr int64_t kCells = 100;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    const Permutation order(0, epoch, 0, kRows);
    std::vector<int64_t> places(kCells * kCells);
    std::vector<int64_t> distance(1000);
    int64_t last = order.At(0);
    for (int64_t p = 1; p < kRows; ++p) {
      const int64_t row = order.At(p);
      ++places[size_t(p * kCells / kRows * kCells + row * kCells / kRows)];
      ++distance[size_t((row - last + kRows) % kRows * 1000 / kRows)];
      last = row;
    }
    EXPECT_LT(std::abs(Unevenness(places)), 4.5);
    EXPECT_LT(std::abs(Unevenness(distance)), 4.5);
  }
}

TEST(Permutation, TellsWhereARowIs) {
  for (const int64_t n : {1, 2, 7, 31, 32, 33, 34, 50, 65, 100, 777, 1000, 123'457}) {
    for (int64_t epoch = 0; epoch < 5; ++epoch) {
      const Permutation order(epoch - 2, epoch, 3, n);
      for (int64_t p = 0; p < n; ++p) ASSERT_EQ(order.PositionOf(order.At(p)), p) << n << " rows";
    }
  }
}

TEST(StepPositions, UseEveryRowOnceWhateverTheBatch) {
  for (const int64_t total : {1, 3, 10, 1000, 1023}) {
    for (const int64_t batch : {1, 7, 64, 5000}) {
      for (const int64_t rows : {int64_t{0}, total / 4, total / 4 + 1, total}) {
        int64_t next = 0;
        for (int64_t k = 0; k < StepsPerEpoch(total, batch); ++k) {
          const Positions at = StepPositions(rows, total, batch, k);
          ASSERT_EQ(at.begin, next);
          ASSERT_LE(at.begin, at.end);
          ASSERT_LE(at.end - at.begin, rows * batch / total + 1);
          next = at.end;
        }
        EXPECT_EQ(next, rows);
      }
    }
  }
}

TEST(StepPositions, DoNotOverflow) {
  const int64_t total = int64_t{1} << 60;
  const Positions at = StepPositions(total, total, total / 4, 3);
  EXPECT_EQ(at.begin, total / 4 * 3);
  EXPECT_EQ(at.end, total);
}

TEST(ShardOwners, ShareOutShardsEvenlyAndInOrder) {
  EXPECT_EQ(ShardOwners(4, 1), (std::vector<int32_t>{0, 4}));
  EXPECT_EQ(ShardOwners(4, 3), (std::vector<int32_t>{0, 1, 2, 4}));
  EXPECT_EQ(ShardOwners(4, 5, 2), (std::vector<int32_t>{0, 1, 2, 4, 4, 4}));
  EXPECT_EQ(ShardOwners(7, 7), (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace protium
