// SPDX-License-Identifier: Apache-2.0
#include "app/query/statements.h"

#include <algorithm>
#include <optional>

#include "sql/tokens.h"

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

bool HasWords(std::string_view text) {
  return std::ranges::any_of(Tokenize(text), [](const Token& token) {
    return token.kind != Token::Kind::kSpace && token.kind != Token::Kind::kEnd;
  });
}

bool IsOpen(std::string_view text) {
  return std::ranges::any_of(Tokenize(text), [](const Token& token) { return !token.closed; });
}

}  // namespace protium
