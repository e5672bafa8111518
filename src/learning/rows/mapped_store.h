// SPDX-License-Identifier: Apache-2.0
// Mapped rows that others wrote: in memory that ranks share (shared_rows.h) or in files that
// trainings share (kept_rows.h).
#pragma once

#include <vector>

#include "os/memfd.h"
#include "rows/read_store.h"

namespace protium {

// Rows in several mappings, one after another; a range never crosses from one into the next.
class MappedStore final : public ReadStore {
 public:
  explicit MappedStore(int64_t width) : ReadStore(width) {}
  // Adds the next rows, which lie at the beginning of `memory`; it may be longer.
  void Append(Mapping memory, int64_t rows);

  std::unique_ptr<RowScan> Scan(RowSpan range) const override;
  Result<std::unique_ptr<RowVisit>> Visit(RowSpan range, const Permutation& order) const override;

 private:
  struct Part {
    Mapping memory;
    int64_t begin = 0;
    int64_t end = 0;
  };
  std::span<const std::byte> Bytes(RowSpan range) const;

  std::vector<Part> parts_;
};

}  // namespace protium
