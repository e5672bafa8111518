// SPDX-License-Identifier: Apache-2.0
// What a tokenizer does, as its file says: a tokenizer.json of Hugging Face's library, or a
// vocab.txt of BERT's, a piece a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"

namespace protium {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
// Pieces of words and their ids.
using PieceIds = std::unordered_map<std::string, int32_t, TextHash, std::equal_to<>>;

// A text that is one token wherever it stands.
struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool strips_left = false, strips_right = false;  // Takes the blanks beside it.
};

struct TokenizerSettings {
  // Before texts are cut: BERT's normalizer.
  bool clean = false, ideographs_apart = false, strip_marks = false, lower_case = false;
  // How texts are cut to words.
  enum class Words { kBlanksAndPunctuation, kBlanks, kBytes, kWhole };
  Words words = Words::kWhole;
  bool add_blank = false;  // Of kBytes: in front of a text.
  // How words are cut to pieces.
  bool byte_pairs = false;  // Else word pieces.
  PieceIds pieces;
  std::vector<std::pair<std::string, std::string>> merges;  // Of byte pairs, the first one first.
  bool whole_words_first = false;                           // Of byte pairs.
  std::string continues = "##";                             // Of word pieces.
  std::string unknown;
  int64_t longest_word = 100;  // Characters; longer ones are unknown.
  // What stands around the pieces of a text.
  std::vector<int32_t> before, after;
  std::vector<AddedToken> added;
  int32_t padding = 0;
};

// `text` is the whole file. Fails with Exit::kInput for what is damaged, and names what is not
// built. `lower_case` is for a vocab.txt, which does not say.
Result<TokenizerSettings> ReadTokenizer(std::string_view text, bool lower_case);

}  // namespace protium
