// SPDX-License-Identifier: Apache-2.0
#include "rows/spill_store.h"

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "rows/file_scan.h"
#include "rows/row_merge.h"
#include "rows/spill_visit.h"

namespace protium {
namespace {

// Read or written at a time if memory allows: disks reach full speed from about this size.
constexpr int64_t kBlockBytes = int64_t{4} << 20;
// The minimum for any budget: below a page reading and writing become absurdly slow.
constexpr int64_t kLeastBytes = 4096;

// The parts of `range` below and beyond `at`, the latter counted from there.
RowSpan Below(RowSpan range, int64_t at) {
  return {std::min(range.begin, at), std::min(range.end, at)};
}
RowSpan Beyond(RowSpan range, int64_t at) {
  return {std::max(range.begin - at, int64_t{0}), std::max(range.end - at, int64_t{0})};
}

}  // namespace

SpillStore::SpillStore(const RowStoreSpec& spec)
    : spec_(spec), grant_(spec.room.memory), memory_(std::make_unique<MemoryStore>(spec)) {
  block_bytes_ = std::min(kBlockBytes, least_bytes() / 2);
}

// The memory that a store needs to work at an acceptable speed.
int64_t SpillStore::least_bytes() const {
  return std::max(grant_.budget().bytes() / 16, kLeastBytes);
}

// Whether so many rows may be in memory. The grant grows in steps that are small compared with the
// budget.
bool SpillStore::Fits(int64_t rows) {
  const int64_t bytes = rows * spec_.width;
  if (bytes <= grant_.bytes()) return true;
  const int64_t step = grant_.budget().bytes() / 256;
  return grant_.Grow(std::max(bytes, grant_.bytes() + step)) || grant_.Grow(bytes);
}

Result<std::byte*> SpillStore::Room(int64_t rows) {
  // Rows that are only stored need no memory beyond a block as soon as it is clear that they will
  // not fit.
  const bool all = !spec_.sorts && spec_.most_rows > 0 && this->rows() == 0 && !on_disk_;
  if (all && !Fits(spec_.most_rows)) PT_TRY(GoToDisk());
  const int64_t wanted = memory_->rows() + rows;
  const bool fits =
      on_disk_ && !spec_.sorts ? wanted * spec_.width <= grant_.bytes() : Fits(wanted);
  if (!fits) {
    if (!on_disk_) PT_TRY(GoToDisk());
    if (wanted * spec_.width > grant_.bytes() && memory_->rows() > 0) PT_TRY(Spill());
  }
  return memory_->Room(rows);
}

Status SpillStore::Add(int64_t rows) {
  PT_TRY(memory_->Add(rows));
  const bool last = !spec_.sorts && this->rows() == spec_.most_rows;
  return on_disk_ && last ? Spill() : Status::OK();
}

Status SpillStore::GoToDisk() {
  on_disk_ = true;
  PT_LET(ScratchFile file, ScratchFile::Make(spec_.room.disk));
  file_ = std::make_unique<ScratchFile>(std::move(file));
  const int64_t bytes =
      std::min(kBlockBytes, least_bytes()) / ScratchFile::kPage * ScratchFile::kPage;
  RowMemory memory;
  PT_TRY(memory.Reserve(bytes));
  writing_ = std::make_unique<Writing>(*file_, std::move(memory), bytes);
  if (spec_.sorts) {
    grant_.Set(std::max(grant_.bytes(), least_bytes()));
    return Status::OK();
  }
  if (memory_->rows() > 0) PT_TRY(Spill());
  grant_.Set(std::min(2 * kBlockBytes, least_bytes()));
  return file_->Reserve(spec_.most_rows * spec_.width);
}

// Appends the rows in memory to those in the file.
Status SpillStore::Spill() {
  if (spec_.sorts) PT_TRY(memory_->Sort({}).status());
  const int64_t rows = memory_->rows();
  PT_TRY(file_->Reserve((file_rows_ + rows) * spec_.width));
  PT_LET(const auto bytes, memory_->Scan({0, rows})->Next(rows));
  PT_TRY(writing_->stream.Append(bytes));
  // Makes the rows readable.
  PT_TRY(writing_->stream.Flush());
  runs_.push_back({file_rows_, file_rows_ + rows});
  file_rows_ += rows;
  memory_->Clear();
  return Status::OK();
}

Result<std::vector<ShardIdentity>> SpillStore::Sort(std::span<const int64_t> ends) {
  PT_CHECK(spec_.sorts);
  if (!on_disk_) {
    spec_.sorts = false;
    return memory_->Sort(ends);
  }
  if (memory_->rows() > 0) PT_TRY(Spill());
  // Without parts no identities are needed.
  std::vector<int64_t> part_rows{rows()};
  if (!ends.empty()) part_rows.clear();
  for (int64_t begin = 0; const int64_t end : ends) {
    part_rows.push_back(end - std::exchange(begin, end));
  }
  std::vector<ShardIdentity> identities(part_rows.size());
  PT_TRY(MergeRuns(part_rows, identities));
  if (ends.empty()) identities.clear();
  return identities;
}

Status SpillStore::MergeRuns(std::span<const int64_t> part_rows,
                             std::span<ShardIdentity> identities) {
  std::vector<RowSource> sources;
  // Runs are read concurrently, two blocks at a time for each.
  block_bytes_ =
      std::clamp(grant_.bytes() / int64_t(2 * runs_.size() + 2), kLeastBytes, kBlockBytes);
  for (const RowSpan& run : runs_) sources.emplace_back(*this, run);
  RowStoreSpec sorted{.width = spec_.width, .most_rows = rows(), .room = spec_.room};
  SpillStore out(sorted);
  PT_TRY(out.GoToDisk());
  RowMerge merge(std::move(sources), part_rows, out, identities);
  PT_TRY(merge.Start());
  PT_TRY(merge.RunUntil(rows()));
  file_ = std::move(out.file_);
  writing_.reset();
  runs_.clear();
  spec_.sorts = false;
  // An empty store, since its memory is not needed any more.
  memory_ = std::make_unique<MemoryStore>(spec_);
  block_bytes_ = std::min(kBlockBytes, least_bytes() / 2);
  // The rest is for whoever needs memory next.
  grant_.Set(0);
  return Status::OK();
}

std::unique_ptr<RowScan> SpillStore::Scan(RowSpan range) const {
  PT_CHECK(0 <= range.begin && range.begin <= range.end && range.end <= rows());
  auto rest = memory_->Scan(Beyond(range, file_rows_));
  if (range.begin >= file_rows_) return rest;
  return ScanFile({*file_, Below(range, file_rows_), spec_.width, block_bytes_}, std::move(rest));
}

Result<std::unique_ptr<RowVisit>> SpillStore::Visit(RowSpan range, const Permutation& order) const {
  PT_CHECK(order.rows() == range.size());
  if (!on_disk_) return memory_->Visit(range, order);
  // All that nobody else has, from the first visit on.
  grant_.Set(std::max({grant_.bytes(), grant_.bytes() + grant_.budget().left(), least_bytes()}));
  const SpillVisitSpec spec{
      .width = spec_.width, .memory_bytes = grant_.bytes() / spec_.visits, .disk = spec_.room.disk};
  return MakeSpillVisit(spec, *Scan(range), order);
}

Result<UniqueFd> SpillStore::ShareFile() const {
  if (file_rows_ == 0 || file_rows_ < rows()) return UniqueFd();
  return file_->Share();
}

void SpillStore::Release(RowSpan range) {
  if (!on_disk_) memory_->Release(range);
}

std::unique_ptr<RowStore> MakeRowStore(const RowStoreSpec& spec) {
  if (spec.room.disk.empty()) return std::make_unique<MemoryStore>(spec);
  return std::make_unique<SpillStore>(spec);
}

}  // namespace protium
