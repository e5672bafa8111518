// SPDX-License-Identifier: Apache-2.0
#include "sql_text/doubled_quotes.h"

#include "base/text.h"
#include "sql_words/tokens.h"

namespace protium {
namespace {

// The text between the quotes, with `one` in place of each doubled quote. The character after a
// backslash is copied, so that an escaped quote is not taken for half of a double one.
std::string Inside(std::string_view quoted, std::string_view one) {
  const char quote = quoted.front();
  const std::string_view inside = quoted.substr(1, quoted.size() - 2);
  std::string text;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == quote) {
      text += one;
      ++i;
      continue;
    }
    text += inside[i];
    if (inside[i] == '\\' && i + 1 < inside.size()) text += inside[++i];
  }
  return text;
}

// A name becomes `...`, where a double quote needs no escape.
std::string Respelt(std::string_view token) {
  if (token.front() == '\'') return "'" + Inside(token, "\\'") + "'";
  return InQuotes(Inside(token, "\""), '`');
}

}  // namespace

std::string WithoutDoubledQuotes(std::string_view sql) {
  std::string out;
  for (const Token& token : Tokenize(sql)) {
    const std::string_view text = sql.substr(token.at, token.size);
    const bool quoted = token.closed && (text.starts_with('\'') || text.starts_with('"'));
    const bool doubled = quoted && Inside(text, "") != text.substr(1, text.size() - 2);
    out += doubled ? Respelt(text) : std::string(text);
  }
  return out;
}

}  // namespace protium
