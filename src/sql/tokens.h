// SPDX-License-Identifier: Apache-2.0
// Spark's SQL as tokens, as Spark 4.2 tells them apart. Never fails: what no token begins with is a
// token of its own, and what is never closed reaches to the end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

struct Token {
  enum class Kind {
    kSpace,    // Blanks and comments. Comments nest, but for hints: /*+ ... */.
    kText,     // 'it''s', r'\d', R"a'b"
    kName,     // "a b", `a b`
    kNumber,   // 1, .5, 1e3, 1.5BD
    kWord,     // Also what begins with a digit and is no number: 1_000.
    kSign,     // <=>, (, ::
    kForeign,  // What Spark has no use for: //, $, {.
    kEnd,
  };
  Kind kind = Kind::kEnd;
  size_t at = 0;  // Where it begins in the text, and its length in bytes.
  size_t size = 0;
  bool closed = true;
  std::string word = {};  // A word in capitals, or a sign.

  bool Is(std::string_view text) const { return word == text; }
  size_t end() const { return at + size; }
};

// Every byte belongs to one token; the last one is kEnd.
std::vector<Token> Tokenize(std::string_view sql);

// Whether a word goes on with it. Bytes beyond ASCII count: they are parts of letters in UTF-8.
bool IsWordLetter(char c);

// ASCII letters in capitals, as keywords are compared.
std::string Capitals(std::string_view text);

}  // namespace protium
