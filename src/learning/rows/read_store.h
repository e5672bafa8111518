// SPDX-License-Identifier: Apache-2.0
// Read-only stores of rows that others wrote. mapped_store.h has them in memory.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "os/scratch_file.h"
#include "rows/row_store.h"

namespace protium {

// Operations that change rows fail; Release() does nothing.
class ReadStore : public RowStore {
 public:
  explicit ReadStore(int64_t width) : width_(width) {}

  int64_t width() const override { return width_; }
  int64_t rows() const override { return rows_; }
  Result<std::byte*> Room(int64_t rows) final;
  Status Add(int64_t rows) final;
  Result<std::vector<ShardIdentity>> Sort(std::span<const int64_t> ends) final;
  void Release(RowSpan) final {}

 protected:
  int64_t width_;
  int64_t rows_ = 0;
};

// The memory that a pass over rows in a file may take, and the folder where a visit orders them.
struct FilePass {
  int64_t bytes = 0;  // It takes at least 4 KiB.
  std::filesystem::path disk;
};

// Rows of a file, from its beginning.
class FileStore final : public ReadStore {
 public:
  FileStore(int64_t width, int64_t rows, ScratchFile file, FilePass pass);

  std::unique_ptr<RowScan> Scan(RowSpan range) const override;
  Result<std::unique_ptr<RowVisit>> Visit(RowSpan range, const Permutation& order) const override;
  int64_t disk_bytes() const override { return rows_ * width_; }

 private:
  ScratchFile file_;
  FilePass pass_;
};

// The rows of several stores, one after another; a range never crosses from one into the next.
class JoinedStore final : public ReadStore {
 public:
  explicit JoinedStore(int64_t width) : ReadStore(width) {}
  void Append(std::unique_ptr<RowStore> rows);

  std::unique_ptr<RowScan> Scan(RowSpan range) const override;
  Result<std::unique_ptr<RowVisit>> Visit(RowSpan range, const Permutation& order) const override;
  int64_t disk_bytes() const override;

 private:
  struct Part {
    std::unique_ptr<RowStore> rows;
    int64_t begin = 0;
    int64_t end = 0;
  };
  // Returns the store that holds the range, and makes the range relative to it.
  const RowStore& Find(RowSpan& range) const;

  std::vector<Part> parts_;
};

}  // namespace protium
