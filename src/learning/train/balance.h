// SPDX-License-Identifier: Apache-2.0
// Which rank has how many shards, where some ranks are slower than others. Pure arithmetic: ranks
// that pass the same numbers get the same answer. The weights depend on none of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace protium {

// Shards first[r] .. first[r+1]-1 are rank r's; it has been busy for busy[r] seconds with them.
// Gives the division whose slowest rank would be done first, each rank having at least one shard;
// `first` itself unless that saves a tenth of the time, or where ranks have no shard or no time.
std::vector<int32_t> BalanceShards(const std::vector<int32_t>& first,
                                   const std::vector<double>& busy);

// "shards move, since ranks took 2.0, 0.5 s: rank 0 has 1 of them instead of 2, ...".
std::string DescribeBalance(const std::vector<int32_t>& before, const std::vector<int32_t>& after,
                            const std::vector<double>& busy);

}  // namespace protium
