// SPDX-License-Identifier: Apache-2.0
// Rows that others wrote, mapped: in memory that ranks share (shared_rows.h) or in files that
// trainings share (kept_rows.h).
#pragma once

#include <vector>

#include "os/memfd.h"
#include "rows/row_store.h"

namespace protium {

// Only read. Rows in several mappings, one behind another; a range never crosses from one into the
// next.
class MappedStore final : public RowStore {
 public:
  explicit MappedStore(int64_t width) : width_(width) {}
  // The next rows; they lie at the begin of `memory`, which may be longer.
  void Append(Mapping memory, int64_t rows);

  int64_t width() const override { return width_; }
  int64_t rows() const override { return rows_; }
  Result<std::byte*> Room(int64_t rows) override;
  Status Add(int64_t rows) override;
  Result<std::vector<ShardIdentity>> Sort(std::span<const int64_t> ends) override;
  std::unique_ptr<RowScan> Scan(RowRange range) const override;
  Result<std::unique_ptr<RowVisit>> Visit(RowRange range, const Permutation& order) const override;
  void Release(RowRange) override {}

 private:
  struct Part {
    Mapping memory;
    int64_t begin = 0;
    int64_t end = 0;
  };
  std::span<const std::byte> Bytes(RowRange range) const;

  int64_t width_;
  int64_t rows_ = 0;
  std::vector<Part> parts_;
};

}  // namespace protium
