// SPDX-License-Identifier: Apache-2.0
#include "rows/shared_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fault.h"
#include "os/memfd.h"
#include "rows/memory_store.h"

namespace protium {
namespace {

// Rows are copied, and their old pages given back, so many bytes at a time.
constexpr int64_t kCopiedBytes = int64_t{8} << 20;

int64_t RowsOf(const std::vector<ShardIdentity>& identity, ShardedRows::Owned shards) {
  int64_t rows = 0;
  for (int32_t s = shards.begin; s < shards.end; ++s) rows += identity[size_t(s)].rows;
  return rows;
}

// Rows in several mappings, one behind another. A range never crosses from one into the next, since
// a shard lies in one file.
class MappedStore final : public RowStore {
 public:
  explicit MappedStore(int64_t width) : width_(width) {}

  void Append(Mapping memory, int64_t rows) {
    parts_.push_back({std::move(memory), rows_, rows_ + rows});
    rows_ += rows;
  }

  int64_t width() const override { return width_; }
  int64_t rows() const override { return rows_; }
  Result<std::byte*> Room(int64_t) override { return ReadOnly(); }
  Status Add(int64_t) override { return ReadOnly(); }
  Result<std::vector<ShardIdentity>> Sort(std::span<const int64_t>) override { return ReadOnly(); }
  void Release(RowRange) override {}
  std::unique_ptr<RowScan> Scan(RowRange range) const override {
    return ScanBytes(Bytes(range), width_);
  }
  Result<std::unique_ptr<RowVisit>> Visit(RowRange range, const Permutation& order) const override {
    return VisitBytes(Bytes(range), width_, order);
  }

 private:
  struct Part {
    Mapping memory;
    int64_t begin = 0;
    int64_t end = 0;
  };

  static Status ReadOnly() { return Status::Invalid("shared rows are only read"); }

  std::span<const std::byte> Bytes(RowRange range) const {
    if (range.size() == 0) return {};
    const auto part = std::ranges::find_if(
        parts_, [&](const Part& each) { return each.begin <= range.begin && range.end <= each.end; });
    PT_CHECK(part != parts_.end());
    return {part->memory.data() + (range.begin - part->begin) * width_,
            size_t(range.size() * width_)};
  }

  int64_t width_;
  int64_t rows_ = 0;
  std::vector<Part> parts_;
};

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
