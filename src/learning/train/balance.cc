// SPDX-License-Identifier: Apache-2.0
#include "train/balance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace protium {
namespace {

// Moving shards must save at least a tenth: epoch times vary a little anyway, and a rank that takes
// over a shard has to read its rows.
constexpr double kWorthwhile = 0.9;

int32_t Count(const std::vector<int32_t>& first, size_t rank) {
  return first[rank + 1] - first[rank];
}

// Seconds of the slowest rank, from the seconds that each rank takes for a shard.
double Slowest(const std::vector<int32_t>& counts, const std::vector<double>& per_shard) {
  double most = 0;
  for (size_t r = 0; r < counts.size(); ++r) most = std::max(most, counts[r] * per_shard[r]);
  return most;
}

}  // namespace

std::vector<int32_t> BalanceShards(const std::vector<int32_t>& first,
                                   const std::vector<double>& busy) {
  std::vector<double> per_shard;
  std::vector<int32_t> before;
  for (size_t r = 0; r < busy.size(); ++r) {
    before.push_back(Count(first, r));
    if (before[r] < 1 || !(busy[r] > 0)) return first;
    per_shard.push_back(busy[r] / before[r]);
  }
  // Each further shard goes to the rank that would need the least time with it.
  std::vector<int32_t> counts(busy.size(), 1);
  for (auto left = first.back() - int32_t(busy.size()); left > 0; --left) {
    size_t best = 0;
    for (size_t r = 1; r < counts.size(); ++r) {
      if ((counts[r] + 1) * per_shard[r] < (counts[best] + 1) * per_shard[best]) best = r;
    }
    ++counts[best];
  }
  if (Slowest(counts, per_shard) > kWorthwhile * Slowest(before, per_shard)) return first;
  std::vector<int32_t> after = {0};
  for (const int32_t count : counts) after.push_back(after.back() + count);
  return after;
}

std::string DescribeBalance(const std::vector<int32_t>& before, const std::vector<int32_t>& after,
                            const std::vector<double>& busy) {
  std::vector<std::string> moves;
  for (size_t r = 0; r < busy.size(); ++r) {
    if (Count(before, r) == Count(after, r)) continue;
    moves.push_back(
        fmt::format("rank {} has {} instead of {}", r, Count(after, r), Count(before, r)));
  }
  return fmt::format("shards move, since ranks were busy for {:.2f} s: {}", fmt::join(busy, ", "),
                     fmt::join(moves, ", "));
}

}  // namespace protium
