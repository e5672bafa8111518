// SPDX-License-Identifier: Apache-2.0
// A bag of (score, label, weight) of many rows, for what depends on the order of scores: rankings,
// thresholds, calibration. Parts merge in any order to the same bag, and loops over it run in one
// fixed order, so sums in double are the same to the last bit.
#pragma once

#include <bit>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Rows with the same score, label and weight.
struct Ranked {
  uint32_t score = 0;  // OrderedBits() of a float32.
  bool positive = false;
  uint32_t weight = 0;  // Bits of a float32.
  int64_t rows = 0;

  double value() const;  // The score.
  auto Key() const { return std::tie(score, positive, weight); }
  double total() const { return double(std::bit_cast<float>(weight)) * double(rows); }
};

// One thread. Holds one entry for rows that agree in score, label and weight, so the bag stays
// small if a net has few inputs.
class ScoreBag {
 public:
  // Scores and weights are stored as float32.
  void Add(double score, bool positive, double weight);
  // Returns the same text for bags of the same rows.
  Json ToJson() const;
  Status Merge(const Json& json);
  // Ascending by score, then label, then weight, without equal entries.
  std::vector<Ranked> Sorted() const;

 private:
  // Sorts what was added since, and merges equal rows; done when the bag has doubled.
  void Shrink();

  std::vector<Ranked> ranked_;
  size_t sorted_ = 0;  // As many at the front are as Sorted() returns them.
  size_t most_ = 1 << 16;
};

// Calls `each(score, positive weight, negative weight)` for each score of a sorted bag, in the
// order of the iterators.
template <class Iterator, class Each>
void ForScores(Iterator at, Iterator end, Each each) {
  while (at != end) {
    const uint32_t score = at->score;
    const double value = at->value();
    double sides[2] = {0, 0};
    for (; at != end && at->score == score; ++at) sides[at->positive ? 1 : 0] += at->total();
    each(value, sides[1], sides[0]);
  }
}

}  // namespace protium
