// SPDX-License-Identifier: Apache-2.0
#include "rows/shared_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fault.h"
#include "os/memfd.h"
#include "rows/mapped_store.h"

namespace protium {
namespace {

// Rows are copied, and their old pages given back, so many bytes at a time.
constexpr int64_t kCopiedBytes = int64_t{8} << 20;

int64_t RowsOf(const std::vector<ShardIdentity>& identity, ShardedRows::Owned shards) {
  int64_t rows = 0;
  for (int32_t s = shards.begin; s < shards.end; ++s) rows += identity[size_t(s)].rows;
  return rows;
}

}  // namespace

Result<UniqueFd> ShareRows(ShardedRows& own) {
  const ShardedRows::Owned shards = own.own();
  const int64_t width = own.schema().width(), rows = RowsOf(own.identity(), shards);
  // An empty file cannot be mapped.
  PT_LET(Memfd memory, Memfd::Make("protium-rows", std::max<int64_t>(rows * width, 1)));
  PT_LET(const Mapping mapping, memory.Map());
  std::byte* to = mapping.data();
  for (int32_t shard = shards.begin; shard < shards.end; ++shard) {
    const auto scan = own.Scan(shard);
    while (true) {
      PT_LET(const auto block, scan->Next(std::max<int64_t>(kCopiedBytes / width, 1)));
      if (block.empty()) break;
      std::memcpy(to, block.data(), block.size());
      to += block.size();
    }
    own.Release(shard);
  }
  return memory.Take();
}

Result<std::unique_ptr<ShardedRows>> MapRows(const RowSchema& schema,
                                             std::vector<ShardIdentity> identity,
                                             std::vector<SharedFile> files) {
  auto store = std::make_unique<MappedStore>(schema.width());
  int32_t next = 0;
  for (SharedFile& file : files) {
    const bool follows = file.shards.begin == next && next <= file.shards.end &&
                         size_t(file.shards.end) <= identity.size();
    if (!follows) return Status::Invalid("shared rows lack shard ", next);
    next = file.shards.end;
    const int64_t rows = RowsOf(identity, file.shards), bytes = rows * schema.width();
    PT_LET(const Memfd memory, Memfd::Adopt(std::move(file.memory), RowRoom::kLargest));
    if (memory.size() < bytes) {
      return Status::Invalid("shared rows have ", memory.size(), " bytes of ", bytes);
    }
    PT_LET(Mapping mapping, memory.Map());
    store->Append(std::move(mapping), rows);
  }
  if (size_t(next) != identity.size()) return Status::Invalid("shared rows lack shard ", next);
  const ShardedRows::Owned all{0, next};
  auto rows = std::make_unique<ShardedRows>(schema, all, std::move(store), std::move(identity));
  rows->TakeOver({});
  return rows;
}

}  // namespace protium
