// SPDX-License-Identifier: Apache-2.0
// Decides how many shards each rank owns where some ranks are slower than others. Pure arithmetic:
// ranks that pass the same numbers get the same result. The weights do not depend on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace protium {

// Shards first[r] .. first[r+1]-1 belong to rank r, which was busy for busy[r] seconds with them.
// Returns the division whose slowest rank would finish first, with at least one shard per rank;
// `first` itself unless that saves a tenth of the time, or where ranks have no shard or no time.
std::vector<int32_t> BalanceShards(const std::vector<int32_t>& first,
                                   const std::vector<double>& busy);

// "shards move, since ranks took 2.0, 0.5 s: rank 0 has 1 of them instead of 2, ...".
std::string DescribeBalance(const std::vector<int32_t>& before, const std::vector<int32_t>& after,
                            const std::vector<double>& busy);

}  // namespace protium
