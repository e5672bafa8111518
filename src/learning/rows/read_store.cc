// SPDX-License-Identifier: Apache-2.0
#include "rows/read_store.h"

#include <algorithm>
#include <utility>

#include "rows/file_scan.h"
#include "rows/spill_visit.h"

namespace protium {
namespace {

// The least memory of a pass, whatever it is given, and the most that one read takes.
constexpr int64_t kLeastPassBytes = 4096;
constexpr int64_t kMostBlockBytes = int64_t{4} << 20;

Status ReadOnly() { return Status::Invalid("rows that others wrote are only read"); }

}  // namespace

Result<std::byte*> ReadStore::Room(int64_t) { return ReadOnly(); }

Status ReadStore::Add(int64_t) { return ReadOnly(); }

Result<std::vector<ShardIdentity>> ReadStore::Sort(std::span<const int64_t>) { return ReadOnly(); }

FileStore::FileStore(int64_t width, int64_t rows, ScratchFile file, FilePass pass)
    : ReadStore(width), file_(std::move(file)), pass_(std::move(pass)) {
  rows_ = rows;
  pass_.bytes = std::max(pass_.bytes, kLeastPassBytes);
}

std::unique_ptr<RowScan> FileStore::Scan(RowSpan range) const {
  PT_CHECK(0 <= range.begin && range.begin <= range.end && range.end <= rows_);
  // A visit scans while it fills its buckets; its reads take little memory compared with them.
  const int64_t block = std::clamp(pass_.bytes / 16, kLeastPassBytes, kMostBlockBytes);
  return ScanFile({file_, range, width_, block});
}

Result<std::unique_ptr<RowVisit>> FileStore::Visit(RowSpan range, const Permutation& order) const {
  PT_CHECK(order.rows() == range.size());
  const SpillVisitSpec spec{.width = width_, .memory_bytes = pass_.bytes, .disk = pass_.disk};
  return MakeSpillVisit(spec, *Scan(range), order);
}

void JoinedStore::Append(std::unique_ptr<RowStore> rows) {
  const int64_t begin = std::exchange(rows_, rows_ + rows->rows());
  parts_.push_back({std::move(rows), begin, rows_});
}

const RowStore& JoinedStore::Find(RowSpan& range) const {
  const auto part = std::ranges::find_if(
      parts_, [&](const Part& each) { return each.begin <= range.begin && range.end <= each.end; });
  PT_CHECK(part != parts_.end());
  range = {range.begin - part->begin, range.end - part->begin};
  return *part->rows;
}

std::unique_ptr<RowScan> JoinedStore::Scan(RowSpan range) const {
  const RowStore& rows = Find(range);
  return rows.Scan(range);
}

Result<std::unique_ptr<RowVisit>> JoinedStore::Visit(RowSpan range,
                                                     const Permutation& order) const {
  const RowStore& rows = Find(range);
  return rows.Visit(range, order);
}

int64_t JoinedStore::disk_bytes() const {
  int64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.rows->disk_bytes();
  return bytes;
}

}  // namespace protium
