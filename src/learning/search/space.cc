// SPDX-License-Identifier: Apache-2.0
#include "search/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "base/splitmix.h"
#include "base/strict_math.h"

namespace protium {
namespace {

using Kind = Dimension::Kind;

// More trials than anybody waits for; this also bounds the memory for a grid's list.
constexpr int64_t kMostTrials = 10000;
// How many trials a random search makes by default.
constexpr int64_t kUsualTrials = 20;
// After so many consecutive draws of known values, even a large space counts as used up.
constexpr int64_t kVainDraws = 1000;

// Returns the number between low and high at `share` of the way, on a logarithmic scale or not.
// StrictLog and StrictExpm1 have the same bits everywhere, unlike those of the C library.
double Between(double low, double high, bool log, double share) {
  if (!log) return low + share * (high - low);
  return low + low * StrictExpm1(share * StrictLog(high / low));
}

// Six significant digits: values that people can read and write back.
double Rounded(double value) {
  const std::string text = fmt::format("{:.5e}", value);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// 64 bits that depend only on the path.
uint64_t KeyOf(const std::string& path) {
  const std::string digits = Md5Hex(path).substr(0, 16);
  uint64_t key = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), key, 16);
  return key;
}

Status GridFault(const std::string& path, std::string what, std::string fix) {
  return Fail(
      {.exit = Exit::kUsage, .what = std::move(what), .where = path, .fix = std::move(fix)});
}

// Returns combination `number` of the grid whose last dimension changes fastest.
Json Combination(const Space& space, const std::vector<std::vector<Json>>& points, int64_t number) {
  Json values = Json::object();
  for (const Dimension& dimension : space) values[dimension.path] = nullptr;
  for (size_t i = space.size(); i-- > 0;) {
    const auto size = int64_t(points[i].size());
    values[space[i].path] = points[i][size_t(number % size)];
    number /= size;
  }
  return values;
}

Result<std::vector<Json>> WholeGrid(const SearchOptions& options, const std::string& path) {
  std::vector<std::vector<Json>> points;
  int64_t all = 1;
  for (const Dimension& dimension : options.space) {
    if (dimension.kind != Kind::kChoice && dimension.points == 0) {
      return GridFault(path + ".space." + dimension.path,
                       "a grid needs to know how many values of " + dimension.path + " to try",
                       "add  points = 5  or list the values");
    }
    points.push_back(GridPoints(dimension));
    all *= int64_t(points.back().size());
    if (all <= kMostTrials) continue;
    return GridFault(path + ".space", fmt::format("the grid has more than {} trials", kMostTrials),
                     "try fewer values, or  method = \"random\"");
  }
  if (options.trials > 0 && options.trials < all) {
    return GridFault(path + ".trials",
                     fmt::format("the grid has {} trials, and trials = {}", all, options.trials),
                     "leave trials out, or set  method = \"random\"");
  }
  std::vector<Json> trials;
  for (int64_t i = 0; i < all; ++i) trials.push_back(Combination(options.space, points, i));
  return trials;
}

// The first draws take what is given. A space of choices with no more combinations than trials is
// tried completely: drawing would find the last ones only late.
std::vector<Json> DrawTrials(const SearchOptions& options, int64_t wanted) {
  const int64_t all = CountCombinations(options.space);
  std::vector<Json> trials;
  std::set<std::string> known;
  const auto enough = [&] {
    const auto made = int64_t(trials.size());
    return made == wanted || (all > 0 && made == all);
  };
  int64_t vain = 0;
  for (int64_t number = 0; !enough() && vain < kVainDraws; ++number) {
    Json values = Json::object();
    for (const Dimension& each : options.space) {
      values[each.path] = DrawValue(each, options.seed, number);
    }
    if (size_t(number) < options.first.size()) values.update(options.first[size_t(number)]);
    const bool fresh = known.insert(Dump(values)).second;
    vain = fresh ? 0 : vain + 1;
    if (fresh) trials.push_back(std::move(values));
  }
  return trials;
}

}  // namespace

Dimension OneOf(std::string path, std::vector<Json> choices) {
  return {.path = std::move(path), .choices = std::move(choices)};
}
Dimension Uniform(std::string path, double low, double high, int64_t points) {
  return {std::move(path), Kind::kUniform, {}, low, high, points};
}
Dimension LogUniform(std::string path, double low, double high, int64_t points) {
  return {std::move(path), Kind::kLogUniform, {}, low, high, points};
}
Dimension IntUniform(std::string path, int64_t low, int64_t high, int64_t points) {
  return {std::move(path), Kind::kIntUniform, {}, double(low), double(high), points};
}
Dimension LogIntUniform(std::string path, int64_t low, int64_t high, int64_t points) {
  return {std::move(path), Kind::kLogIntUniform, {}, double(low), double(high), points};
}

int64_t CountCombinations(const Space& space) {
  double all = 1;
  for (const Dimension& each : space) {
    if (each.kind == Kind::kChoice) {
      all *= double(GridPoints(each).size());
    } else if (IsWhole(each.kind)) {
      all *= each.high - each.low + 1;
    } else if (each.low < each.high) {
      return 0;
    }
  }
  return all < 0x1p53 ? int64_t(all) : 0;
}

Json ValueIn(const Dimension& dimension, double number) {
  if (IsWhole(dimension.kind)) {
    return int64_t(std::clamp(std::round(number), dimension.low, dimension.high));
  }
  return std::clamp(Rounded(number), dimension.low, dimension.high);
}

double DrawShare(const std::string& path, int64_t seed, int64_t number) {
  uint64_t state = SplitMix(uint64_t(seed) + kSplitMixStep);
  state = SplitMix(state ^ KeyOf(path));
  state = SplitMix(state ^ (uint64_t(number) * kSplitMixStep));
  return double(state >> 11) * 0x1p-53;
}

std::vector<Json> GridPoints(const Dimension& dimension) {
  std::vector<Json> points;
  const auto add = [&](Json point) {
    if (std::find(points.begin(), points.end(), point) == points.end()) points.push_back(point);
  };
  for (const Json& choice : dimension.choices) add(choice);
  if (dimension.kind == Kind::kChoice) return points;
  for (int64_t i = 0; i < dimension.points; ++i) {
    const double share = dimension.points > 1 ? double(i) / double(dimension.points - 1) : 0;
    const double at = Between(dimension.low, dimension.high, IsLog(dimension.kind), share);
    add(ValueIn(dimension, at));
  }
  return points;
}

Json DrawValue(const Dimension& dimension, int64_t seed, int64_t number) {
  const double share = DrawShare(dimension.path, seed, number);
  if (dimension.kind == Kind::kChoice) {
    return dimension.choices[size_t(share * double(dimension.choices.size()))];
  }
  const bool whole = IsWhole(dimension.kind);
  // Whole numbers are drawn below high + 1 and truncated, so that each has an equal part of the
  // range.
  const double high = whole ? dimension.high + 1 : dimension.high;
  const double drawn = Between(dimension.low, high, IsLog(dimension.kind), share);
  return ValueIn(dimension, whole ? std::min(std::floor(drawn), dimension.high) : drawn);
}

Result<int64_t> CountTrials(const SearchOptions& options, const std::string& path) {
  if (options.trials > kMostTrials) {
    return GridFault(path + ".trials",
                     fmt::format("trials = {} is more than {}", options.trials, kMostTrials),
                     "set fewer trials");
  }
  return options.trials > 0 ? options.trials : kUsualTrials;
}

Result<std::vector<Json>> ProposeTrials(const SearchOptions& options, const std::string& path) {
  PT_LET(const int64_t wanted, CountTrials(options, path));
  if (options.space.empty()) return std::vector<Json>{Json::object()};
  if (options.method == SearchMethod::kGrid) return WholeGrid(options, path);
  return DrawTrials(options, wanted);
}

std::string ValuesText(const Json& values) {
  std::string text;
  for (const auto& [path, value] : values.items()) {
    const size_t dot = path.rfind('.');
    text += (text.empty() ? "" : ", ") + path.substr(dot == path.npos ? 0 : dot + 1) + " " +
            (value.is_string() ? value.get<std::string>() : Dump(value));
  }
  return text;
}

}  // namespace protium
