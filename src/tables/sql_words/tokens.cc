// SPDX-License-Identifier: Apache-2.0
// A hand-written lexer for SqlBaseLexer.g4. ANTLR takes the longest rule that matches; here the
// rules are tried in an order in which the first match is the longest: blanks and comments, quoted
// texts and names, numbers before words (1e3), words, then signs from the longest on.
#include "sql_words/tokens.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace protium {
namespace {

using Kind = Token::Kind;

// DuckDB's operators that Spark's lexer would split, and Spark's own; longer ones first.
constexpr std::string_view kForeign[] = {"->>", "//", "**", "^@", "@>", "<@", "&&"};
constexpr std::string_view kSigns[] = {"<=>", ">>>", "<=", ">=", "<>", "!=", "!<", "!>",
                                       "==",  "=>",  "<<", ">>", "->", "::", "||", "|>"};
constexpr std::string_view kSingleSigns = "(),.;[]!=<>+-*/%~&|^:?";

// The blanks beyond ASCII that the grammar's rule WS lists.
constexpr std::string_view kWideBlanks[] = {
    "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
    "\u2007", "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

class Scanner {
 public:
  explicit Scanner(std::string_view sql) : sql_(sql) {}

  std::vector<Token> Run() {
    while (at_ < sql_.size()) {
      Token token = Next();
      token.at = at_;
      at_ = token.end();
      tokens_.push_back(std::move(token));
    }
    tokens_.push_back({.at = at_});
    return std::move(tokens_);
  }

 private:
  bool Starts(std::string_view start, size_t at) const {
    return sql_.substr(at).starts_with(start);
  }
  char At(size_t at) const { return at < sql_.size() ? sql_[at] : '\0'; }

  size_t BlankAt(size_t at) const {
    if (std::string_view(" \n\t\r\f\v").find(At(at)) != std::string_view::npos) return 1;
    if (static_cast<unsigned char>(At(at)) < 0x80) return 0;
    const auto* wide = std::find_if(std::begin(kWideBlanks), std::end(kWideBlanks),
                                    [&](std::string_view blank) { return Starts(blank, at); });
    return wide == std::end(kWideBlanks) ? 0 : wide->size();
  }

  Token Next() const {
    if (At(at_) != '\0' && BlankAt(at_) > 0) return {.kind = Kind::kSpace, .size = BlankAt(at_)};
    if (Starts("--", at_)) return LineComment();
    if (Starts("/*", at_)) return Comment();
    // r'...' and R"..." are texts without escapes; no other letter that touches a quote forms a
    // text with it.
    const char c = At(at_), raw = c == 'r' || c == 'R' ? At(at_ + 1) : '\0';
    if (raw == '\'' || raw == '"') return Raw(raw);
    if (c == '\'') return Quoted(Kind::kText, /*escapes=*/true);
    if (c == '"') return Quoted(Kind::kName, /*escapes=*/true);
    if (c == '`') return Quoted(Kind::kName, /*escapes=*/false);
    if (const size_t size = NumberAt(at_); size > 0) return {.kind = Kind::kNumber, .size = size};
    if (const size_t size = WordAt(at_); size > 0) {
      return {.kind = Kind::kWord, .size = size, .word = Upper(sql_.substr(at_, size))};
    }
    return Sign();
  }

  // -- to the end of the line; a backslash before the line break continues it.
  Token LineComment() const {
    size_t end = at_;
    while (end < sql_.size() && sql_[end] != '\n' && sql_[end] != '\r') {
      end += Starts("\\\n", end) ? 2 : 1;
    }
    return {.kind = Kind::kSpace, .size = std::min(end + 1, sql_.size()) - at_};
  }

  Token Comment() const {
    const bool hint = Starts("/*+", at_);
    size_t depth = 1, end = at_ + 2;
    while (end < sql_.size() && depth > 0) {
      const bool opens = !hint && Starts("/*", end), closes = Starts("*/", end);
      depth = opens ? depth + 1 : closes ? depth - 1 : depth;
      end += opens || closes ? 2 : 1;
    }
    return {.kind = Kind::kSpace, .size = end - at_, .closed = depth == 0};
  }

  Token Raw(char quote) const {
    const size_t end = sql_.find(quote, at_ + 2);
    const bool closed = end != std::string_view::npos;
    return {.kind = Kind::kText, .size = (closed ? end + 1 : sql_.size()) - at_, .closed = closed};
  }

  // A quote that is doubled inside stands for itself, in texts and in names; a backslash escapes
  // only in '...' and "...".
  Token Quoted(Kind kind, bool escapes) const {
    const char quote = sql_[at_];
    for (size_t end = at_ + 1; end < sql_.size(); ++end) {
      const bool more = end + 1 < sql_.size();
      if (sql_[end] == '\\' && escapes && more) {
        ++end;
      } else if (sql_[end] == quote && more && sql_[end + 1] == quote) {
        ++end;
      } else if (sql_[end] == quote) {
        return {.kind = kind, .size = end + 1 - at_};
      }
    }
    return {.kind = kind, .size = sql_.size() - at_, .closed = false};
  }

  size_t WordAt(size_t at) const {
    size_t end = at;
    while (IsWordLetter(At(end)) && BlankAt(end) == 0) ++end;
    return end - at;
  }

  size_t DigitsAt(size_t at) const {
    size_t end = at;
    while (IsDigit(At(end))) ++end;
    return end - at;
  }

  size_t ExponentAt(size_t at) const {
    if (At(at) != 'e' && At(at) != 'E') return 0;
    const size_t sign = At(at + 1) == '+' || At(at + 1) == '-' ? 1 : 0;
    const size_t digits = DigitsAt(at + 1 + sign);
    return digits == 0 ? 0 : 1 + sign + digits;
  }

  // The end of a number whose digits end at `at`, after its exponent and suffix; 0 if a letter
  // follows, which makes all of it a word. L, S and Y are only for whole numbers without an
  // exponent.
  size_t NumberEnd(size_t at, bool whole) const {
    const size_t exponent = ExponentAt(at), end = at + exponent, tail = WordAt(end);
    const std::string suffix = Upper(sql_.substr(end, tail));
    const bool any = suffix.empty() || suffix == "F" || suffix == "D" || suffix == "BD";
    const bool short_one = suffix == "L" || suffix == "S" || suffix == "Y";
    return any || (short_one && whole && exponent == 0) ? end + tail : 0;
  }

  // The length of the number at `at`; 0 if there is none. A point needs digits on only one side: 5.
  // and .5.
  size_t NumberAt(size_t at) const {
    const size_t whole = DigitsAt(at);
    const bool point = At(at + whole) == '.';
    const size_t fraction = point ? DigitsAt(at + whole + 1) : 0;
    if (point && whole + fraction > 0) {
      const size_t end = NumberEnd(at + whole + 1 + fraction, /*whole=*/false);
      if (end > 0) return end - at;
    }
    if (whole == 0) return 0;
    const size_t end = NumberEnd(at + whole, /*whole=*/true);
    return end == 0 ? 0 : end - at;
  }

  Token Sign() const {
    const auto of = [&](Kind kind, std::string_view text) {
      return Token{.kind = kind, .size = text.size(), .word = std::string(text)};
    };
    for (const std::string_view foreign : kForeign) {
      if (Starts(foreign, at_)) return of(Kind::kForeign, foreign);
    }
    for (const std::string_view sign : kSigns) {
      if (Starts(sign, at_)) return of(Kind::kSign, sign);
    }
    const std::string_view single = sql_.substr(at_, 1);
    const bool known = kSingleSigns.find(single.front()) != std::string_view::npos;
    return of(known ? Kind::kSign : Kind::kForeign, single);
  }

  const std::string_view sql_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> Tokenize(std::string_view sql) { return Scanner(sql).Run(); }

bool IsWordLetter(char c) { return IsNameCharacter(c) || static_cast<unsigned char>(c) >= 0x80; }

}  // namespace protium
