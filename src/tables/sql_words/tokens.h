// SPDX-License-Identifier: Apache-2.0
// Splits Spark's SQL into tokens, by the lexer of Spark 4.2's grammar (SqlBaseLexer.g4). Never
// fails: what begins no token is a token of its own, and what is never closed reaches to the end of
// the text; both are refused later, with their positions (Spelling::Check).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace protium {

// One token. It holds no text: reading it takes the text that was tokenized.
struct Token {
  enum class Kind {
    kSpace,    // Blanks and comments. Comments nest, hints (/*+ ... */) do not.
    kText,     // 'it''s', r'\d', R"a'b"
    kName,     // "a b", `a b`
    kNumber,   // 1, .5, 1e3, 1.5BD
    kWord,     // Also 1_000 and 2nd, which Spark reads as names.
    kSign,     // <=>, (, ::
    kForeign,  // No token of Spark's: //, $, {.
    kEnd,
  };
  Kind kind = Kind::kEnd;
  size_t at = 0;  // Where it begins in the text; in bytes, as is `size`.
  size_t size = 0;
  // False for a comment, name or text whose end is missing.
  bool closed = true;
  std::string word = {};  // A word in capitals, or a sign.

  bool Is(std::string_view text) const { return word == text; }
  size_t end() const { return at + size; }
};

// Every byte belongs to exactly one token; an empty token of kEnd follows the last byte.
std::vector<Token> Tokenize(std::string_view sql);

// Whether a character can be part of a word. Bytes beyond ASCII count: they are parts of letters in
// UTF-8.
bool IsWordLetter(char c);

}  // namespace protium
