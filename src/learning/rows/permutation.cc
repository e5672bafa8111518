// SPDX-License-Identifier: Apache-2.0
// 1. The permutation works on pairs (l, r) of [0, left) x [0, right) with left * right >= rows; the
//    row is l * right + r.
// 2. Each round adds to one half a keyed hash of the other, modulo that half's size. Knowing the
//    other half, it can be subtracted again: a bijection, as in any Feistel network, whatever the
//    hash. (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002, is the construction.)
// 3. A result beyond the rows goes through the rounds again ("cycle walking"). Following a
//    bijection from inside [0, rows) until it is inside again is a bijection of [0, rows). As left
//    * right is less than rows + left, few positions take a second walk.
// 4. Up to 32 rows there are too few pairs for a uniform result: a shuffled table is used instead.
#include "rows/permutation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/splitmix.h"

namespace protium {
namespace {

// A number of [0, range) that depends on `half` and `key`; range <= 2^32. It is the upper 32 bits
// of the hash, as a fraction of 2^32, times the range: a multiplication where a modulus would
// divide.
inline uint64_t Keyed(uint64_t half, uint64_t key, uint64_t range) {
  uint64_t h = (half ^ key) * kSplitMixStep;
  h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93;
  return ((h >> 32) * range) >> 32;
}

}  // namespace

Permutation::Permutation(int64_t seed, int64_t epoch, int32_t shard, int64_t rows) : rows_(rows) {
  // std::sqrt is correctly rounded (IEEE 754), and below 2^52 its floor is exact; shards have far
  // fewer rows.
  left_ = std::max<uint64_t>(uint64_t(std::sqrt(double(std::max<int64_t>(rows, 0)))), 1);
  right_ = std::max<uint64_t>((uint64_t(std::max<int64_t>(rows, 0)) + left_ - 1) / left_, 1);
  uint64_t state = SplitMix(uint64_t(seed) + kSplitMixStep);
  state = SplitMix(state ^ (uint64_t(epoch) + 0x3c6ef372fe94f82a));
  state = SplitMix(state ^ (uint64_t(shard) + 0xdaa66d2c7ddf743f));
  for (uint64_t& key : keys_) key = SplitMix(state += kSplitMixStep);
  if (rows <= kFew) Shuffle(state);
}

void Permutation::Shuffle(uint64_t state) {
  std::iota(few_.begin(), few_.end(), uint8_t(0));
  for (int64_t i = rows_ - 1; i > 0; --i) {
    const uint64_t random = SplitMix(state += kSplitMixStep);
    const auto other = size_t(((random >> 32) * uint64_t(i + 1)) >> 32);
    std::swap(few_[size_t(i)], few_[other]);
  }
}

int64_t Permutation::At(int64_t position) const {
  if (rows_ <= kFew) return few_[size_t(position)];
  uint64_t at = uint64_t(position);
  do {
    uint64_t l = at / right_;
    uint64_t r = at - l * right_;
    for (int round = 0; round < kRounds; round += 2) {
      l += Keyed(r, keys_[round], left_);
      // Both are below left_, so one subtraction is the modulus.
      if (l >= left_) l -= left_;
      r += Keyed(l, keys_[round + 1], right_);
      if (r >= right_) r -= right_;
    }
    at = l * right_ + r;
  } while (at >= uint64_t(rows_));
  return int64_t(at);
}

// The rounds backwards, and the walk as well: it reaches the first result within the rows, which is
// where a forward walk began.
int64_t Permutation::PositionOf(int64_t row) const {
  if (rows_ <= kFew) return std::find(few_.begin(), few_.end(), uint8_t(row)) - few_.begin();
  uint64_t at = uint64_t(row);
  do {
    uint64_t l = at / right_;
    uint64_t r = at - l * right_;
    for (int round = kRounds - 2; round >= 0; round -= 2) {
      const uint64_t added_right = Keyed(l, keys_[round + 1], right_);
      r += r < added_right ? right_ - added_right : -added_right;
      const uint64_t added_left = Keyed(r, keys_[round], left_);
      l += l < added_left ? left_ - added_left : -added_left;
    }
    at = l * right_ + r;
  } while (at >= uint64_t(rows_));
  return int64_t(at);
}

}  // namespace protium
