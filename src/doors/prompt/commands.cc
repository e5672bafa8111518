// SPDX-License-Identifier: Apache-2.0
#include "prompt/commands.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "column/cells.h"
#include "inspect/sql_names.h"
#include "sql_words/known_functions.h"
#include "sql_words/tokens.h"
#include "terminal/printing.h"
#include "terminal/text_table.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr uintmax_t kSmallBytes = 16 << 20;  // Of a table that is read only for Tab.
constexpr const char* kCommands[] = {"\\d", "\\q", "\\?"};
constexpr const char* kKeywords[] = {
    "AND",   "AS",       "ASC",  "BETWEEN", "BY",        "CASE",   "CAST",  "CROSS", "DATE",
    "DESC",  "DISTINCT", "ELSE", "END",     "EXCEPT",    "EXISTS", "FALSE", "FROM",  "FULL",
    "GROUP", "HAVING",   "IN",   "INNER",   "INTERSECT", "IS",     "JOIN",  "LEFT",  "LIKE",
    "LIMIT", "NOT",      "NULL", "NULLS",   "ON",        "OR",     "ORDER", "OVER",  "PARTITION",
    "RIGHT", "SELECT",   "THEN", "TRUE",    "UNION",     "USING",  "WHEN",  "WHERE", "WITH"};

// "\d machines " as {"\d", "machines"}.
std::pair<std::string, std::string> Parted(std::string_view line) {
  const auto trimmed = [](std::string_view text) {
    const size_t from = std::min(text.find_first_not_of(" \t\r;"), text.size());
    const size_t to = text.find_last_not_of(" \t\r;");
    return std::string(text.substr(from, to == text.npos ? 0 : to + 1 - from));
  };
  const std::string whole = trimmed(line);
  const size_t blank = std::min(whole.find_first_of(" \t"), whole.size());
  return {whole.substr(0, blank), trimmed(std::string_view(whole).substr(blank))};
}

Status ListPlaces(const Arguments& arguments, Queries& queries) {
  PT_LET(const auto places, queries.Places());
  if (places.empty() && queries.views().empty()) {
    PrintNote("there are no tables in " + arguments.Value("--data", ".") + "\n");
    return Status::OK();
  }
  std::vector<std::vector<std::string>> rows = {{"table", "file"}};
  for (const TablePlace& place : places) rows.push_back({place.name, place.at.text()});
  for (const ViewStatement& view : queries.views()) rows.push_back({view.name, "a view"});
  return PrintResult(TextTable(rows));
}

Status PrintColumns(const arrow::Schema& schema) {
  std::vector<std::vector<std::string>> rows = {{"column", "type"}};
  for (const auto& field : schema.fields()) {
    rows.push_back({field->name(), TypeText(*field->type())});
  }
  return PrintResult(TextTable(rows));
}

Status DescribeTable(const std::string& name, Queries& queries) {
  std::vector<std::string> names;
  const auto columns = [&](const auto& table) -> Status {
    PT_LET(const auto schema, queries.Columns(table));
    return PrintColumns(*schema);
  };
  for (const ViewStatement& view : queries.views()) {
    names.push_back(view.name);
    if (Lower(view.name) == Lower(name)) return columns(view);
  }
  PT_LET(const auto places, queries.Places());
  for (const TablePlace& place : places) {
    names.push_back(place.name);
    if (Lower(place.name) == Lower(name)) return columns(place);
  }
  return Fail({.exit = Exit::kUsage,
               .what = "there is no table \"" + name + "\"",
               .fix = Suggest(name, names)});
}

bool Mentions(const std::vector<Token>& tokens, const std::string& query, const std::string& name) {
  return std::ranges::any_of(tokens, [&](const Token& token) {
    if (token.kind == Token::Kind::kWord) return token.Is(Upper(name));
    // Whether it is a name in quotes, which are part of the token.
    return token.kind == Token::Kind::kName && token.size == name.size() + 2 &&
           Lower(query.substr(token.at + 1, name.size())) == Lower(name);
  });
}

bool IsSmall(const fs::path& path) {
  std::error_code error;
  const uintmax_t bytes = fs::file_size(path, error);
  // A folder has no size: Tab offers none of its columns.
  return !error && bytes <= kSmallBytes;
}

}  // namespace

namespace {

// Returns the command for what other prompts call it: a whole line of one word that begins no
// query.
std::string CommandOf(std::string_view line) {
  const auto [first, rest] = Parted(line);
  if (!rest.empty()) return first;
  const std::string word = Lower(first);
  if (word == "exit" || word == "quit") return "\\q";
  if (word == "help") return "\\?";
  return first;
}

}  // namespace

bool IsCommand(std::string_view line) { return CommandOf(line).starts_with('\\'); }

bool IsQuit(std::string_view line) { return CommandOf(line) == "\\q"; }

Status RunCommand(const std::string& line, const Arguments& arguments, Queries& queries) {
  const std::string command = CommandOf(line), operand = Parted(line).second;
  if (command == "\\d") {
    return operand.empty() ? ListPlaces(arguments, queries) : DescribeTable(operand, queries);
  }
  if (command == "\\?") {
    PrintNote(
        "  SELECT ...;    a query, over as many lines as it takes, up to the semicolon\n"
        "  CREATE VIEW v AS SELECT ...;    names a query, until the prompt ends\n"
        "  \\d             the tables; \\d TABLE its columns\n"
        "  \\q             ends, as exit, quit and Ctrl-D do\n"
        "  Tab completes tables, columns and functions; Ctrl-C stops a query\n");
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = "unknown command " + command,
               .fix = "\\d, \\d TABLE, \\q or \\?"});
}

// Stored whether or not the table could be read: Tab should not retry again and again.
const std::vector<std::string>& Words::ColumnsAt(const TablePlace& place) {
  const auto known = columns_.find(place.at.text());
  if (known != columns_.end()) return known->second;
  std::vector<std::string>& columns = columns_[place.at.text()];
  if (!place.at.source && !IsSmall(place.at.path)) return columns;
  const auto schema = queries_.Columns(place);
  if (schema.ok()) columns = (*schema)->field_names();
  return columns;
}

std::vector<std::string> Words::For(const std::string& query) {
  std::vector<std::string> words;
  if (query.starts_with('\\')) words.assign(std::begin(kCommands), std::end(kCommands));
  const auto places = queries_.Places();
  const std::vector<Token> tokens = Tokenize(query);
  // Errors are ignored here: the query itself will report them.
  for (const TablePlace& place : places.ValueOr({})) {
    words.push_back(SqlName(place.name));
    if (!Mentions(tokens, query, place.name)) continue;
    for (const std::string& column : ColumnsAt(place)) words.push_back(SqlName(column));
  }
  for (const ViewStatement& view : queries_.views()) {
    words.push_back(SqlName(view.name));
    const auto schema = Mentions(tokens, query, view.name) ? queries_.Columns(view) : SchemaPtr();
    if (!schema.ok() || !*schema) continue;
    for (const std::string& column : (*schema)->field_names()) words.push_back(SqlName(column));
  }
  // Commands take tables, but neither functions nor keywords.
  if (query.starts_with('\\')) return words;
  for (const std::string& name : KnownFunctionNames()) {
    if (!name.empty() && IsWordLetter(name[0])) words.push_back(name + "(");
  }
  words.insert(words.end(), std::begin(kKeywords), std::end(kKeywords));
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace protium
