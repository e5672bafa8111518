// SPDX-License-Identifier: Apache-2.0
#include "java/decimal_format.h"

#include <algorithm>

namespace protium {
namespace {

constexpr std::string_view kParts = "#0,.";
constexpr std::string_view kElsewhere = "#0,.%;'-";

// Whether Java would interpret the text beside the number as more than plain text.
bool HoldsMore(const std::string& text) {
  return text.find_first_of(kElsewhere) != std::string::npos ||
         text.find("‰") != std::string::npos || text.find("¤") != std::string::npos;
}

// What the middle of a pattern contains, as DecimalFormat counts it.
struct Counts {
  int left = 0, zeros = 0, right = 0;  // # before the first 0, 0, # behind the last 0.
  int point = -1;                      // Digits before the point.
  int group = -1;                      // Digits behind the last comma.

  bool Add(char c) {
    if (c == ',') {
      group = 0;
      return true;
    }
    if (c == '.') {
      if (point >= 0) return false;
      point = left + zeros + right;
      return true;
    }
    if (c == '0' && right > 0) return false;
    int& count = c == '0' ? zeros : zeros > 0 ? right : left;
    ++count;
    if (group >= 0 && point < 0) ++group;
    return true;
  }

  // If there are only # on both sides of the point, the one before it is always written.
  void PlaceZero() {
    if (zeros > 0 || left == 0 || point < 0) return;
    const int whole = std::max(point, 1);
    right = left - whole;
    left = whole - 1;
    zeros = 1;
  }

  bool good() const {
    return (point >= 0 || right == 0) && group != 0 &&
           (point < 0 || (point >= left && point <= left + zeros));
  }
};

}  // namespace

std::optional<DecimalFormat> ReadDecimalFormat(std::string_view pattern) {
  if (pattern.empty()) pattern = "#,##0";
  const size_t begin = std::min(pattern.find_first_of(kParts), pattern.size());
  const size_t end = std::min(pattern.find_first_not_of(kParts, begin), pattern.size());
  DecimalFormat read{.before = std::string(pattern.substr(0, begin)),
                     .after = std::string(pattern.substr(end))};
  if (HoldsMore(read.before) || HoldsMore(read.after) || read.after.starts_with('E')) {
    return std::nullopt;
  }
  Counts counts;
  for (const char c : pattern.substr(begin, end - begin)) {
    if (!counts.Add(c)) return std::nullopt;
  }
  counts.PlaceZero();
  if (!counts.good()) return std::nullopt;
  const int point = counts.point < 0 ? counts.left + counts.zeros : counts.point;
  read.least_whole = point - counts.left;
  read.least_fraction = counts.left + counts.zeros - point;
  read.most_fraction = read.least_fraction + counts.right;
  read.group = std::max(counts.group, 0);
  return read;
}

std::string WriteByPattern(const DecimalFormat& pattern, std::string_view number) {
  const bool minus = number.starts_with('-');
  if (minus) number.remove_prefix(1);
  const size_t point = std::min(number.find('.'), number.size());
  std::string whole(number.substr(0, point));
  std::string fraction(number.substr(std::min(point + 1, number.size())));
  const auto least = static_cast<size_t>(pattern.least_fraction);
  while (fraction.size() > least && fraction.back() == '0') fraction.pop_back();
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  const auto least_whole = static_cast<size_t>(pattern.least_whole);
  if (whole.size() < least_whole) whole.insert(0, least_whole - whole.size(), '0');
  if (whole.empty() && fraction.empty()) whole = "0";
  const auto group = static_cast<size_t>(pattern.group);
  for (size_t at = whole.size(); group > 0 && at > group; at -= group) {
    whole.insert(at - group, ",");
  }
  std::string text = (minus ? "-" : "") + pattern.before + whole;
  if (!fraction.empty()) text += "." + fraction;
  return text + pattern.after;
}

}  // namespace protium
