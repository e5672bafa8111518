// SPDX-License-Identifier: Apache-2.0
#include "trees/histogram.h"

#include <algorithm>
#include <cstring>

// The sums of the narrow columns are added up as words: one addition for a row's gradient and
// hessian. 16 columns at a time have sums of 32 KiB, which stay in the first cache while a chunk of
// rows goes by; the bytes of the chunk stay in the second one.

namespace protium {
namespace {

constexpr int64_t kChunkRows = 2048;
constexpr int64_t kGroup = 8;         // Columns whose bins are read as one word.
constexpr int64_t kBlockGroups = 16;  // Columns whose sums are held at a time, in groups.
constexpr int64_t kCellsPerColumn = 256;

// Adds rows to the sums of `Groups` groups of columns, which begin at `bytes` of each row.
template <int Groups>
void AddChunk(const uint8_t* bytes, int64_t stride, std::span<const uint32_t> rows,
              const uint64_t* words, uint64_t* sums) {
  constexpr size_t kAhead = 16;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i + kAhead < rows.size()) __builtin_prefetch(bytes + rows[i + kAhead] * stride);
    uint64_t bins[Groups];
    std::memcpy(bins, bytes + rows[i] * stride, sizeof(bins));
    const uint64_t word = words[i];
    for (int g = 0; g < Groups; ++g) {
      uint64_t* const at = sums + g * kGroup * kCellsPerColumn;
      for (int64_t c = 0; c < kGroup; ++c) {
        at[c * kCellsPerColumn + int64_t(bins[g] >> (8 * c) & 0xff)] += word;
      }
    }
  }
}

void AddWord(uint64_t word, Cell& cell) {
  cell.gradient += int32_t(uint32_t(word >> 32));
  cell.hessian += uint32_t(word);
}

}  // namespace

HistogramLayout::HistogramLayout(std::span<const ColumnBins> bins) : first_{0} {
  for (const ColumnBins& each : bins) first_.push_back(first_.back() + each.count() + 1);
}

HistogramSums::HistogramSums(const BinnedRows& rows, const HistogramLayout& layout)
    : rows_(rows), layout_(layout) {
  for (int32_t c = 0; c < rows.columns(); ++c) {
    if (!rows.is_narrow(c)) wide_.push_back(c);
  }
  sums_.resize(size_t(kBlockGroups * kGroup * kCellsPerColumn));
}

void HistogramSums::Add(std::span<const uint32_t> rows, std::span<const uint64_t> words,
                        std::span<Cell> out) {
  std::fill(out.begin(), out.end(), Cell());
  for (size_t at = 0; at < rows.size(); at += size_t(kPairsPerSum)) {
    const auto part = rows.subspan(at, std::min(rows.size() - at, size_t(kPairsPerSum)));
    words_.resize(part.size());
    uint64_t sum = 0;
    for (size_t i = 0; i < part.size(); ++i) sum += words_[i] = words[part[i]];
    AddWord(sum, out.back());
    AddNarrow(part, out);
    for (const int32_t column : wide_) AddWide(column, part, out);
  }
}

void HistogramSums::AddNarrow(std::span<const uint32_t> rows, std::span<Cell> out) {
  const int64_t groups = rows_.stride() / kGroup;
  for (int64_t first = 0; first < groups; first += kBlockGroups) {
    const int64_t end = std::min(groups, first + kBlockGroups);
    std::fill_n(sums_.begin(), (end - first) * kGroup * kCellsPerColumn, uint64_t{0});
    for (size_t at = 0; at < rows.size(); at += size_t(kChunkRows)) {
      const auto chunk = rows.subspan(at, std::min(rows.size() - at, size_t(kChunkRows)));
      int64_t g = first;
      const auto sums = [&] { return sums_.data() + (g - first) * kGroup * kCellsPerColumn; };
      for (; g + 2 <= end; g += 2) {
        AddChunk<2>(rows_.row_bytes() + g * kGroup, rows_.stride(), chunk, &words_[at], sums());
      }
      if (g < end) {
        AddChunk<1>(rows_.row_bytes() + g * kGroup, rows_.stride(), chunk, &words_[at], sums());
      }
    }
    Flush(first * kGroup, end * kGroup, out);
  }
}

// Adds the sums of the narrow columns [first, end) to the cells; there may be fewer columns.
void HistogramSums::Flush(int64_t first, int64_t end, std::span<Cell> out) {
  const auto narrow = rows_.narrow();
  for (int64_t i = first; i < std::min(end, int64_t(narrow.size())); ++i) {
    const int32_t column = narrow[size_t(i)];
    Cell* const cells = out.data() + layout_.first(column);
    const int64_t count = layout_.first(column + 1) - layout_.first(column);
    const uint64_t* const sums = sums_.data() + (i - first) * kCellsPerColumn;
    for (int64_t b = 0; b < count; ++b) AddWord(sums[b], cells[b]);
  }
}

void HistogramSums::AddWide(int32_t column, std::span<const uint32_t> rows,
                            std::span<Cell> out) const {
  const uint16_t* const bins = rows_.words(column);
  Cell* const cells = out.data() + layout_.first(column);
  for (size_t i = 0; i < rows.size(); ++i) AddWord(words_[i], cells[bins[rows[i]]]);
}

}  // namespace protium
