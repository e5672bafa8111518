// SPDX-License-Identifier: Apache-2.0
// Reads only as much of a SELECT as its names need: WITH, the select list and the relations of
// FROM. It gives up at anything else, because a wrong name would refuse a correct job.
#include "sql_text/result_names.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/text.h"
#include "sql_words/tokens.h"

namespace protium {
namespace {

using Names = std::optional<std::vector<std::string>>;
using Tokens = std::span<const Token>;

// Words that may end an expression without being its name.
constexpr std::string_view kNoNames[] = {"END",          "NULL", "TRUE",    "FALSE",
                                         "CURRENT_DATE", "ROWS", "UNKNOWN", "CURRENT_TIMESTAMP"};
// Words that end the select list or the relations of FROM.
constexpr std::string_view kListEnds[] = {"WHERE",  "GROUP", "HAVING", "QUALIFY", "ORDER",
                                          "LIMIT",  "UNION", "EXCEPT", "MINUS",   "INTERSECT",
                                          "WINDOW", "SORT",  "OFFSET", "CLUSTER", "DISTRIBUTE"};

bool IsOneOf(const Token& token, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return token.Is(word); });
}

bool IsName(const Token& token) {
  const bool word = token.kind == Token::Kind::kWord && !IsOneOf(token, kNoNames);
  return word || (token.kind == Token::Kind::kName && token.size > 2 && token.closed);
}

// A SELECT within a text, whose WITH gave names to other tables.
class Select {
 public:
  Select(std::string_view sql, TableNames tables) : sql_(sql), tables_(std::move(tables)) {}

  Names Read(Tokens tokens) {
    if (!tokens.empty() && tokens[0].Is("WITH") && !ReadWith(tokens)) return std::nullopt;
    if (tokens.empty() || !tokens[0].Is("SELECT")) return std::nullopt;
    tokens = tokens.subspan(1);
    if (!tokens.empty() && (tokens[0].Is("DISTINCT") || tokens[0].Is("ALL"))) {
      tokens = tokens.subspan(1);
    }
    const size_t end = FindWord(tokens, "FROM");
    if (end < tokens.size()) ReadFrom(tokens.subspan(end + 1));
    std::vector<std::string> names;
    for (const Tokens item : Split(tokens.first(end))) {
      const Names each = ReadItem(item);
      if (!each) return std::nullopt;
      names.insert(names.end(), each->begin(), each->end());
    }
    return names;
  }

 private:
  // The text of a name, whose quotes are removed only where that is simple.
  std::string TextOf(const Token& token) const {
    const std::string text(sql_.substr(token.at, token.size));
    return token.kind == Token::Kind::kName ? text.substr(1, text.size() - 2) : text;
  }

  // The position of a word outside parentheses, or of a clause behind the select list, or the end.
  static size_t FindWord(Tokens tokens, std::string_view word) {
    int depth = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].Is("(") || tokens[i].Is("[")) ++depth;
      if (tokens[i].Is(")") || tokens[i].Is("]")) --depth;
      if (depth == 0 && (tokens[i].Is(word) || IsOneOf(tokens[i], kListEnds))) return i;
    }
    return tokens.size();
  }

  // The pieces between commas outside parentheses.
  static std::vector<Tokens> Split(Tokens tokens) {
    std::vector<Tokens> parts;
    while (true) {
      const size_t end = FindWord(tokens, ",");
      parts.push_back(tokens.first(end));
      if (end >= tokens.size()) return parts;
      tokens = tokens.subspan(end + 1);
    }
  }

  // The position behind the parentheses that open at the first token; 0 if they do not close.
  static size_t Close(Tokens tokens) {
    int depth = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].Is("(")) ++depth;
      if (tokens[i].Is(")") && --depth == 0) return i + 1;
      if (depth == 0) return 0;
    }
    return 0;
  }

  // Reads WITH name AS (SELECT ...), ... and moves to the SELECT behind it.
  bool ReadWith(Tokens& tokens) {
    do {
      tokens = tokens.subspan(1);
      if (tokens.size() < 4 || !IsName(tokens[0]) || !tokens[1].Is("AS")) return false;
      const size_t end = Close(tokens.subspan(2));
      if (end == 0) return false;
      tables_[Lower(TextOf(tokens[0]))] = Select(sql_, tables_).Read(tokens.subspan(3, end - 2));
      tokens = tokens.subspan(2 + end);
    } while (!tokens.empty() && tokens[0].Is(","));
    return true;
  }

  // Reads FROM name [AS] [alias]; for anything else, the columns of * are unknown.
  void ReadFrom(Tokens tokens) {
    tokens = tokens.first(FindWord(tokens, "FROM"));
    const bool plain = !tokens.empty() && tokens.size() <= 3 && IsName(tokens[0]) &&
                       (tokens.size() < 2 || IsName(tokens.back())) &&
                       (tokens.size() < 3 || tokens[1].Is("AS"));
    if (!plain) return;
    const auto found = tables_.find(Lower(TextOf(tokens[0])));
    if (found == tables_.end()) return;
    only_ = found->second;
    alias_ = Lower(TextOf(tokens.back()));
  }

  // The names of one item of the select list.
  Names ReadItem(Tokens item) const {
    if (item.empty()) return std::nullopt;
    const Token& last = item.back();
    if (last.Is("*")) {
      const bool whole = item.size() == 1 ||
                         (item.size() == 3 && item[1].Is(".") && Lower(TextOf(item[0])) == alias_);
      return whole ? only_ : std::nullopt;
    }
    if (!IsName(last) || (last.kind == Token::Kind::kName && Doubled(last))) return std::nullopt;
    const std::string name = TextOf(last);
    const bool aliased =
        item.size() >= 2 && (item[item.size() - 2].Is("AS") || item[item.size() - 2].Is(")"));
    if (aliased) return {{name}};
    const bool column = item.size() == 1 || (item.size() == 3 && item[1].Is("."));
    return column && !IsSpeltOtherwise(name) ? Names({name}) : std::nullopt;
  }

  bool Doubled(const Token& token) const {
    const std::string text = TextOf(token);
    return text.find(sql_[token.at]) != text.npos;
  }

  // Whether a table has the name in another case, so that it is unclear which of the two will be
  // used.
  bool IsSpeltOtherwise(const std::string& name) const {
    for (const auto& [table, columns] : tables_) {
      if (!columns) continue;
      for (const std::string& each : *columns) {
        if (each != name && Lower(each) == Lower(name)) return true;
      }
    }
    return false;
  }

  std::string_view sql_;
  TableNames tables_;
  Names only_;         // The columns of the only relation in FROM.
  std::string alias_;  // Its name in the query.
};

}  // namespace

std::optional<std::vector<std::string>> ResultNames(std::string_view sql,
                                                    const TableNames& tables) {
  std::vector<Token> tokens = Tokenize(sql);
  std::erase_if(tokens, [](const Token& token) {
    return token.kind == Token::Kind::kSpace || token.kind == Token::Kind::kEnd;
  });
  if (!tokens.empty() && tokens.back().Is(";")) tokens.pop_back();
  return Select(sql, tables).Read(tokens);
}

}  // namespace protium
