// SPDX-License-Identifier: Apache-2.0
#include "format/csv_types.h"

#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace protium {

bool IsNull(const CsvCell& cell, const CsvOptions& options) {
  if (cell.text.empty()) return !cell.quoted;
  // Most cells differ in the first character, and there are many cells.
  for (const std::string& null : options.null.all) {
    if (cell.text.size() == null.size() && cell.text.front() == null.front() && cell.text == null) {
      return true;
    }
  }
  return false;
}

// Most cells fit the type so far, so that is checked first.
void Widen(const CsvCell& cell, const CsvOptions& options, CellType& type) {
  if (type == CellType::kText || IsNull(cell, options) || IsCell(cell.text, type)) return;
  type = Unite(type, TypeOfCell(cell.text));
}

#if defined(__SSE2__)
namespace {

constexpr std::ptrdiff_t kBlock = 16;  // Bytes of one SSE2 register, one bit each in a mask.

// What 16 bytes of text hold: bit i of a mask is set if byte i is of that kind.
struct Block {
  uint32_t ends;  // Delimiters, line feeds and carriage returns.
  uint32_t digits;
  uint32_t points;
};

class BlockReader {
 public:
  explicit BlockReader(char delimiter) : delimiter_(_mm_set1_epi8(delimiter)) {}

  Block Read(const char* at) const {
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i lines = _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('\n')),
                                       _mm_cmpeq_epi8(text, _mm_set1_epi8('\r')));
    // Bytes below '0' wrap around to large ones, so one unsigned comparison checks both bounds.
    const __m128i above = _mm_sub_epi8(text, _mm_set1_epi8('0'));
    const __m128i digits = _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(9)), above);
    return {.ends = Mask(_mm_or_si128(lines, _mm_cmpeq_epi8(text, delimiter_))),
            .digits = Mask(digits),
            .points = Mask(_mm_cmpeq_epi8(text, _mm_set1_epi8('.')))};
  }

 private:
  static uint32_t Mask(__m128i bytes) { return static_cast<uint32_t>(_mm_movemask_epi8(bytes)); }

  __m128i delimiter_;
};

// Whether the cell that fills the first `size` < 16 bytes of the block is a number of the plainest
// form: digits, optionally after a sign -, and for a double a point among them. So few digits are
// always within 64 bits. False means nothing: a number may be written in other ways.
bool IsPlainNumber(const Block& block, const char* cell, unsigned size, CellType type) {
  const uint32_t sign = *cell == '-' ? 1 : 0;
  const uint32_t wanted = ((1u << size) - 1) & ~sign;
  const uint32_t digits = block.digits & wanted;
  if (digits == 0) return false;
  if (digits == wanted) return true;
  const uint32_t points = block.points & wanted;
  return type == CellType::kDouble && (digits | points) == wanted && std::has_single_bit(points);
}

// One pass over plain rows. `types` are the widened ones, ahead of the caller's by the current row.
class PlainRows {
 public:
  PlainRows(std::string_view text, std::string_view line_end, const CsvOptions& options,
            std::vector<CellType>& types)
      : end_(text.data() + text.size()),
        line_end_(line_end),
        options_(options),
        delimiter_(options.delimiter.front()),
        blocks_(delimiter_),
        types_(types) {}

  // Reads the row at `at` and moves `at` to the next one; returns false, with `at` unchanged, if
  // the row is not plain. Some of its cells may then have widened types, and do so again when the
  // row is read again: widening twice by one cell is widening once.
  bool ReadRow(const char*& at) {
    const char* cell = at;
    for (size_t i = 0; i < types_.size(); ++i) {
      const char* stop = ReadCell(cell, types_[i]);
      if (stop == nullptr) return false;
      if (i + 1 == types_.size()) {
        if (!EndsLine(stop)) return false;
        at = stop + line_end_.size();
        return true;
      }
      if (*stop != delimiter_) return false;
      cell = stop + 1;
    }
    return false;
  }

 private:
  // Returns the end of the cell; nullptr if it is quoted or the text ends too soon.
  const char* ReadCell(const char* cell, CellType& type) {
    if (end_ - cell < kBlock || *cell == '"') return nullptr;
    const Block block = blocks_.Read(cell);
    if (block.ends == 0) return ReadLongCell(cell, type);
    const auto size = static_cast<unsigned>(std::countr_zero(block.ends));
    const bool number = type == CellType::kInt64 || type == CellType::kDouble;
    if (!(number && IsPlainNumber(block, cell, size, type))) {
      Widen({.text = {cell, size}}, options_, type);
    }
    return cell + size;
  }

  const char* ReadLongCell(const char* cell, CellType& type) {
    for (const char* at = cell; end_ - at >= kBlock; at += kBlock) {
      const Block block = blocks_.Read(at);
      if (block.ends == 0) continue;
      const char* const stop = at + std::countr_zero(block.ends);
      Widen({.text = {cell, static_cast<size_t>(stop - cell)}}, options_, type);
      return stop;
    }
    return nullptr;
  }

  bool EndsLine(const char* stop) const {
    return end_ - stop >= static_cast<std::ptrdiff_t>(line_end_.size()) &&
           std::string_view(stop, line_end_.size()) == line_end_;
  }

  const char* end_;
  std::string_view line_end_;
  const CsvOptions& options_;
  char delimiter_;
  BlockReader blocks_;
  std::vector<CellType>& types_;
};

}  // namespace

// A table of one column has rows that are empty lines, which count as nulls only there. A bare \r
// is refused too if lines end with it: \r\n and \r cannot be distinguished in a block.
size_t WidenByPlainRows(std::string_view text, std::string_view line_end, const CsvOptions& options,
                        std::vector<CellType>& types) {
  if (types.size() < 2 || (line_end != "\n" && line_end != "\r\n")) return 0;
  PlainRows rows(text, line_end, options, types);
  const char* at = text.data();
  while (rows.ReadRow(at)) {
  }
  return static_cast<size_t>(at - text.data());
}

#else

size_t WidenByPlainRows(std::string_view, std::string_view, const CsvOptions&,
                        std::vector<CellType>&) {
  return 0;
}

#endif

}  // namespace protium
