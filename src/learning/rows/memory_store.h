// SPDX-License-Identifier: Apache-2.0
// Rows in the memory of the process: a visit copies them from any position, a scan copies nothing.
#pragma once

#include <memory>
#include <vector>

#include "rows/memory.h"
#include "rows/row_store.h"

namespace protium {

// Passes over rows that lie one after another in memory that outlives them.
std::unique_ptr<RowScan> ScanBytes(std::span<const std::byte> rows, int64_t width);
std::unique_ptr<RowVisit> VisitBytes(std::span<const std::byte> rows, int64_t width,
                                     const Permutation& order);

// Besides the rows it takes 16 bytes per row for their keys until they are sorted, and 8 more while
// it sorts. At most 2^32 - 1 rows can be sorted.
class MemoryStore final : public RowStore {
 public:
  explicit MemoryStore(const RowStoreSpec& spec) : spec_(spec), keyed_(spec.sorts) {}

  int64_t width() const override { return spec_.width; }
  int64_t rows() const override { return rows_; }
  Result<std::byte*> Room(int64_t rows) override;
  Status Add(int64_t rows) override;
  Result<std::vector<ShardIdentity>> Sort(std::span<const int64_t> ends) override;
  std::unique_ptr<RowScan> Scan(RowSpan range) const override;
  Result<std::unique_ptr<RowVisit>> Visit(RowSpan range, const Permutation& order) const override;
  void Release(RowSpan range) override;

  // Starts again without rows, in the same memory.
  void Clear();

 private:
  std::span<const std::byte> Bytes(RowSpan range) const;

  RowStoreSpec spec_;
  bool keyed_;  // Added rows get keys: they have not been sorted yet.
  RowMemory memory_;
  RowMemory keys_;  // Computed while a row is in the first cache.
  int64_t rows_ = 0;
  int64_t released_row_ = 0;   // Where the last Release() ended,
  int64_t released_byte_ = 0;  // and the end of the last whole page that it returned.
};

}  // namespace protium
