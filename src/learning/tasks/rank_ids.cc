// SPDX-License-Identifier: Apache-2.0
#include "tasks/rank_ids.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "nets/id_rows.h"

namespace protium {
namespace {

using Ids = std::vector<uint64_t>;

Result<std::vector<IdSet>> IdsHere(const ShardedRows& rows, size_t columns, bool all_here) {
  constexpr int64_t kBlockRows = 4096;
  std::vector<IdSet> found(columns);
  for (int32_t shard = 0; shard < rows.shards(); ++shard) {
    if (!(all_here ? rows.holds(shard) : rows.owns(shard))) continue;
    const auto scan = rows.Scan(shard, {0, rows.rows(shard)});
    while (true) {
      PT_LET(const auto bytes, scan->Next(kBlockRows));
      if (bytes.empty()) break;
      const PackedRows block(rows.schema(), bytes.data(),
                             int64_t(bytes.size()) / rows.schema().width());
      const FieldRows<int32_t> ids = block.ints(kIdsField);
      for (int64_t i = 0; i < block.size(); ++i) {
        for (size_t c = 0; c < columns; ++c) {
          PT_TRY(found[c].Add(IdRows::IdAt(ids, i, int64_t(c))));
        }
      }
    }
  }
  return found;
}

// Collective. Adds the ids of other ranks; all of them ascend.
Result<Ids> WithOthers(Ids mine, Communicator& communicator) {
  if (communicator.world() == 1) return mine;
  PT_LET(const std::vector<std::string> all,
         communicator.AllGather(
             {reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(uint64_t)}));
  Ids merged;
  for (const std::string& bytes : all) {
    Ids next(bytes.size() / sizeof(uint64_t)), both;
    std::memcpy(next.data(), bytes.data(), next.size() * sizeof(uint64_t));
    std::ranges::set_union(merged, next, std::back_inserter(both));
    merged = std::move(both);
  }
  return merged;
}

}  // namespace

Result<std::shared_ptr<const IdTables>> CollectIds(const ShardedRows& rows, uint64_t seed,
                                                   bool all_here, Communicator* communicator) {
  const RowField* const field = rows.schema().Find(kIdsField);
  if (field == nullptr) return nullptr;
  PT_LET(std::vector<IdSet> found, IdsHere(rows, field->columns.size(), all_here));
  std::vector<Ids> columns;
  for (IdSet& each : found) {
    Ids ids = each.Ascending();
    each = {};
    if (!all_here) {
      PT_LET(ids, WithOthers(std::move(ids), *communicator));
    }
    columns.push_back(std::move(ids));
  }
  return IdTables::Make(columns, seed);
}

}  // namespace protium
