// SPDX-License-Identifier: Apache-2.0
#include "rows/window_rows.h"

#include <algorithm>
#include <utility>

#include "base/copy.h"
#include "base/fault.h"
#include "base/units.h"
#include "rows/memory_store.h"
#include "rows/read_store.h"

namespace protium {
namespace {

// How many bytes of rows are copied, and their old pages returned, at a time.
constexpr int64_t kMovedBytes = int64_t{8} << 20;

// The rows of all ranks, one rank's after another's; a range never crosses from one to the next.
class WindowStore final : public ReadStore {
 public:
  WindowStore(int64_t width, std::unique_ptr<Window> window)
      : ReadStore(width), window_(std::move(window)) {}
  void Append(int32_t rank, int64_t rows) {
    parts_.push_back({window_->Direct(rank), {rows_, rows_ + rows}});
    rows_ += rows;
  }

  std::unique_ptr<RowScan> Scan(RowSpan range) const override {
    return ScanBytes(Bytes(range), width_);
  }
  Result<std::unique_ptr<RowVisit>> Visit(RowSpan range, const Permutation& order) const override {
    return VisitBytes(Bytes(range), width_, order);
  }

 private:
  struct Part {
    const std::byte* rows = nullptr;
    RowSpan range;
  };
  std::span<const std::byte> Bytes(RowSpan range) const {
    if (range.size() == 0) return {};
    const auto part = std::ranges::find_if(parts_, [&](const Part& each) {
      return each.range.begin <= range.begin && range.end <= each.range.end;
    });
    PT_CHECK(part != parts_.end());
    return {part->rows + (range.begin - part->range.begin) * width_, size_t(range.size() * width_)};
  }

  std::unique_ptr<Window> window_;
  std::vector<Part> parts_;
};

int64_t RowsBetween(const ShardedRows& rows, int32_t begin, int32_t end) {
  int64_t count = 0;
  for (int32_t s = begin; s < end; ++s) count += rows.rows(s);
  return count;
}

Status CopyRows(ShardedRows& from, std::byte* to) {
  const int64_t width = from.schema().width();
  for (int32_t shard = from.own().begin; shard < from.own().end; ++shard) {
    const auto scan = from.Scan(shard);
    while (true) {
      PT_LET(const auto block, scan->Next(std::max<int64_t>(kMovedBytes / width, 1)));
      if (block.empty()) break;
      CopyBytes(to, block.data(), int64_t(block.size()));
      to += block.size();
    }
    from.Release(shard);
  }
  return Status::OK();
}

// Collective.
Status CheckInMemory(const ShardedRows& own, Communicator& communicator) {
  int64_t bytes = own.disk_bytes();
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(&bytes, 1)), Op::kSum));
  if (bytes == 0) return Status::OK();
  return Fail({.exit = Exit::kNoRoom,
               .what = BytesText(bytes) + " of packed rows do not fit engine.rows_memory",
               .where = "train.mode",
               .why = "in mode \"server\" every worker reads the rows of all in memory",
               .fix = "raise engine.rows_memory, or set train.mode = \"exact\""});
}

}  // namespace

Result<std::unique_ptr<ShardedRows>> MoveToWindows(std::unique_ptr<ShardedRows> own,
                                                   const std::vector<int32_t>& first,
                                                   Communicator& communicator) {
  PT_TRY(CheckInMemory(*own, communicator));
  const ShardedRows::Owned shards = own->own();
  const RowSchema schema = own->schema();
  std::vector<ShardIdentity> identity = own->identity();
  const int64_t rows = RowsBetween(*own, shards.begin, shards.end);
  PT_LET(std::unique_ptr<Window> window, communicator.MakeWindow(rows * schema.width()));
  for (int32_t r = 0; r < communicator.world(); ++r) {
    if (window->Direct(r) != nullptr) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "workers on several machines do not read each other's rows",
                 .where = "train.mode",
                 .fix = "set train.mode = \"exact\""});
  }
  PT_TRY(FailTogether(CopyRows(*own, window->own().data()), communicator));
  auto store = std::make_unique<WindowStore>(schema.width(), std::move(window));
  for (size_t r = 0; r + 1 < first.size(); ++r) {
    store->Append(int32_t(r), RowsBetween(*own, first[r], first[r + 1]));
  }
  PT_TRY(communicator.Barrier("the rows of all ranks"));
  const ShardedRows::Owned all{0, int32_t(identity.size())};
  auto out = std::make_unique<ShardedRows>(schema, all, std::move(store), std::move(identity));
  out->TakeOver(shards);
  return out;
}

}  // namespace protium
