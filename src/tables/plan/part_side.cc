// SPDX-License-Identifier: Apache-2.0
#include "plan/part_side.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "base/digest.h"

// A row's cells become the text of docs/rows.md, and the first digits of its MD5 are compared with
// the bound. MD5 because every engine has it, not for secrecy. Results are cached in a table with
// one entry per hash slot: rows of a split by few values (days, customers) often follow each other
// with equal cells, and are hashed once. The cache compares cells as bytes that differ for any two
// different rows.

namespace protium {
namespace {

// 52 bits: about the precision of a double between 0 and 1, and a whole number of hexadecimal
// digits.
constexpr size_t kDigitsCompared = 13;
constexpr int kBitsCompared = 52;

// Returns the length of a UTF-8 character by its first byte (RFC 3629). 0xc0, 0xc1 and everything
// above 0xf4 begin no character and count as one byte.
size_t BytesOfCharacter(unsigned char first) {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 1;
}

// Counts characters as Spark does (UTF8String.numChars), even if the bytes are not valid UTF-8.
int64_t Characters(std::string_view text) {
  int64_t characters = 0;
  for (size_t i = 0; i < text.size(); i += BytesOfCharacter(static_cast<unsigned char>(text[i]))) {
    ++characters;
  }
  return characters;
}

// Returns a date in ISO 8601: 2013-01-01, +12013-01-01, -0043-03-15. Uses Howard Hinnant's
// civil_from_days ("chrono-Compatible Low-Level Date Algorithms"): years are counted from March, so
// that a leap day is the last of its year, in cycles of 400 years. Four years have 1461 days, a
// hundred 36524, a cycle 146097, and five months from March on 153.
std::string DateText(int64_t days) {
  constexpr int64_t kToMarchOfYear0 = 719468, kCycle = 146097;
  const int64_t shifted = days + kToMarchOfYear0;
  const int64_t cycle = (shifted >= 0 ? shifted : shifted - kCycle + 1) / kCycle;
  const int64_t day_of_cycle = shifted - cycle * kCycle;
  const int64_t year_of_cycle =
      (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36524 - day_of_cycle / 146096) / 365;
  const int64_t day_of_year =
      day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const int64_t year = year_of_cycle + cycle * 400 + (month <= 2 ? 1 : 0);
  const char* const sign = year > 9999 ? "+" : year < 0 ? "-" : "";
  return fmt::format("{}{:04}-{:02}-{:02}", sign, year < 0 ? -year : year, month, day);
}

void AddWhole(int64_t value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Appends bytes that no other value of this column has. Texts carry their length, so that no two
// cells can be read as two others.
void AddBytes(const CutCell& cell, std::string& bytes) {
  bytes += cell.kind == CutKind::kNull ? '-' : '+';
  if (cell.kind == CutKind::kNull) return;
  if (cell.kind != CutKind::kText) return AddWhole(cell.whole, bytes);
  AddWhole(static_cast<int64_t>(cell.text.size()), bytes);
  bytes += cell.text;
}

void AddText(std::string_view cell, std::string& text) {
  fmt::format_to(std::back_inserter(text), "+{}:{}", Characters(cell), cell);
}

// Appends the cell's part of the text that is hashed.
void AddText(const CutCell& cell, std::string& text) {
  switch (cell.kind) {
    case CutKind::kNull:
      text += '-';
      return;
    case CutKind::kWhole:
      return AddText(std::to_string(cell.whole), text);
    case CutKind::kFlag:
      return AddText(cell.whole != 0 ? "true" : "false", text);
    case CutKind::kDate:
      return AddText(DateText(cell.whole), text);
    case CutKind::kText:
      return AddText(cell.text, text);
  }
}

}  // namespace

std::string PartBound(double part) {
  return fmt::format("{:0{}x}", static_cast<int64_t>(std::floor(std::ldexp(part, kBitsCompared))),
                     kDigitsCompared);
}

bool PartSides::OnPart(std::span<const CutCell> cells) {
  cells_.clear();
  for (const CutCell& each : cells) AddBytes(each, cells_);
  Entry& entry = entries_[std::hash<std::string_view>()(cells_) % kRemembered];
  // An unused entry has no cells, and no row without cells is looked up.
  if (entry.cells == cells_) return entry.on_part;
  text_ = seed_;
  for (const CutCell& each : cells) AddText(each, text_);
  entry.on_part = std::string_view(Md5Hex(text_)).substr(0, kDigitsCompared) < bound_;
  entry.cells = cells_;
  return entry.on_part;
}

}  // namespace protium
