// SPDX-License-Identifier: Apache-2.0
#include "train/pieces.h"

#include <algorithm>

#include "base/status.h"

namespace protium {

std::optional<Piece> Pieces::Take() {
  if (taken()) return std::nullopt;
  const Piece piece{first_ + next_ / shards_, int32_t(next_ % shards_)};
  const int64_t ahead = piece.step - oldest_;
  if (staleness_.bounded() && ahead > staleness_.steps) return std::nullopt;
  most_ahead_ = std::max(most_ahead_, ahead);
  ++next_;
  return piece;
}

void Pieces::Done(const Piece& piece) {
  const auto at = size_t(piece.step - oldest_);
  PT_CHECK(piece.step >= oldest_ && piece.step < end_);
  if (done_.size() <= at) done_.resize(at + 1, 0);
  ++done_[at];
  while (!done_.empty() && done_.front() == shards_) {
    done_.pop_front();
    ++oldest_;
  }
}

void Pieces::Close() {
  const int64_t begun = std::max<int64_t>(1, (next_ + shards_ - 1) / shards_);
  end_ = std::min(end_, first_ + begun);
}

}  // namespace protium
