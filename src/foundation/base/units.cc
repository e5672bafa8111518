// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "protium/fields.h"

namespace protium {
namespace {

// Reads the number that the text begins with, and returns what follows it and blanks. Without a
// number that fits, `number` stays as it is.
template <class Number>
std::string_view UnitBehind(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  std::string_view unit(read.ptr, size_t(end - read.ptr));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  return unit;
}

}  // namespace

std::string BytesText(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} byte{}", bytes, bytes == 1 ? "" : "s");
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  // Otherwise 1023.97 MiB would be written as 1024 MiB.
  for (bytes /= 1024; bytes >= 1023.95 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  const double tenths = std::round(bytes * 10) / 10;
  const bool whole = tenths >= 100 || tenths == std::floor(tenths);
  return fmt::format("{:.{}f} {}", bytes, whole ? 0 : 1, kUnits[unit]);
}

// Decimal and binary units as written; below 10^15 bytes, which any double represents exactly.
Result<int64_t> ReadBytes(const std::string& text) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1},        {"B", 1},          {"KB", 1e3},          {"MB", 1e6}, {"GB", 1e9},
      {"KiB", 1024.}, {"MiB", 1048576.}, {"GiB", 1073741824.}, {"TB", 1e12}};
  double number = 0;
  const std::string_view unit = UnitBehind(text, number);
  for (const auto& [name, factor] : kUnits) {
    if (unit == name && number > 0 && number * factor < 1e15) return int64_t(number * factor);
  }
  return Status::Invalid("not a size: ", text);
}

Result<int64_t> SizeAt(const std::string& path, const std::string& text) {
  if (text.empty()) return 0;
  const Result<int64_t> bytes = ReadBytes(text);
  return bytes.ok() ? bytes : fields::Refuse(path, "a size such as \"4 GiB\"", text);
}

std::optional<int64_t> MicrosOf(std::string_view text) {
  int64_t number = -1;
  const std::string_view unit = UnitBehind(text, number);
  if (number < 0) return {};
  constexpr int64_t kSecond = 1'000'000, kMostDays = 365'000;
  static constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"s", kSecond},          {"second", kSecond},       {"seconds", kSecond},
      {"min", 60 * kSecond},   {"minute", 60 * kSecond},  {"minutes", 60 * kSecond},
      {"h", 3600 * kSecond},   {"hour", 3600 * kSecond},  {"hours", 3600 * kSecond},
      {"d", 86'400 * kSecond}, {"day", 86'400 * kSecond}, {"days", 86'400 * kSecond}};
  for (const auto& [name, micros] : kUnits) {
    if (unit != name) continue;
    if (number > kMostDays * 86'400 * kSecond / micros) return {};
    return number * micros;
  }
  return {};
}

}  // namespace protium
