// SPDX-License-Identifier: Apache-2.0
// What to try (ask): the sets of values that a search's options stand for. The other side, what
// came of them (tell), is trials.h; a method that learns from earlier trials would read that.
#pragma once

#include <string>
#include <vector>

#include "protium/search.h"

namespace protium {

inline bool IsWhole(Dimension::Kind kind) {
  return kind == Dimension::Kind::kIntUniform || kind == Dimension::Kind::kLogIntUniform;
}
inline bool IsLog(Dimension::Kind kind) {
  return kind == Dimension::Kind::kLogUniform || kind == Dimension::Kind::kLogIntUniform;
}

// The number of different sets of values; 0: more than 2^53, or without end.
int64_t CountCombinations(const Space& space);

// The values of a dimension that a grid takes, in order and each once.
std::vector<Json> GridPoints(const Dimension& dimension);

// The value of draw `number` of a dimension. It depends on the seed, the number and the path alone,
// so another dimension more or less changes nothing. Real numbers have six significant digits.
Json DrawValue(const Dimension& dimension, int64_t seed, int64_t number);

// The values of every trial, by path, in the order of trials; no two are the same. A grid's last
// dimension changes fastest. There are fewer than asked for if the space has no more. Contradicting
// options are faults of Exit::kUsage below `path`.
Result<std::vector<Json>> ProposeTrials(const SearchOptions& options, const std::string& path);

// "learning_rate 0.01, hidden [64]": the values under the last steps of their paths, for people.
std::string ValuesText(const Json& values);

}  // namespace protium
