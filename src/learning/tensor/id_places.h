// SPDX-License-Identifier: Apache-2.0
// Where the rows of ids lie when servers hold them. An id belongs to one of 64 partitions by its
// hash, and a partition to one server: docs/together.md, "Servers".
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/id_tables.h"

namespace protium {

inline constexpr int32_t kPartitions = 64;

int32_t PartitionOf(uint64_t id);
// Server s holds the partitions p with floor(p * servers / 64) == s.
int32_t ServerOf(uint64_t id, int32_t servers);

// Immutable: any thread. Takes 4 bytes for each id.
class IdPlaces {
 public:
  // `all`: the ids of all training rows. `servers`: 1 to kPartitions.
  IdPlaces(std::shared_ptr<const IdTables> all, int32_t servers);

  const IdTables& all() const { return *all_; }
  int32_t servers() const { return servers_; }
  // Of the id at this position of a column: the server that holds its row, and the number of that
  // row, from 0, among those of the server, which are in the same order.
  int32_t server(size_t column, int64_t position) const {
    return ServerOf(all_->columns[column].ids()[size_t(position)], servers_);
  }
  int64_t row(size_t column, int64_t position) const { return rows_[column][size_t(position)]; }
  // The ids of which this server has rows.
  Result<std::shared_ptr<IdTables>> Of(int32_t server) const;

 private:
  std::shared_ptr<const IdTables> all_;
  int32_t servers_;
  std::vector<std::vector<int32_t>> rows_;  // By column.
};

}  // namespace protium
