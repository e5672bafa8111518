// SPDX-License-Identifier: Apache-2.0
// A text read token by token, with edits stored beside the tokens until the whole is written. It
// also remembers where each piece of the new text came from, so that messages can name positions in
// the user's text.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "sql_words/tokens.h"

namespace protium {

// The text that DuckDB is given, and where its parts were in what the user wrote.
struct DuckText {
  std::string text;
  // (offset in `text`, offset in the original), both in bytes, ascending: one where the difference
  // between the two changes.
  std::vector<std::pair<size_t, size_t>> marks;

  // Returns the offset in the original of an offset in `text`. Within a replacement it is counted
  // from the start of the replaced token, so it may lie beyond that token.
  size_t Origin(size_t offset) const;
};

// A cursor over the tokens of a text, and the edits made so far. Tokens are counted from 0, without
// blanks and comments; a position beyond the last is kEnd, so looking ahead needs no check. Skip()
// moves on; Replace() and Surround() may name any token read so far. Used by one thread.
class Spelling {
 public:
  // `sql` outlives it.
  explicit Spelling(const std::string& sql);

  // Refuses (kUsage, with the position) comments, names and texts that are never closed, and
  // characters that begin no token of Spark's. Call it before reading.
  Status Check() const;

  size_t at() const { return at_; }
  void Skip(size_t tokens = 1) { at_ = std::min(at_ + tokens, tokens_.size() - 1); }
  const Token& Peek(size_t ahead = 0) const { return TokenAt(at_ + ahead); }
  const Token& TokenAt(size_t place) const { return tokens_[std::min(place, tokens_.size() - 1)]; }
  bool Is(std::string_view word, size_t ahead = 0) const { return Peek(ahead).Is(word); }
  bool IsOneOf(std::initializer_list<std::string_view> words, size_t ahead = 0) const;
  bool IsKind(Token::Kind kind, size_t ahead = 0) const { return Peek(ahead).kind == kind; }
  std::string_view TokenText(size_t place) const;
  // Whether the token at `place` and the next one touch.
  bool Touches(size_t place) const { return TokenAt(place).end() == TokenAt(place + 1).at; }

  // Writes `text` instead of the tokens from `first` to `last` and everything between them,
  // comments included. A second Replace() of `first` wins.
  void Replace(size_t first, size_t last, std::string text);
  // Writes `before` and `after` around whatever replaces, or will replace, these tokens. Of two
  // calls for the same tokens, the later one is outside.
  void Surround(size_t first, size_t last, std::string_view before, std::string_view after);

  // Makes a fault (kUsage) that names the position of a token.
  Status Refuse(size_t place, std::string what, std::string why = {}, std::string fix = {}) const;

  // Applies all edits. Blanks and comments outside replaced tokens stay, except for comments that
  // DuckDB would end elsewhere than Spark.
  DuckText Write() const;

 private:
  struct Edit {
    std::string before, after;
    std::optional<std::string> instead;
    size_t last = 0;  // The last of the replaced tokens.
  };
  Status Unclosed(const Token& token) const;

  const std::string& sql_;
  std::vector<Token> spaces_, tokens_;
  std::vector<Edit> edits_;
  size_t at_ = 0;
};

}  // namespace protium
