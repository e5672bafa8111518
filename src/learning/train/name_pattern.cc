// SPDX-License-Identifier: Apache-2.0
#include "train/name_pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/fault.h"
#include "tensor/norm_statistics.h"

namespace protium {

// Each * first matches as little as possible; when the rest does not match, the last * takes one
// more character. Returning to the last * suffices: what an earlier one could take, the last one
// can take as well. So it needs at most pattern times name comparisons.
bool FitsPattern(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = pattern.npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<std::vector<size_t>> FindByPattern(const std::string& pattern,
                                          const std::vector<Variable>& parameters,
                                          const std::string& where) {
  std::vector<size_t> found;
  std::vector<std::string> names;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (FitsPattern(pattern, parameters[i].name)) found.push_back(i);
    names.push_back(parameters[i].name);
  }
  if (!found.empty()) return found;
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("no parameter of the net is called \"{}\"", pattern),
               .where = where,
               .fix = fmt::format("there are {}", fmt::join(names, ", "))});
}

bool NamesStatistics(const std::string& pattern, const std::vector<Variable>& parameters,
                     const std::vector<Variable>& buffers) {
  const auto fits = [&](const Variable& each) { return FitsPattern(pattern, each.name); };
  return std::ranges::none_of(parameters, fits) &&
         std::ranges::any_of(
             buffers, [&](const Variable& each) { return IsStatistic(each.name) && fits(each); });
}

}  // namespace protium
