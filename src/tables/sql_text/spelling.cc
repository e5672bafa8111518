// SPDX-License-Identifier: Apache-2.0
// Edits are stored beside their tokens and applied once, in Write(). A reader can therefore enclose
// in parentheses what it has read, whatever was edited within, and no edit moves the positions of
// others.
#include "sql_text/spelling.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "sql_text/place.h"

namespace protium {
namespace {

using Kind = Token::Kind;

bool AllAre(std::string_view letters, char a, char b) {
  return letters.find(a) != std::string_view::npos && letters.find(b) != std::string_view::npos;
}

// Whether DuckDB would read two adjacent characters as one token: letters of a word, or signs of an
// operator, which PostgreSQL's lexer lets users define at any length.
bool Merge(char a, char b) {
  return (IsWordLetter(a) && IsWordLetter(b)) || AllAre("+-*/<>=~!@#%^&|`?", a, b);
}

// Comments that DuckDB would end elsewhere become blanks: it does not nest /* */, and a backslash
// does not continue its -- comments. Line breaks stay, so that line numbers do not change.
std::string PlainSpace(std::string_view space) {
  const bool comment = space.starts_with("--") || space.starts_with("/*");
  const bool odd = comment && (space.substr(1).find("/*") != std::string_view::npos ||
                               space.find("\\\n") != std::string_view::npos);
  if (!odd) return std::string(space);
  std::string lines(static_cast<size_t>(std::count(space.begin(), space.end(), '\n')), '\n');
  return lines.empty() ? " " : lines;
}

// What Spark has instead of a sign that it lacks.
std::string InsteadOf(std::string_view sign) {
  if (sign == "//") return "use a DIV b";
  if (sign == "**") return "use power(a, b)";
  if (sign == "{") return "use named_struct('a', 1), or map('a', 1)";
  return sign == "@" ? "use abs(a)" : "";
}

// Builds the new text piece by piece, with a mark wherever a piece does not follow the previous one
// in the original.
class Pieces {
 public:
  void Add(std::string_view piece, size_t origin) {
    if (piece.empty()) return;
    if (!out_.text.empty() && Merge(out_.text.back(), piece.front())) out_.text += ' ';
    const auto& marks = out_.marks;
    const size_t expected = marks.empty()
                                ? out_.text.size()
                                : out_.text.size() - marks.back().first + marks.back().second;
    if (origin != expected) out_.marks.emplace_back(out_.text.size(), origin);
    out_.text += piece;
  }
  DuckText Done() { return std::move(out_); }

 private:
  DuckText out_;
};

}  // namespace

size_t DuckText::Origin(size_t offset) const {
  size_t here = 0, there = 0;
  for (const auto& [at, origin] : marks) {
    if (at > offset) break;
    here = at;
    there = origin;
  }
  return there + (offset - here);
}

Spelling::Spelling(const std::string& sql) : sql_(sql) {
  for (Token& token : Tokenize(sql)) {
    (token.kind == Kind::kSpace ? spaces_ : tokens_).push_back(std::move(token));
  }
  edits_.resize(tokens_.size());
}

Status Spelling::Check() const {
  for (const auto* all : {&spaces_, &tokens_}) {
    for (const Token& token : *all) {
      if (!token.closed) return Unclosed(token);
    }
  }
  for (size_t place = 0; place < tokens_.size(); ++place) {
    if (tokens_[place].kind != Kind::kForeign) continue;
    const std::string& sign = tokens_[place].word;
    return Refuse(place, fmt::format("\"{}\" is not the same on every engine", sign),
                  "Spark does not have it", InsteadOf(sign));
  }
  return Status::OK();
}

Status Spelling::Unclosed(const Token& token) const {
  const std::string_view what = token.kind == Kind::kSpace  ? "comment"
                                : token.kind == Kind::kName ? "name in quotes"
                                                            : "text in quotes";
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("a {} is never closed", what),
               .where = PlaceIn(sql_, token.at)});
}

bool Spelling::IsOneOf(std::initializer_list<std::string_view> words, size_t ahead) const {
  return std::find(words.begin(), words.end(), Peek(ahead).word) != words.end();
}

std::string_view Spelling::TokenText(size_t place) const {
  return std::string_view(sql_).substr(TokenAt(place).at, TokenAt(place).size);
}

void Spelling::Replace(size_t first, size_t last, std::string text) {
  edits_[first].instead = std::move(text);
  edits_[first].last = last;
}

void Spelling::Surround(size_t first, size_t last, std::string_view before,
                        std::string_view after) {
  edits_[first].before.insert(0, before);
  edits_[last].after += after;
}

Status Spelling::Refuse(size_t place, std::string what, std::string why, std::string fix) const {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = PlaceIn(sql_, TokenAt(place).at),
               .why = std::move(why),
               .fix = std::move(fix)});
}

DuckText Spelling::Write() const {
  Pieces pieces;
  auto space = spaces_.begin();
  for (size_t place = 0; place < tokens_.size(); ++place) {
    const Token& token = tokens_[place];
    for (; space != spaces_.end() && space->at < token.at; ++space) {
      pieces.Add(PlainSpace(std::string_view(sql_).substr(space->at, space->size)), space->at);
    }
    const Edit& edit = edits_[place];
    pieces.Add(edit.before, token.at);
    pieces.Add(edit.instead ? std::string_view(*edit.instead) : TokenText(place), token.at);
    if (edit.instead) place = edit.last;
    const size_t end = tokens_[place].end();
    pieces.Add(edits_[place].after, end);
    while (space != spaces_.end() && space->at < end) ++space;
  }
  return pieces.Done();
}

}  // namespace protium
