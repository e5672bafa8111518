// SPDX-License-Identifier: Apache-2.0
#include "model/score_calls.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "sql_words/tokens.h"

namespace protium {
namespace {

Status NotATable(std::string why) {
  return Fail({.exit = Exit::kUsage,
               .what = "score() is not used as it can be: " + std::move(why),
               .where = "sql",
               .fix =
                   "SELECT * FROM score('path/of/model', (SELECT ...)), or the name of a table in "
                   "the place of (SELECT ...)"});
}

// A text's tokens without spaces; the last one is kEnd. Borrows the text.
class Tokens {
 public:
  explicit Tokens(const std::string& text) : text_(text) {
    for (Token& token : Tokenize(text)) {
      if (token.kind != Token::Kind::kSpace) all_.push_back(std::move(token));
    }
  }

  size_t size() const { return all_.size(); }
  // Beyond the end: the kEnd token.
  const Token& operator[](size_t i) const { return all_[std::min(i, all_.size() - 1)]; }
  std::string_view Text(size_t i) const {
    return std::string_view(text_).substr((*this)[i].at, (*this)[i].size);
  }
  bool IsName(size_t i) const {
    return (*this)[i].kind == Token::Kind::kWord || (*this)[i].kind == Token::Kind::kName;
  }
  // The name in the form for comparison, without quotes.
  std::string NameAt(size_t i) const {
    std::string_view name = Text(i);
    if ((*this)[i].kind == Token::Kind::kName && name.size() >= 2) {
      name = name.substr(1, name.size() - 2);
    }
    return Upper(name);
  }
  // The position after the parenthesis that closes the one at `open`; 0 if none does.
  size_t Behind(size_t open) const {
    size_t depth = 0;
    for (size_t at = open; at < all_.size(); ++at) {
      depth += all_[at].Is("(") ? 1 : 0;
      depth -= all_[at].Is(")") ? 1 : 0;
      if (depth == 0) return at + 1;
    }
    return 0;
  }

 private:
  const std::string& text_;
  std::vector<Token> all_;
};

// The tables that a text defines at its beginning: WITH a AS (SELECT ...), b AS (...).
struct NamedQueries {
  struct Query {
    std::string name;  // In capitals.
    size_t end = 0;    // The position after it, in bytes of the text.
  };
  std::string_view with;  // "WITH", possibly with the keyword that follows it.
  size_t begin = 0;       // Position of the first name.
  std::vector<Query> queries;

  static NamedQueries Read(const std::string& text, const Tokens& tokens) {
    NamedQueries read;
    if (!tokens[0].Is("WITH")) return read;
    size_t at = tokens[1].Is("RECURSIVE") ? 2 : 1;
    read.begin = tokens[at].at;
    read.with = std::string_view(text).substr(tokens[0].at, read.begin - tokens[0].at);
    while (tokens.IsName(at)) {
      std::string name = tokens.NameAt(at++);
      if (tokens[at].Is("(")) at = tokens.Behind(at);  // Its column names.
      if (at > 0 && tokens[at].Is("AS")) ++at;
      at = at > 0 && tokens[at].Is("(") ? tokens.Behind(at) : 0;
      if (at == 0) break;
      read.queries.push_back({std::move(name), tokens[at - 1].end()});
      if (!tokens[at++].Is(",")) break;
    }
    return read;
  }
};

// Reads the calls in a text.
class CallReader {
 public:
  explicit CallReader(const std::string& text)
      : text_(text), tokens_(text), named_(NamedQueries::Read(text, tokens_)) {}

  Result<std::vector<ScoreCall>> Read() {
    std::vector<ScoreCall> calls;
    for (size_t i = 0; i + 3 < tokens_.size(); ++i) {
      if (!IsScore(i)) continue;
      if (!IsTable(i)) return NotATable("it is a table, not a value of each row");
      PT_LET(calls.emplace_back(), Call(i));
    }
    return calls;
  }

 private:
  bool IsScore(size_t i) const {
    return tokens_[i].Is("SCORE") && tokens_[i + 1].Is("(") && !(i > 0 && tokens_[i - 1].Is(".")) &&
           (tokens_[i + 2].kind == Token::Kind::kText || tokens_[i + 2].kind == Token::Kind::kName);
  }

  // Whether the token follows FROM or JOIN, or a comma between tables, which the last clause before
  // it determines.
  bool IsTable(size_t i) const {
    if (i == 0) return false;
    if (tokens_[i - 1].Is("FROM") || tokens_[i - 1].Is("JOIN")) return true;
    if (!tokens_[i - 1].Is(",")) return false;
    size_t depth = 0;
    for (size_t at = i - 1; at-- > 0;) {
      const Token& token = tokens_[at];
      if (token.Is("(") && depth == 0) return false;
      depth += token.Is(")") ? 1 : 0;
      depth -= token.Is("(") ? 1 : 0;
      if (depth > 0) continue;
      for (const char* clause : {"FROM", "JOIN", "ON", "USING"}) {
        if (token.Is(clause)) return true;
      }
      for (const char* clause : {"SELECT", "WHERE", "BY", "HAVING", "VALUES", "QUALIFY"}) {
        if (token.Is(clause)) return false;
      }
    }
    return false;
  }

  // Reads the call at token `i`, and leaves `i` at its last token.
  Result<ScoreCall> Call(size_t& i) {
    ScoreCall call{.begin = tokens_[i].at};
    const Token& model = tokens_[i + 2];
    const std::string_view quoted = tokens_.Text(i + 2);
    if (model.kind != Token::Kind::kText || !model.closed || quoted.size() < 2 ||
        quoted.find('\\') != quoted.npos || quoted[0] == 'r') {
      return NotATable("the path of the model is a plain text in single quotes");
    }
    call.model = quoted.substr(1, quoted.size() - 2);
    if (!tokens_[i + 3].Is(",")) return NotATable("behind the model come the rows");
    const size_t first = i + 4, behind = tokens_.Behind(i + 1);
    if (behind == 0 || behind - 1 == first) return NotATable("its parentheses are not closed");
    PT_LET(const std::string rows, RowsOf(first, behind - 2));
    call.rows = WithNamed(rows, call.begin);
    call.end = tokens_[behind - 1].end();
    i = behind - 1;
    return call;
  }

  Result<std::string> RowsOf(size_t first, size_t last) const {
    const Token &begin = tokens_[first], &end = tokens_[last];
    if (begin.Is("(") && end.Is(")") && last > first + 1) {
      return text_.substr(begin.end(), end.at - begin.end());
    }
    if (first != last || !tokens_.IsName(first)) {
      return NotATable("the rows are (SELECT ...) or the name of a table");
    }
    return "SELECT * FROM " + std::string(tokens_.Text(first));
  }

  // Adds to `rows` the WITH definitions before byte `at` of the text, if the rows read them.
  std::string WithNamed(const std::string& rows, size_t at) const {
    const Tokens words(rows);
    size_t end = 0;
    bool read = false;
    for (const NamedQueries::Query& each : named_.queries) {
      if (each.end > at) break;
      end = each.end;
      for (size_t i = 0; i < words.size() && !read; ++i) {
        read = words.IsName(i) && words.NameAt(i) == each.name;
      }
    }
    if (!read) return rows;
    return std::string(named_.with) + text_.substr(named_.begin, end - named_.begin) +
           " SELECT * FROM (" + rows + ")";
  }

  const std::string& text_;
  const Tokens tokens_;
  const NamedQueries named_;
};

}  // namespace

Result<std::vector<ScoreCall>> FindScoreCalls(const std::string& text) {
  return CallReader(text).Read();
}

}  // namespace protium
