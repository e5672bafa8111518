// SPDX-License-Identifier: Apache-2.0
#include "format/cell_type.h"

#include <arrow/type.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace protium {
namespace {

// Removes digits from the front; returns how many there were.
size_t TakeDigits(std::string_view& text) {
  size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  text.remove_prefix(count);
  return count;
}

bool Take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

bool IsInt64(std::string_view text) {
  if (text.empty() || text.size() > 40) return false;
  const bool negative = text.front() == '-';
  if (text.size() <= 18) {  // Always within the range of 64 bits.
    if (negative) text.remove_prefix(1);
    return !text.empty() && TakeDigits(text) > 0 && text.empty();
  }
  if (!IsDigit(text.front()) && !negative) return false;
  int64_t value;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// Accepts only what every engine reads as the same double: no hexadecimal numbers, no "infinity",
// no sign "+", and exponents of at most four digits.
bool IsDouble(std::string_view text) {
  if (text == "NaN" || text == "Inf" || text == "-Inf") return true;
  const std::string_view whole = text;
  Take(text, '-');
  const size_t before = TakeDigits(text);
  const bool point = Take(text, '.');
  const size_t after = point ? TakeDigits(text) : 0;
  if (before + after == 0) return false;
  const bool exponent = Take(text, 'e') || Take(text, 'E');
  if (exponent) {
    if (!Take(text, '-')) Take(text, '+');
    const size_t digits = TakeDigits(text);
    if (digits == 0 || digits > 4) return false;
  }
  if (!text.empty()) return false;
  // A whole number beyond 64 bits is an identifier: as a double it would lose digits.
  return point || exponent || IsInt64(whole);
}

// Whether `text` is the word `lower`, in any case. Setting bit 0x20 turns a capital into a
// lower-case letter; the other characters that it changes are no letters.
bool SameWord(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((text[i] | 0x20) != lower[i]) return false;
  }
  return true;
}

bool IsLooseDouble(std::string_view text) {
  if (IsDouble(text)) return true;
  Take(text, '-');
  return SameWord(text, "inf") || SameWord(text, "nan") || SameWord(text, "infinity");
}

// Removes exactly `digits` digits from the front; returns false also for a number out of range.
bool TakeNumber(std::string_view& text, size_t digits, int lowest, int highest, int& value) {
  if (text.size() < digits) return false;
  value = 0;
  for (size_t i = 0; i < digits; ++i) {
    if (!IsDigit(text[i])) return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value >= lowest && value <= highest;
}

// Removes from the front of `text` a day of the Gregorian calendar between 0001-01-01 and
// 9999-12-31.
bool TakeDate(std::string_view& text) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year, month, day;
  if (!TakeNumber(text, 4, 1, 9999, year) || !Take(text, '-') ||
      !TakeNumber(text, 2, 1, 12, month) || !Take(text, '-') || !TakeNumber(text, 2, 1, 31, day)) {
    return false;
  }
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool IsTimestamp(std::string_view text) {
  int part;
  if (!TakeDate(text)) return false;
  if (text.empty()) return true;
  if (!Take(text, 'T') && !Take(text, ' ')) return false;
  if (!TakeNumber(text, 2, 0, 23, part) || !Take(text, ':') || !TakeNumber(text, 2, 0, 59, part)) {
    return false;
  }
  if (Take(text, ':')) {
    if (!TakeNumber(text, 2, 0, 59, part)) return false;
    if (Take(text, '.')) {
      const size_t digits = TakeDigits(text);
      if (digits == 0 || digits > 6) return false;
    }
  }
  Take(text, 'Z');
  return text.empty();
}

}  // namespace

bool IsCell(std::string_view text, CellType type) {
  switch (type) {
    case CellType::kNone:
      return false;
    case CellType::kInt64:
      return IsInt64(text);
    case CellType::kDouble:
      return IsDouble(text);
    case CellType::kLooseDouble:
      return IsLooseDouble(text);
    case CellType::kBool:
      return SameWord(text, "true") || SameWord(text, "false");
    case CellType::kDate:
      return TakeDate(text) && text.empty();
    case CellType::kTimestamp:
      return IsTimestamp(text);
    case CellType::kText:
      return true;
  }
  return false;
}

CellType TypeOfCell(std::string_view text) {
  // From narrow to wide: a whole number is also a double, a date also a timestamp.
  for (const CellType type : {CellType::kInt64, CellType::kDouble, CellType::kLooseDouble,
                              CellType::kBool, CellType::kDate, CellType::kTimestamp}) {
    if (IsCell(text, type)) return type;
  }
  return CellType::kText;
}

// kNone is the type of a column without values, and yields to every other.
CellType Unite(CellType a, CellType b) {
  if (a == b || b == CellType::kNone) return a;
  if (a == CellType::kNone) return b;
  const auto both = [&](CellType x, CellType y) {
    return (a == x && b == y) || (a == y && b == x);
  };
  const auto number = [](CellType type) {
    return type == CellType::kInt64 || type == CellType::kDouble || type == CellType::kLooseDouble;
  };
  // The only pairs in which one type holds all values of the other. (Whole numbers beyond 2^53 lose
  // digits as doubles; every engine still makes a column of both kinds one of doubles.)
  if (number(a) && number(b)) return std::max(a, b);
  if (both(CellType::kDate, CellType::kTimestamp)) return CellType::kTimestamp;
  return CellType::kText;
}

std::shared_ptr<arrow::DataType> ArrowType(CellType type) {
  switch (type) {
    case CellType::kInt64:
      return arrow::int64();
    case CellType::kDouble:
    case CellType::kLooseDouble:
      return arrow::float64();
    case CellType::kBool:
      return arrow::boolean();
    case CellType::kDate:
      return arrow::date32();
    case CellType::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case CellType::kNone:
    case CellType::kText:
      break;
  }
  return arrow::utf8();
}

CellType CellTypeOf(const arrow::DataType& type) {
  if (arrow::is_integer(type.id())) return CellType::kInt64;
  if (arrow::is_floating(type.id()) || arrow::is_decimal(type.id())) return CellType::kDouble;
  if (type.id() == arrow::Type::BOOL) return CellType::kBool;
  if (type.id() == arrow::Type::DATE32) return CellType::kDate;
  if (type.id() == arrow::Type::TIMESTAMP) return CellType::kTimestamp;
  return CellType::kText;
}

}  // namespace protium
