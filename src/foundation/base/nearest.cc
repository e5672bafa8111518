// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.h"

#include <algorithm>
#include <cctype>

namespace protium {

namespace {

// Levenshtein's distance, in one row of its table: row[j] is the distance between the part of `a`
// read so far and the first j letters of `b`. Counts in half edits, so that a difference in case
// costs 1 and any other edit 2.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = 2 * j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = 2 * i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      size_t swap = a[i - 1] == b[j - 1] ? 0 : 2;
      if (swap != 0 && std::tolower(a[i - 1]) == std::tolower(b[j - 1])) swap = 1;
      row[j] = std::min({above + 2, row[j - 1] + 2, diagonal + swap});
      diagonal = above;
    }
  }
  return row[b.size()];
}

constexpr size_t kMostColumns = 92;  // Behind "  fix: " in a line of 100.

}  // namespace

std::vector<std::string> Nearest(std::string_view word, std::span<const std::string> known) {
  const size_t limit = 2 * std::max<size_t>(2, word.size() / 3);
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& name : known) {
    // At least as many edits are needed as the lengths differ by.
    const size_t longer = std::max(word.size(), name.size());
    if (2 * (longer - std::min(word.size(), name.size())) > limit) continue;
    const size_t distance = Distance(word, name);
    if (distance <= limit && distance < 2 * name.size()) near.emplace_back(distance, name);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min<size_t>(near.size(), 3); ++i) names.push_back(near[i].second);
  return names;
}

std::string Suggest(std::string_view word, std::span<const std::string> known) {
  const std::vector<std::string> near = Nearest(word, known);
  std::string text;
  for (const std::string& name : near) text += (text.empty() ? "\"" : " or \"") + name + "\"";
  if (!text.empty()) return "did you mean " + text + "?";
  if (known.empty() || known.size() > 12) return {};
  for (const std::string& name : known) text += (text.empty() ? "one of: " : ", ") + name;
  std::string more;
  for (size_t left = known.size(); left > 1 && text.size() + more.size() > kMostColumns;) {
    text.resize(text.rfind(", "));
    left -= 1;
    more = " and " + std::to_string(known.size() - left) + " more";
  }
  return text + more;
}

}  // namespace protium
