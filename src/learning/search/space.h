// SPDX-License-Identifier: Apache-2.0
// What to try (ask): the sets of values that a search's options describe. Their results (tell) are
// in trials.h; tpe.h learns from those what to try next.
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

// The number of different sets of values; 0: more than 2^53, or infinite.
int64_t CountCombinations(const Space& space);

// The values that a grid uses of a dimension, in order, each once.
std::vector<Json> GridPoints(const Dimension& dimension);

// The value of a range for a number: within the range; a real one with six significant digits.
Json ValueIn(const Dimension& dimension, double number);

// A number in [0, 1) with 53 bits that depends on nothing else.
double DrawShare(const std::string& path, int64_t seed, int64_t number);

// The value of a dimension in draw `number`. It depends only on seed, number and path, so adding or
// removing another dimension changes nothing. Real numbers have six significant digits.
Json DrawValue(const Dimension& dimension, int64_t seed, int64_t number);

// How many draws a search makes: as many as asked for, or 20. A fault of Exit::kUsage below `path`
// if they are more than 10,000.
Result<int64_t> CountTrials(const SearchOptions& options, const std::string& path);

// Returns the values of every trial of a grid or of random draws, by path, in the order of trials;
// no two are the same. A grid's last dimension changes fastest. There are fewer than asked for if
// the space has no more. Contradictory options are faults of Exit::kUsage below `path`.
Result<std::vector<Json>> ProposeTrials(const SearchOptions& options, const std::string& path);

// "learning_rate 0.01, hidden [64]": the values, each by the last step of its path, for people.
std::string ValuesText(const Json& values);

}  // namespace protium
