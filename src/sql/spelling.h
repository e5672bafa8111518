// SPDX-License-Identifier: Apache-2.0
// A text read token by token, beside what is to stand in the place of its tokens.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "sql/tokens.h"

namespace protium {

// What DuckDB is given, and where each part of it stood in what the user wrote.
struct DuckText {
  std::string text;
  // (offset in `text`, offset in the original), ascending: where the two run apart.
  std::vector<std::pair<size_t, size_t>> marks;

  // The offset in the original of an offset in `text`.
  size_t Origin(size_t offset) const;
};

// Tokens are counted without blanks and comments. Places beyond the end hold kEnd.
// Reading and editing go together: Skip() moves on, Replace() and Surround() may name any token
// that was read. One thread.
class Spelling {
 public:
  // `sql` outlives it.
  explicit Spelling(const std::string& sql);

  // Refuses (kUsage) what is never closed and what Spark has no use for.
  Status Check() const;

  size_t at() const { return at_; }
  void Skip(size_t tokens = 1) { at_ = std::min(at_ + tokens, tokens_.size() - 1); }
  const Token& Peek(size_t ahead = 0) const { return TokenAt(at_ + ahead); }
  const Token& TokenAt(size_t place) const { return tokens_[std::min(place, tokens_.size() - 1)]; }
  bool Is(std::string_view word, size_t ahead = 0) const { return Peek(ahead).Is(word); }
  bool IsOneOf(std::initializer_list<std::string_view> words, size_t ahead = 0) const;
  bool IsKind(Token::Kind kind, size_t ahead = 0) const { return Peek(ahead).kind == kind; }
  std::string_view TokenText(size_t place) const;
  // Whether nothing, no blank either, is between the token at `place` and the next one.
  bool Touches(size_t place) const { return TokenAt(place).end() == TokenAt(place + 1).at; }

  // Puts `text` in the place of the tokens from `first` to `last`, with all between them.
  void Replace(size_t first, size_t last, std::string text);
  // Puts `text` around all that stands or will stand in the place of these tokens.
  void Surround(size_t first, size_t last, std::string_view before, std::string_view after);

  // A fault (kUsage) at the token at `place`.
  Status Refuse(size_t place, std::string what, std::string why = {}, std::string fix = {}) const;

  DuckText Write() const;

 private:
  struct Edit {
    std::string before, after;
    std::optional<std::string> instead;
    size_t last = 0;  // Of the tokens replaced.
  };
  Status Unclosed(const Token& token) const;

  const std::string& sql_;
  std::vector<Token> spaces_, tokens_;
  std::vector<Edit> edits_;
  size_t at_ = 0;
};

}  // namespace protium
