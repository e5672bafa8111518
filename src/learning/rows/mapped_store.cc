// SPDX-License-Identifier: Apache-2.0
#include "rows/mapped_store.h"

#include <algorithm>
#include <utility>

#include "rows/memory_store.h"

namespace protium {
void MappedStore::Append(Mapping memory, int64_t rows) {
  parts_.push_back({std::move(memory), rows_, rows_ + rows});
  rows_ += rows;
}

std::unique_ptr<RowScan> MappedStore::Scan(RowSpan range) const {
  return ScanBytes(Bytes(range), width_);
}

Result<std::unique_ptr<RowVisit>> MappedStore::Visit(RowSpan range,
                                                     const Permutation& order) const {
  return VisitBytes(Bytes(range), width_, order);
}

std::span<const std::byte> MappedStore::Bytes(RowSpan range) const {
  if (range.size() == 0) return {};
  const auto part = std::ranges::find_if(
      parts_, [&](const Part& each) { return each.begin <= range.begin && range.end <= each.end; });
  PT_CHECK(part != parts_.end());
  return {part->memory.data() + (range.begin - part->begin) * width_,
          size_t(range.size() * width_)};
}

}  // namespace protium
