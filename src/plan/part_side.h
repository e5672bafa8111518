// SPDX-License-Identifier: Apache-2.0
// The sides of a cut as docs/rows.md, "Split", has them, for rows of cells whose text all engines
// write alike: whole numbers, flags, dates and texts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

enum class CutKind { kNull, kWhole, kFlag, kDate, kText };

struct CutCell {
  CutKind kind = CutKind::kNull;
  int64_t whole = 0;  // The number; 0 or 1; or the days since 1970-01-01.
  std::string_view text = {};
};

// Digests whose first digits are below these lie on the part's side.
std::string PartBound(double part);

// Of one thread.
class PartSides {
 public:
  PartSides(std::string seed, std::string bound)
      : seed_(std::move(seed)), bound_(std::move(bound)) {}

  // Whether a row with these cells lies on the part's side. The cells of a column are of one kind,
  // or null. Rows that agree in their cells are hashed once, as far as a few thousand different
  // ones are remembered: with days as cells that is once a day, not once a row.
  bool OnPart(std::span<const CutCell> cells);

 private:
  // What was found out last for some of the rows, by their cells.
  struct Entry {
    std::string cells;
    bool on_part = false;
  };

  static constexpr size_t kRemembered = 4096;

  const std::string seed_, bound_;
  std::vector<Entry> entries_ = std::vector<Entry>(kRemembered);
  std::string cells_, text_;  // Room that is used again.
};

}  // namespace protium
