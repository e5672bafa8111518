// SPDX-License-Identifier: Apache-2.0
// Computes on which side of a split a row falls (docs/rows.md, "Split"), for cells whose text all
// engines write alike: whole numbers, flags, dates and texts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// What a cell is, which determines how its text is written.
enum class CutKind { kNull, kWhole, kFlag, kDate, kText };

// One cell. `text` points into the caller's memory.
struct CutCell {
  CutKind kind = CutKind::kNull;
  int64_t whole = 0;  // The number; 0 or 1; or the days since 1970-01-01.
  std::string_view text = {};
};

// Returns the bound for a share in (0, 1), floor(part * 2^52) as 13 hexadecimal digits: a row is on
// the part's side if the first 13 digits of its digest are below it, compared as text.
std::string PartBound(double part);

// Computes sides for one split. One thread; remembers some 4096 recent results.
class PartSides {
 public:
  // `seed` in decimal, `bound` from PartBound().
  PartSides(std::string seed, std::string bound)
      : seed_(std::move(seed)), bound_(std::move(bound)) {}

  // Whether a row with these cells, at least one, is on the part's side. All cells of a column have
  // the same kind, or are null. Rows that agree in their cells are hashed once as long as they are
  // remembered: for a split by day, that is once per day, not once per row.
  bool OnPart(std::span<const CutCell> cells);

 private:
  // The latest result for one set of cells.
  struct Entry {
    std::string cells;
    bool on_part = false;
  };

  static constexpr size_t kRemembered = 4096;

  const std::string seed_, bound_;
  std::vector<Entry> entries_ = std::vector<Entry>(kRemembered);
  std::string cells_, text_;  // Members to reuse their memory.
};

}  // namespace protium
