// SPDX-License-Identifier: Apache-2.0
// Rows in memory while they fit their budget, and then on the disk.
//
// 1. Up to the budget it is a MemoryStore. When the budget is exceeded, it writes the rows so far
//    to a file, as a run, and starts again; a store that sorts sorts each run first, and Sort()
//    merges the runs into a second file.
// 2. A file's space is reserved before it is written, so a disk that is too small fails while rows
//    are added or sorted, before anything has been computed from them.
// 3. The bytes and their order are those of a MemoryStore.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "os/scratch_file.h"
#include "rows/memory_store.h"
#include "rows/row_store.h"

namespace protium {

// On the disk it takes the rows twice: while they are merged, and while an epoch visits them. In
// memory it takes its part of the budget, but at least a sixteenth of it, a page, and a few rows of
// any width; besides, what a MemoryStore takes for the rows in memory.
class SpillStore final : public RowStore {
 public:
  explicit SpillStore(const RowStoreSpec& spec);

  int64_t width() const override { return spec_.width; }
  int64_t rows() const override { return file_rows_ + memory_->rows(); }
  Result<std::byte*> Room(int64_t rows) override;
  Status Add(int64_t rows) override;
  Result<std::vector<ShardIdentity>> Sort(std::span<const int64_t> ends) override;
  std::unique_ptr<RowScan> Scan(RowSpan range) const override;
  Result<std::unique_ptr<RowVisit>> Visit(RowSpan range, const Permutation& order) const override;
  void Release(RowSpan range) override;
  void Leave() override { grant_.Set(0); }
  int64_t disk_bytes() const override { return file_rows_ * spec_.width; }
  Result<UniqueFd> ShareFile() const override;

 private:
  int64_t least_bytes() const;
  bool Fits(int64_t rows);
  Status Spill();
  Status GoToDisk();
  Status MergeRuns(std::span<const int64_t> part_rows, std::span<ShardIdentity> identities);

  // For writing a file.
  struct Writing {
    Writing(ScratchFile& file, RowMemory memory, int64_t bytes)
        : memory(std::move(memory)), stream(file, 0, this->memory.As<std::byte>(bytes)) {}
    RowMemory memory;
    ScratchStream stream;
  };

  RowStoreSpec spec_;
  mutable RowGrant grant_;  // Visits of rows on the disk grow it to the remaining budget.
  std::unique_ptr<MemoryStore> memory_;
  std::unique_ptr<ScratchFile> file_;
  std::unique_ptr<Writing> writing_;
  int64_t file_rows_ = 0;      // Rows of the store that are in the file; they come first.
  std::vector<RowSpan> runs_;  // In the file, each sorted; empty when merged into one.
  int64_t block_bytes_ = 0;    // Of a scan.
  bool on_disk_ = false;
};

}  // namespace protium
