// SPDX-License-Identifier: Apache-2.0
// Words cut to bytes, which are joined pair by pair as a list of merges says (byte-level byte pair
// encoding, as GPT-2's; Sennrich and others, 2016).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "subwords/settings.h"

namespace protium {

// Immutable.
class BytePairs {
 public:
  // Fails with Exit::kInput for merges of pieces that the vocabulary lacks, and for one without all
  // bytes.
  static Result<BytePairs> Make(const TokenizerSettings& settings);
  // Appends the ids of a word's pieces. Takes time n log n in its bytes.
  void Append(std::string_view word, std::vector<int32_t>& ids) const;

 private:
  struct Merge {
    int32_t rank;  // The lowest is merged first.
    int32_t into;
  };
  BytePairs() = default;
  const Merge* MergeOf(int32_t left, int32_t right) const;

  std::array<int32_t, 256> bytes_{};  // The id of each byte.
  std::unordered_map<uint64_t, Merge> merges_;
  PieceIds whole_;  // Words that are not cut.
};

}  // namespace protium
