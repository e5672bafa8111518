// SPDX-License-Identifier: Apache-2.0
#include "rows/row_merge.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fault.h"

namespace protium {

int64_t RowsIn(int64_t bytes, int64_t width) { return std::max<int64_t>(bytes / width, 1); }

RowSource::RowSource(const RowStore& store, RowSpan range)
    : width_(store.width()), next_(range.begin), end_(range.end), scan_(store.Scan(range)) {}

RowSource::RowSource(Window& window, int32_t rank, RowSpan range, int64_t width)
    : width_(width),
      next_(range.begin),
      end_(range.end),
      window_(&window),
      direct_(window.Direct(rank)),
      rank_(rank) {}

Status RowSource::Load() {
  if (done()) return Status::OK();
  if (next_ >= block_end_) PT_TRY(LoadBlock());
  // Once per row, for all its comparisons.
  key_ = HashRow(row_, width_);
  return Status::OK();
}

void RowSource::Step() {
  ++next_;
  row_ += width_;
}

Status RowSource::LoadBlock() {
  const int64_t most = std::min(RowsIn(kMergeBlockBytes, width_), end_ - next_);
  if (scan_ != nullptr) {
    PT_LET(const auto rows, scan_->Next(most));
    // Rows are left, since Load() has checked done().
    PT_CHECK(!rows.empty());
    row_ = rows.data();
    block_end_ = next_ + int64_t(rows.size()) / width_;
    return Status::OK();
  }
  block_end_ = next_ + most;
  // On one host the rows are read in place.
  if (direct_ != nullptr) {
    row_ = direct_ + next_ * width_;
    return Status::OK();
  }
  block_.resize(size_t(most * width_));
  row_ = block_.data();
  return window_->Read(rank_, next_ * width_, block_);
}

RowMerge::RowMerge(std::vector<RowSource> sources, std::span<const int64_t> part_rows,
                   RowStore& store, std::span<ShardIdentity> identities)
    : sources_(std::move(sources)), part_rows_(part_rows), store_(store), identities_(identities) {}

Status RowMerge::Start() {
  for (RowSource& source : sources_) {
    PT_TRY(source.Load());
    if (!source.done()) heap_.push_back(uint32_t(&source - sources_.data()));
  }
  // From the last up: below each position there are heaps already.
  for (size_t at = heap_.size(); at-- > 0;) Sink(at);
  return Status::OK();
}

Status RowMerge::RunUntil(int64_t rows) {
  const int64_t width = store_.width();
  while (store_.rows() < rows) {
    const int64_t block = std::min(RowsIn(kMergeBlockBytes, width), rows - store_.rows());
    PT_LET(std::byte * room, store_.Room(block));
    for (int64_t i = 0; i < block; ++i) PT_TRY(MoveLeast(room + i * width));
    PT_TRY(store_.Add(block));
  }
  return Status::OK();
}

std::vector<int64_t> RowMerge::Read() const {
  std::vector<int64_t> read;
  for (const RowSource& source : sources_) read.push_back(source.next());
  return read;
}

// Rows of which neither comes before the other are equal in all bytes: either may be first.
bool RowMerge::Before(uint32_t a, uint32_t b) const {
  const RowSource &x = sources_[a], &y = sources_[b];
  return CompareRows(x.key(), x.row(), y.key(), y.row(), store_.width()) < 0;
}

// Restores the heap below `at`, whose source may have advanced to a later row.
void RowMerge::Sink(size_t at) {
  while (true) {
    size_t least = at;
    for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap_.size(); ++child) {
      if (Before(heap_[child], heap_[least])) least = child;
    }
    if (least == at) return;
    std::swap(heap_[at], heap_[least]);
    at = least;
  }
}

// Copies the least row of all sources to `to` and counts it for its part.
Status RowMerge::MoveLeast(std::byte* to) {
  PT_CHECK(!heap_.empty());
  RowSource& least = sources_[heap_.front()];
  // Done first, since Load() may overwrite this row with the next block.
  std::memcpy(to, least.row(), size_t(store_.width()));
  // A loop, since parts may be empty.
  while (identities_[part_].rows == part_rows_[part_]) ++part_;
  AddKey(least.key(), identities_[part_]);
  least.Step();
  PT_TRY(least.Load());
  if (least.done()) {
    heap_.front() = heap_.back();
    heap_.pop_back();
  }
  // The source stays on top and sinks with its next row, which takes one pass; std::pop_heap and
  // push_heap take two.
  Sink(0);
  return Status::OK();
}

}  // namespace protium
