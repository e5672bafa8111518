// SPDX-License-Identifier: Apache-2.0
#include "sql_text/interval_literal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace protium {
namespace {

struct Unit {
  std::string_view name;
  char before;   // What separates the unit from the one before it.
  int64_t most;  // The largest number of the unit behind another one.
};
constexpr std::array<Unit, 6> kUnits = {{{"YEAR", 0, 0},
                                         {"MONTH", '-', 11},
                                         {"DAY", 0, 0},
                                         {"HOUR", ' ', 23},
                                         {"MINUTE", ':', 59},
                                         {"SECOND", ':', 59}}};

size_t FindUnit(std::string_view name) {
  return static_cast<size_t>(std::ranges::find(kUnits, name, &Unit::name) - kUnits.begin());
}

// Takes digits off the front, at most two of them behind another unit.
std::optional<int64_t> TakeNumber(std::string_view& text, bool leads) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + digits, number);
  if (digits == 0 || read.ec != std::errc() || (!leads && digits > 2)) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

// Takes the fraction of a second off the front, as microseconds; digits beyond those are cut off.
std::optional<int64_t> TakeMicros(std::string_view& text) {
  if (!text.starts_with('.')) return 0;
  text.remove_prefix(1);
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 9) return std::nullopt;
  std::string micros(text.substr(0, std::min<size_t>(digits, 6)));
  micros.resize(6, '0');
  text.remove_prefix(digits);
  return std::stoll(micros);
}

void Add(std::string& spelt, bool negative, int64_t number, std::string_view unit) {
  if (!spelt.empty()) spelt += ' ';
  if (negative) spelt += '-';
  spelt += std::to_string(number) + ' ' + std::string(unit);
}

}  // namespace

std::optional<std::string> DuckInterval(std::string_view text, std::string_view first,
                                        std::string_view last, bool negative) {
  const size_t from = FindUnit(first), to = FindUnit(last);
  if (from >= to || to == kUnits.size() || (from < 2) != (to < 2)) return std::nullopt;
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.starts_with('-')) negative = !negative;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::string spelt;
  for (size_t i = from; i <= to; ++i) {
    if (i > from && !text.starts_with(kUnits[i].before)) return std::nullopt;
    if (i > from) text.remove_prefix(1);
    const auto number = TakeNumber(text, i == from);
    if (!number || (i > from && *number > kUnits[i].most)) return std::nullopt;
    Add(spelt, negative, *number, kUnits[i].name);
    if (kUnits[i].name != "SECOND") continue;
    const auto micros = TakeMicros(text);
    if (!micros) return std::nullopt;
    if (*micros > 0) Add(spelt, negative, *micros, "MICROSECOND");
  }
  return text.empty() ? std::optional(spelt) : std::nullopt;
}

}  // namespace protium
