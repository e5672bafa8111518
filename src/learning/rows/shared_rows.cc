// SPDX-License-Identifier: Apache-2.0
#include "rows/shared_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/copy.h"
#include "base/fault.h"
#include "os/memfd.h"
#include "rows/mapped_store.h"

namespace protium {
namespace {

// How many bytes of rows are copied, and their old pages returned, at a time.
constexpr int64_t kCopiedBytes = int64_t{8} << 20;

int64_t RowsOf(const std::vector<ShardIdentity>& identity, ShardedRows::Owned shards) {
  int64_t rows = 0;
  for (int32_t s = shards.begin; s < shards.end; ++s) rows += identity[size_t(s)].rows;
  return rows;
}

Result<UniqueFd> CopyToMemory(ShardedRows& own) {
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
      CopyBytes(to, block.data(), int64_t(block.size()));
      to += block.size();
    }
    own.Release(shard);
  }
  return memory.Take();
}

Result<std::unique_ptr<RowStore>> OpenFile(SharedFile file, int64_t width, int64_t rows,
                                           const FilePass& pass) {
  const auto check = [&](int64_t size) {
    if (size >= rows * width) return Status::OK();
    return Status::Invalid("shared rows have ", size, " bytes of ", rows * width);
  };
  if (file.on_disk) {
    PT_LET(ScratchFile scratch, ScratchFile::Adopt(std::move(file.file), pass.disk));
    PT_TRY(check(scratch.reserved()));
    return std::make_unique<FileStore>(width, rows, std::move(scratch), pass);
  }
  PT_LET(const Memfd memory, Memfd::Adopt(std::move(file.file), RowRoom::kLargest));
  PT_TRY(check(memory.size()));
  PT_LET(Mapping mapping, memory.Map());
  auto store = std::make_unique<MappedStore>(width);
  store->Append(std::move(mapping), rows);
  return std::unique_ptr<RowStore>(std::move(store));
}

}  // namespace

Result<SharedFile> ShareRows(ShardedRows& own) {
  SharedFile shared{.shards = own.own()};
  PT_LET(shared.file, own.ShareFile());
  shared.on_disk = bool(shared.file);
  if (!shared.on_disk) {
    PT_LET(shared.file, CopyToMemory(own));
  }
  return shared;
}

Result<std::unique_ptr<ShardedRows>> OpenSharedRows(const RowSchema& schema,
                                                    std::vector<ShardIdentity> identity,
                                                    std::vector<SharedFile> files,
                                                    const FilePass& pass) {
  auto store = std::make_unique<JoinedStore>(schema.width());
  int32_t next = 0;
  for (SharedFile& file : files) {
    const bool follows = file.shards.begin == next && next <= file.shards.end &&
                         size_t(file.shards.end) <= identity.size();
    if (!follows) return Status::Invalid("shared rows lack shard ", next);
    next = file.shards.end;
    const int64_t rows = RowsOf(identity, file.shards);
    PT_LET(auto part, OpenFile(std::move(file), schema.width(), rows, pass));
    store->Append(std::move(part));
  }
  if (size_t(next) != identity.size()) return Status::Invalid("shared rows lack shard ", next);
  const ShardedRows::Owned all{0, next};
  auto rows = std::make_unique<ShardedRows>(schema, all, std::move(store), std::move(identity));
  rows->TakeOver({});
  return rows;
}

}  // namespace protium
