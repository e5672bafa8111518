// SPDX-License-Identifier: Apache-2.0
#include "rows/file_scan.h"

#include <algorithm>
#include <utility>

#include "rows/row_merge.h"

namespace protium {
namespace {

// Rows of a file, then those after them in memory.
class FileScan final : public RowScan {
 public:
  FileScan(const FileRows& in, std::unique_ptr<RowScan> rest)
      : in_(in), ahead_(in.file), rest_(std::move(rest)) {}

  Result<std::span<const std::byte>> Next(int64_t most) override {
    if (left_.empty() && begun_ + in_.range.size() > 0) PT_TRY(TakeBlock(most));
    if (left_.empty()) {
      if (rest_) return rest_->Next(most);
      return std::span<const std::byte>();
    }
    const auto taken = left_.first(std::min(left_.size(), size_t(most * in_.width)));
    left_ = left_.subspan(taken.size());
    return taken;
  }

 private:
  Status TakeBlock(int64_t most) {
    if (begun_ == 0) PT_TRY(Begin(most));
    PT_LET(left_, ahead_.Take());
    begun_ = 0;
    return in_.range.size() > 0 ? Begin(most) : Status::OK();
  }

  // A multiple of what the caller takes, if memory allows: some callers work better with full
  // blocks.
  Status Begin(int64_t most) {
    const int64_t fit = RowsIn(in_.block_bytes, in_.width);
    begun_ = std::min(fit < most ? fit : fit / most * most, in_.range.size());
    const int64_t at = std::exchange(in_.range.begin, in_.range.begin + begun_);
    return ahead_.Begin(at * in_.width, begun_ * in_.width);
  }

  FileRows in_;  // The rest of the range that is not being read yet.
  ScratchAhead ahead_;
  int64_t begun_ = 0;  // Rows being read.
  std::unique_ptr<RowScan> rest_;
  std::span<const std::byte> left_;  // Of the current block.
};

}  // namespace

std::unique_ptr<RowScan> ScanFile(const FileRows& rows, std::unique_ptr<RowScan> rest) {
  return std::make_unique<FileScan>(rows, std::move(rest));
}

}  // namespace protium
