// SPDX-License-Identifier: Apache-2.0
#include "tensor/id_places.h"

#include <utility>

#include "base/splitmix.h"

namespace protium {

int32_t PartitionOf(uint64_t id) {
  static_assert(kPartitions == 64);
  // The upper bits: an IdSet finds its slots by the lower ones.
  return int32_t(SplitMix(id) >> 58);
}

int32_t ServerOf(uint64_t id, int32_t servers) { return PartitionOf(id) * servers / kPartitions; }

IdPlaces::IdPlaces(std::shared_ptr<const IdTables> all, int32_t servers)
    : all_(std::move(all)), servers_(servers) {
  for (const IdSet& column : all_->columns) {
    std::vector<int32_t> next(size_t(servers_), 0);
    std::vector<int32_t>& rows = rows_.emplace_back();
    rows.reserve(column.ids().size());
    for (const uint64_t id : column.ids()) rows.push_back(next[size_t(ServerOf(id, servers_))]++);
  }
}

Result<std::shared_ptr<IdTables>> IdPlaces::Of(int32_t server) const {
  auto own = std::make_shared<IdTables>();
  own->seed = all_->seed;
  for (const IdSet& column : all_->columns) {
    IdSet& mine = own->columns.emplace_back();
    for (const uint64_t id : column.ids()) {
      if (ServerOf(id, servers_) == server) PT_TRY(mine.Add(id));
    }
  }
  return own;
}

}  // namespace protium
