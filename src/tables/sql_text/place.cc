// SPDX-License-Identifier: Apache-2.0
// DuckDB reports positions in the statement that it was given. That statement is ours and contains
// the users' texts as parts, some of them rewritten. PlaceInOriginal() goes back in three steps: it
// finds the drawn line in the statement and turns it into an offset; finds the innermost user's
// text around the offset; and follows its marks, or else its words, to the original. Every step may
// fail, and then the message retains a vaguer position rather than name a wrong one.
#include "sql_text/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/fault.h"
#include "base/text.h"

namespace protium {
namespace {

constexpr std::string_view kText = "the SQL text";
constexpr size_t kShown = 80;  // Characters of a line.

bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// The offset behind the first `characters` of a line, or its end.
size_t SkipCharacters(std::string_view line, size_t characters) {
  size_t at = 0;
  for (; at < line.size(); ++at) {
    if (BeginsCharacter(line[at]) && characters-- == 0) break;
  }
  return at;
}

struct LineAndColumn {
  size_t start = 0;  // Offset of the line.
  size_t line = 1, column = 1;
};

LineAndColumn Locate(std::string_view sql, size_t offset) {
  const std::string_view before = sql.substr(0, std::min(offset, sql.size()));
  const size_t last = before.rfind('\n');
  const size_t start = last == std::string_view::npos ? 0 : last + 1;
  const auto lines = std::count(before.begin(), before.end(), '\n');
  return {start, static_cast<size_t>(lines) + 1, CountCharacters(before.substr(start)) + 1};
}

// The number after `mark` in `text`; 0 when there is none.
size_t NumberAfter(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  size_t number = 0;
  if (at == std::string_view::npos) return 0;
  std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), number);
  return number;
}

std::optional<size_t> StartOfLine(std::string_view sql, size_t line) {
  size_t start = 0;
  for (size_t i = 1; i < line; ++i) {
    start = sql.find('\n', start);
    if (start == std::string_view::npos) return std::nullopt;
    ++start;
  }
  return line == 0 ? std::nullopt : std::optional(start);
}

// The offset that "LINE 2: ...b FROM zebra" over a mark denotes. DuckDB shows an excerpt of the
// line, so the excerpt is searched for in that line of `sql`, and the mark's column counts from its
// beginning.
std::optional<size_t> ReadDrawnOffset(std::string_view place, std::string_view sql) {
  const size_t at = place.find("LINE "), colon = place.find(": ", at);
  const auto start = StartOfLine(sql, NumberAfter(place, "LINE "));
  if (at == std::string_view::npos || colon == std::string_view::npos || !start)
    return std::nullopt;
  const size_t end = std::min(place.find('\n', colon), place.size());
  std::string_view shown = place.substr(colon + 2, end - colon - 2);
  const size_t caret = place.find('^', end);
  const size_t indent = colon + 2 - at;
  size_t mark = caret == std::string_view::npos ? indent : caret - end - 1;
  mark -= std::min(mark, indent);
  if (shown.starts_with("...")) {
    shown.remove_prefix(3);
    mark -= std::min<size_t>(3, mark);
  }
  if (shown.ends_with("...")) shown.remove_suffix(3);
  const std::string_view line = sql.substr(*start, sql.find('\n', *start) - *start);
  const size_t found = line.find(shown);
  if (found == std::string_view::npos) return std::nullopt;
  return *start + found + SkipCharacters(line.substr(found), mark);
}

// The words of a text in the form in which they survive being written from a tree: without quotes,
// parentheses and blanks, in capitals.
std::vector<Token> ReadWords(std::string_view sql) {
  std::vector<Token> words = Tokenize(sql);
  std::erase_if(words, [](const Token& token) { return token.kind == Token::Kind::kSpace; });
  for (Token& token : words) {
    std::string text = Upper(sql.substr(token.at, token.size));
    std::erase_if(text, [](char c) { return c == '"' || c == '`'; });
    token.word = std::move(text);
  }
  std::erase_if(words, [](const Token& token) { return token.Is("(") || token.Is(")"); });
  return words;
}

// Counts the equal words around a[i] and b[j] without a gap, including the two themselves.
size_t Alike(const std::vector<Token>& a, size_t i, const std::vector<Token>& b, size_t j) {
  size_t after = 1, before = 1;
  while (i + after < a.size() && j + after < b.size() && a[i + after].word == b[j + after].word) {
    ++after;
  }
  while (i >= before && j >= before && a[i - before].word == b[j - before].word) ++before;
  return after + before;
}

// Where the word at `offset` of the written text was in the original: among equal words, the one
// with the longest run of equal neighbours; the first if there are several.
std::optional<size_t> SameWordIn(const std::string& original, const std::string& written,
                                 size_t offset) {
  const std::vector<Token> there = ReadWords(original), here = ReadWords(written);
  const auto at = std::find_if(here.begin(), here.end(),
                               [&](const Token& token) { return token.end() > offset; });
  if (at == here.end()) return std::nullopt;
  std::optional<size_t> found;
  size_t most = 0;
  for (size_t i = 0; i < there.size(); ++i) {
    if (there[i].word != at->word || there[i].word.empty()) continue;
    const size_t alike = Alike(there, i, here, static_cast<size_t>(at - here.begin()));
    if (alike > most) found = there[i].at;
    most = std::max(most, alike);
  }
  return found;
}

// The innermost text around `offset` of the statement, and where it begins. A query over a query
// contains the other's text, so the shortest match is the innermost.
std::pair<const WrittenSql*, size_t> TextAt(const std::string& statement, size_t offset,
                                            const std::vector<WrittenSql>& texts) {
  const WrittenSql* inner = nullptr;
  size_t start = 0;
  for (const WrittenSql& each : texts) {
    const std::string& text = each.written.text;
    // The same text may occur more than once: only an occurrence that can reach `offset` counts.
    const size_t from = offset < text.size() ? 0 : offset - text.size();
    const size_t at = text.empty() ? std::string::npos : statement.find(text, from);
    if (at == std::string::npos || at > offset) continue;
    if (inner != nullptr && inner->written.text.size() <= text.size()) continue;
    inner = &each;
    start = at;
  }
  return {inner, start};
}

}  // namespace

size_t CountCharacters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), BeginsCharacter));
}

std::string PlaceIn(std::string_view sql, size_t offset) {
  const LineAndColumn at = Locate(sql, offset);
  return fmt::format("{}, line {}, column {}", kText, at.line, at.column);
}

std::string DrawnPlaceIn(std::string_view sql, size_t offset) {
  const LineAndColumn at = Locate(sql, offset);
  std::string_view line = sql.substr(at.start, sql.find('\n', at.start) - at.start);
  const size_t cut = at.column > kShown / 2 ? at.column - kShown / 2 : 0;
  line.remove_prefix(SkipCharacters(line, cut));
  const std::string_view shown = line.substr(0, SkipCharacters(line, kShown));
  const std::string head = fmt::format("LINE {}: {}", at.line, cut > 0 ? "..." : "");
  return fmt::format("{}\n{}{}{}\n{}^", kText, head, shown, shown.size() < line.size() ? "..." : "",
                     std::string(head.size() + at.column - 1 - cut, ' '));
}

std::optional<size_t> ReadOffset(const std::string& place, std::string_view sql) {
  if (place.find("LINE ") != std::string::npos) return ReadDrawnOffset(place, sql);
  const auto start = StartOfLine(sql, NumberAfter(place, "the SQL text, line "));
  const size_t column = NumberAfter(place, ", column ");
  if (!start || column == 0) return std::nullopt;
  return *start + SkipCharacters(sql.substr(*start), column - 1);
}

Status PlaceInOriginal(const Status& status, const std::string& statement,
                       const std::vector<WrittenSql>& texts) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  if (!fault.where.starts_with(std::string(kText) + "\n")) return status;
  const auto offset = ReadOffset(fault.where, statement);
  if (!offset) return status;
  const auto [text, start] = TextAt(statement, *offset, texts);
  if (text == nullptr) return status;
  const auto origin = text->marked
                          ? std::optional(text->written.Origin(*offset - start))
                          : SameWordIn(text->original, text->written.text, *offset - start);
  fault.where = origin ? DrawnPlaceIn(text->original, *origin) : std::string(kText);
  return Fail(std::move(fault));
}

}  // namespace protium
