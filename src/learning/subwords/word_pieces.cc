// SPDX-License-Identifier: Apache-2.0
#include "subwords/word_pieces.h"

#include <algorithm>

#include "base/utf8.h"

namespace protium {

WordPieces::WordPieces(const TokenizerSettings& settings)
    : pieces_(settings.pieces),
      continues_(settings.continues),
      longest_word_(settings.longest_word),
      unknown_(settings.pieces.find(settings.unknown)->second) {
  for (const auto& [piece, id] : pieces_) longest_piece_ = std::max(longest_piece_, piece.size());
}

void WordPieces::Append(std::string_view word, int64_t characters,
                        std::vector<int32_t>& ids) const {
  const size_t before = ids.size();
  std::string piece;
  size_t begin = 0;
  while (begin < word.size() && characters <= longest_word_) {
    const std::string_view prefix = begin > 0 ? std::string_view(continues_) : "";
    size_t length = std::min(word.size() - begin, longest_piece_);
    auto found = pieces_.end();
    for (; length > 0 && found == pieces_.end(); --length) {
      const size_t end = begin + length;
      if (end < word.size() && IsContinuation(word[end])) continue;
      piece.assign(prefix).append(word.substr(begin, length));
      found = pieces_.find(piece);
      if (found != pieces_.end()) break;
    }
    if (found == pieces_.end()) break;
    ids.push_back(found->second);
    begin += length;
  }
  if (begin == word.size()) return;
  ids.resize(before);
  ids.push_back(unknown_);
}

}  // namespace protium
