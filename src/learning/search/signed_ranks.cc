// SPDX-License-Identifier: Apache-2.0
#include "search/signed_ranks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace protium {
namespace {

constexpr size_t kMostExact = 50;

struct Ranked {
  double size = 0;
  int sign = 0;
  int64_t twice_rank = 0;  // Middle ranks are halves.
};

std::vector<Ranked> Rank(std::span<const double> differences) {
  std::vector<Ranked> ranked;
  for (const double each : differences) {
    const double value = std::isnan(each) ? std::numeric_limits<double>::infinity() : each;
    ranked.push_back({.size = std::fabs(value), .sign = (value > 0) - (value < 0)});
  }
  std::ranges::sort(ranked, {}, &Ranked::size);
  for (size_t begin = 0, end = 0; begin < ranked.size(); begin = end) {
    while (end < ranked.size() && ranked[end].size == ranked[begin].size) ++end;
    for (size_t i = begin; i < end; ++i) ranked[i].twice_rank = int64_t(begin + 1 + end);
  }
  return ranked;
}

// Among all signs of the ranks, the share whose sum of those above 0 is at least `sum`.
double ExactChance(const std::vector<int64_t>& ranks, int64_t sum) {
  int64_t most = 0;
  for (const int64_t rank : ranks) most += rank;
  std::vector<double> chances(size_t(most) + 1);
  chances[0] = 1;
  for (const int64_t rank : ranks) {
    for (int64_t i = most; i >= 0; --i) {
      const double without = chances[size_t(i)];
      const double with = i >= rank ? chances[size_t(i - rank)] : 0;
      chances[size_t(i)] = (without + with) / 2;
    }
  }
  double chance = 0;
  for (int64_t i = most; i >= std::max<int64_t>(sum, 0); --i) chance += chances[size_t(i)];
  return std::min(chance, 1.0);
}

double NormalChance(const std::vector<int64_t>& ranks, int64_t sum) {
  double mean = 0, variance = 0;
  for (const int64_t rank : ranks) {
    mean += double(rank) / 2;
    variance += double(rank) * double(rank) / 4;
  }
  if (variance == 0) return 1;
  return 0.5 * std::erfc((double(sum) - mean) / std::sqrt(2 * variance));
}

}  // namespace

double ChanceOfGreater(std::span<const double> differences) {
  std::vector<int64_t> ranks;  // Of those that are not 0: halves of the others are in both sums.
  int64_t sum = 0;
  for (const Ranked& each : Rank(differences)) {
    if (each.sign == 0) continue;
    ranks.push_back(each.twice_rank);
    if (each.sign > 0) sum += each.twice_rank;
  }
  return ranks.size() <= kMostExact ? ExactChance(ranks, sum) : NormalChance(ranks, sum);
}

}  // namespace protium
