// SPDX-License-Identifier: Apache-2.0
// Words cut to the longest pieces that a vocabulary has, from the left (BERT's WordPiece).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "subwords/settings.h"

namespace protium {

// Immutable.
class WordPieces {
 public:
  // settings.unknown is one of the pieces.
  explicit WordPieces(const TokenizerSettings& settings);
  // Appends the ids of a word's pieces; a word that the vocabulary cannot make is unknown as a
  // whole.
  void Append(std::string_view word, int64_t characters, std::vector<int32_t>& ids) const;

 private:
  PieceIds pieces_;
  std::string continues_;
  int64_t longest_word_;
  size_t longest_piece_ = 0;  // Bytes.
  int32_t unknown_;
};

}  // namespace protium
