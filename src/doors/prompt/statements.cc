// SPDX-License-Identifier: Apache-2.0
#include "prompt/statements.h"

#include <algorithm>
#include <optional>

#include "sql_words/literals.h"
#include "sql_words/tokens.h"

namespace protium {

std::vector<Statement> TakeStatements(std::string& text) {
  std::vector<Statement> statements;
  size_t begin = 0;
  std::optional<size_t> first;  // Where the statement's first word begins.
  for (const Token& token : Tokenize(text)) {
    if (token.kind == Token::Kind::kSpace || token.kind == Token::Kind::kEnd) continue;
    if (!token.Is(";")) {
      if (!first) first = token.at;
      continue;
    }
    if (first) {
      const auto lines = std::count(text.begin(), text.begin() + std::ptrdiff_t(*first), '\n');
      statements.push_back({text.substr(*first, token.at - *first), size_t(lines) + 1});
    }
    begin = token.end();
    first.reset();
  }
  text.erase(0, begin);
  return statements;
}

std::optional<ViewStatement> ReadView(const std::string& statement) {
  std::vector<Token> tokens = Tokenize(statement);
  std::erase_if(tokens, [](const Token& token) { return token.kind == Token::Kind::kSpace; });
  const auto is = [&](size_t i, std::string_view word) {
    return i < tokens.size() && tokens[i].Is(word);
  };
  size_t at = 0;
  if (!is(at++, "CREATE")) return std::nullopt;
  ViewStatement view{.replaces = is(at, "OR") && is(at + 1, "REPLACE")};
  if (view.replaces) at += 2;
  if (is(at, "TEMP") || is(at, "TEMPORARY")) ++at;
  if (!is(at++, "VIEW") || at + 1 >= tokens.size() || !is(at + 1, "AS")) return std::nullopt;
  const Token& name = tokens[at];
  const std::string text = statement.substr(name.at, name.size);
  if (name.kind == Token::Kind::kWord) view.name = text;
  if (name.kind == Token::Kind::kName && name.closed) view.name = ReadNameLiteral(text);
  view.query = statement.substr(tokens[at + 1].end());
  return view.name.empty() ? std::nullopt : std::optional(view);
}

bool HasWords(std::string_view text) {
  return std::ranges::any_of(Tokenize(text), [](const Token& token) {
    return token.kind != Token::Kind::kSpace && token.kind != Token::Kind::kEnd;
  });
}

bool IsOpen(std::string_view text) {
  return std::ranges::any_of(Tokenize(text), [](const Token& token) { return !token.closed; });
}

}  // namespace protium
