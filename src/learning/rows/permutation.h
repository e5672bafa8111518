// SPDX-License-Identifier: Apache-2.0
// The order in which an epoch visits the rows of a shard, and where its steps begin and end. Pure
// arithmetic. docs/rows.md describes it for other implementations, and tests check it against that
// page; a change here changes the weights of every training.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace protium {

// (seed, epoch, shard, position) -> row; stateless and cheap to create. A permutation of [0, rows).
class Permutation {
 public:
  Permutation(int64_t seed, int64_t epoch, int32_t shard, int64_t rows);
  int64_t At(int64_t position) const;     // 0 <= position < rows().
  int64_t PositionOf(int64_t row) const;  // The position p with At(p) == row; 0 <= row < rows().
  int64_t rows() const { return rows_; }

 private:
  static constexpr int kRounds = 6;
  static constexpr int kFew = 32;
  void Shuffle(uint64_t state);

  int64_t rows_;
  uint64_t left_;
  uint64_t right_;
  std::array<uint64_t, kRounds> keys_;
  std::array<uint8_t, kFew> few_;
};

// Positions of shard `shard` at step `step` of an epoch: floor(n*k*B/N) to floor(n*(k+1)*B/N),
// where n is its rows, N all rows, B the batch size; the last step ends at n. Computed in 128 bits.
struct Positions {
  int64_t begin = 0;
  int64_t end = 0;
};
Positions StepPositions(int64_t shard_rows, int64_t total_rows, int64_t batch_size, int64_t step);
int64_t StepsPerEpoch(int64_t total_rows, int64_t batch_size);

// Contiguous ownership: of n ranks rank r owns floor(r*shards/n) up to floor((r+1)*shards/n). The
// last `servers` of the world own none and do not count.
std::vector<int32_t> ShardOwners(int32_t shards, int32_t world, int32_t servers = 0);

}  // namespace protium
