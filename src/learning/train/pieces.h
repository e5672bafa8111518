// SPDX-License-Identifier: Apache-2.0
// Which piece of work a worker takes next in the mode "server" (server_round.h). A piece is one
// shard's part of one step. Pure: starts nothing, reads no clock.
//
// 1. Pieces are taken in the order of their steps, by whoever asks: a slow worker takes fewer.
// 2. A piece of step k is not begun while one of a step before k - staleness is not done.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "protium/training.h"

namespace protium {

struct Piece {
  int64_t step = 0;
  int32_t shard = 0;
};

// The pieces of the steps [first, first + steps).
class Pieces {
 public:
  Pieces(int64_t first, int64_t steps, int32_t shards, Staleness staleness)
      : first_(first),
        end_(first + steps),
        shards_(shards),
        staleness_(staleness),
        oldest_(first) {}

  // The next piece, for a worker that begins it now; none while it would be too far ahead, or when
  // all are taken.
  std::optional<Piece> Take();
  void Done(const Piece& piece);
  // No step begins any more that has not begun, but for the first one.
  void Close();
  bool taken() const { return next_ == (end_ - first_) * shards_; }
  bool done() const { return oldest_ == end_; }
  int64_t steps() const { return end_ - first_; }          // Fewer once it is closed.
  int64_t steps_done() const { return oldest_ - first_; }  // With all steps before them.
  // By how many steps a piece was ahead of the oldest step that was not done when it was taken.
  int64_t most_ahead() const { return most_ahead_; }

 private:
  int64_t first_;
  int64_t end_;
  int64_t shards_;
  Staleness staleness_;
  int64_t next_ = 0;          // Pieces that have been taken.
  int64_t oldest_;            // The first step that is not done.
  std::deque<int32_t> done_;  // Pieces of the steps from `oldest_` on.
  int64_t most_ahead_ = 0;
};

}  // namespace protium
