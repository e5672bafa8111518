// SPDX-License-Identifier: Apache-2.0
// Writes advertisements that were shown, and which of them were clicked (example "clicks"): 13
// counts and 26 columns of ids, some with millions of them, most of these rare.
//
// What an id says about a click is a hash of the seed, its column and its rank among the ids of the
// column, so nothing is kept for an id and memory does not grow with their number.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "base/splitmix.h"
#include "base/strict_math.h"
#include "examples/example.h"
#include "examples/random.h"
#include "examples/table_file.h"

namespace protium {

namespace fs = std::filesystem;

namespace clicks {
namespace {

using example::TableFile;

constexpr size_t kCounts = 13;
// Shares of all ids that the largest columns have; the others have few, whatever the number of all.
constexpr std::array kShares = {0.4, 0.25, 0.15, 0.08, 0.05, 0.03, 0.02, 0.01};
constexpr std::array kFew = {3,  4,  7,   10,  12,  15,  18,  24,  27,
                             50, 80, 100, 150, 300, 500, 700, 900, 1200};
constexpr size_t kColumns = kShares.size() + kFew.size();
static_assert(kColumns == 26);

// Pairs of columns of which each value has a taste: two factors, which are multiplied. No sum over
// single columns has this.
struct Pair {
  size_t a;
  size_t b;
};
constexpr std::array<Pair, 4> kPairs = {{{0, 2}, {1, 14}, {3, 16}, {4, 22}}};

struct Column {
  int64_t ids = 0;
  uint64_t key = 0;
};

// Every third column is large, as far as these go.
std::array<Column, kColumns> ColumnsOf(const ExampleSize& size) {
  std::array<Column, kColumns> columns;
  for (size_t c = 0; c < kColumns; ++c) {
    const bool large = c % 3 == 0 && c / 3 < kShares.size();
    const size_t before = std::min(kShares.size(), (c + 2) / 3);  // Large columns before this one.
    const int64_t wanted =
        large ? std::llround(kShares[c / 3] * double(size.ids)) : kFew[c - before];
    columns[c].ids = std::clamp<int64_t>(wanted, 2, std::max<int64_t>(size.ids, 2));
    columns[c].key = SplitMix(uint64_t(size.seed) * kSplitMixStep + c + 1);
  }
  return columns;
}

// Uniform in [-1, 1): the same for the same words.
double Fixed(uint64_t key, uint64_t word) {
  return double(SplitMix(key + word * kSplitMixStep) >> 11) * 0x1p-52 - 1;
}

double Exp(double x) { return StrictExpm1(x) + 1; }

// A rank below n, rank k with a probability of about 1 / (k + 1): Zipf's law.
int64_t DrawRank(int64_t n, Random& random) {
  const double at = Exp(random.Uniform() * StrictLog(double(n) + 1)) - 1;
  return std::min(n - 1, int64_t(at));
}

struct Row {
  double log_odds = -2.8;
  std::string cells;
};

// Heavy-tailed counts, whose logarithms matter; a few are not known.
void AddCounts(Row& row, Random& random) {
  for (size_t n = 0; n < kCounts; ++n) {
    const double log = std::max(0.0, 1.2 + 0.15 * double(n) + 1.3 * random.Normal());
    const bool known = n % 4 != 3 || !random.Chance(0.05);
    if (known) {
      row.cells += std::to_string(int64_t(Exp(log) - 1));
      row.log_odds += (n % 2 == 0 ? 0.12 : -0.1) * (log - 1.2 - 0.15 * double(n));
    }
    row.cells += ',';
  }
}

// An id is a text of ten hexadecimal digits; an empty one is not known.
void AddIds(std::span<const Column> columns, Row& row, Random& random) {
  std::array<int64_t, kColumns> ranks;
  for (size_t c = 0; c < kColumns; ++c) {
    const Column& column = columns[c];
    ranks[c] = DrawRank(column.ids, random);
    const bool known = c % 9 != 7 || !random.Chance(0.1);
    if (known) {
      const auto rank = uint64_t(ranks[c]);
      fmt::format_to(std::back_inserter(row.cells), "{:010x}",
                     SplitMix(column.key ^ SplitMix(rank)) >> 24);
      row.log_odds += 0.55 * Fixed(column.key, rank);
    } else {
      ranks[c] = -1;
    }
    row.cells += ',';
  }
  for (const auto& [a, b] : kPairs) {
    if (ranks[a] < 0 || ranks[b] < 0) continue;
    for (uint64_t factor = 1; factor <= 2; ++factor) {
      const uint64_t mark = factor << 60;
      row.log_odds += 1.6 * Fixed(columns[a].key ^ mark, uint64_t(ranks[a])) *
                      Fixed(columns[b].key ^ mark, uint64_t(ranks[b]));
    }
  }
}

std::string LineOf(int64_t number, std::span<const Column> columns, Random random) {
  Row row;
  row.cells = std::to_string(number) + ",";
  AddCounts(row, random);
  AddIds(columns, row, random);
  // 1 / (1 + exp(-x)), by a function with the same bits on every machine.
  const double probability = 1 / (2 + StrictExpm1(-row.log_odds));
  return row.cells + (random.Chance(probability) ? "1" : "0");
}

}  // namespace
}  // namespace clicks

Result<int64_t> WriteClicksExample(const fs::path& folder, const ExampleSize& size) {
  PT_TRY(example::MakeFolder(folder));
  const auto columns = clicks::ColumnsOf(size);
  const int64_t rows = std::max<int64_t>(size.rows, 1);
  Random random(static_cast<uint64_t>(size.seed));
  example::TableFile file(folder / "clicks.csv");
  std::string header = "shown";
  for (size_t n = 1; n <= clicks::kCounts; ++n) header += ",n" + std::to_string(n);
  for (size_t c = 1; c <= clicks::kColumns; ++c) header += ",c" + std::to_string(c);
  file.Line(header + ",clicked");
  for (int64_t i = 1; i <= rows; ++i) {
    file.Line(clicks::LineOf(i, columns, Random(random.Next())));
  }
  PT_TRY(file.Finish());
  return rows;
}

}  // namespace protium
