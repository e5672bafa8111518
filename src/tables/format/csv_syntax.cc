// SPDX-License-Identifier: Apache-2.0
#include "format/csv_syntax.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.h"
#include "format/cell_type.h"
#include "format/csv_options.h"
#include "format/csv_rows.h"
#include "format/text_source.h"

namespace protium {
namespace {

constexpr int kRowsAsked = 1000;
constexpr std::string_view kCommentMarks = "#%!";

size_t CellsIn(std::string_view line, const CsvOptions& options) {
  CsvScanner scanner(line, SyntaxOf(options), "");
  std::vector<CsvCell> cells;
  const Result<bool> row = scanner.Next(cells);
  return row.ok() && *row ? cells.size() : 0;
}

// Returns the mark of lines at the front that have fewer cells than the first line after them; a
// line with as many is a header that begins with the mark. Empty: there are none.
std::string FindComment(std::string_view text, CsvOptions options) {
  if (text.empty() || kCommentMarks.find(text.front()) == kCommentMarks.npos) return {};
  const char mark = text.front();
  std::string_view last;
  while (!text.empty() && text.front() == mark) {
    last = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(last.size() + 1, text.size()));
  }
  if (text.empty()) return {};
  if (options.delimiter == "auto") options.delimiter = std::string(1, FindDelimiter(text, options));
  const std::string_view first = text.substr(0, text.find('\n'));
  return CellsIn(first, options) > CellsIn(last, options) ? std::string(1, mark) : std::string();
}

// The cells of a column below the first line.
struct FirstCell {
  std::string first;
  CellType type = CellType::kNone;
  bool again = false;  // The first cell's text occurs below it.

  void Read(std::string_view text) {
    if (text.empty() || IsNullSpelling(text)) return;
    type = Unite(type, TypeOfCell(text));
    again = again || text == first;
  }
  bool typed() const { return type != CellType::kText && type != CellType::kNone; }
};

// Increasing whole numbers may be names as well: years, days, places.
bool MayBeNames(const std::vector<FirstCell>& columns) {
  int64_t before = -1;
  for (const FirstCell& each : columns) {
    if (TypeOfCell(each.first) != CellType::kInt64 || each.first.size() > 9) return false;
    const int64_t number = std::stoll(each.first);
    if (number <= before) return false;
    before = number;
  }
  return true;
}

// Whether the first line is a row: each of its cells has its column's type, and one of the texts
// occurs in another row too. If no column has a type, nothing is certain.
bool IsRow(const std::vector<FirstCell>& columns) {
  size_t typed = 0;
  bool again = false;
  for (const FirstCell& each : columns) {
    if (each.first.empty()) return false;
    again = again || (!each.typed() && each.again);
    if (!each.typed()) continue;
    ++typed;
    if (Unite(each.type, TypeOfCell(each.first)) == CellType::kText) return false;
  }
  if (typed == columns.size()) return !MayBeNames(columns);
  return typed > 0 && again;
}

// A malformed row ends the search: the rows before it decide.
Result<bool> BeginsWithRow(const std::string& path, CsvOptions options) {
  options.header = false;
  options.trim = true;
  PT_LET(CsvRows rows, CsvRows::Open(path, options));
  PT_LET(const bool any, rows.Next());
  if (!any) return false;
  std::vector<FirstCell> columns;
  for (const CsvCell& cell : rows.cells()) columns.push_back({.first = CsvText(cell)});
  int count = 0;
  for (; count < kRowsAsked; ++count) {
    const Result<bool> more = rows.Next();
    if (!more.ok() || !*more) break;
    for (size_t i = 0; i < columns.size(); ++i) columns[i].Read(rows.cells()[i].text);
  }
  return count > 0 && IsRow(columns);
}

}  // namespace

bool IsNullSpelling(std::string_view text) {
  static constexpr std::string_view kWords[] = {"na",  "n/a", "none", "n.a.", "missing",
                                                "nil", "nan", "-",    ".",    "*"};
  return IsNullMark(text) || std::ranges::find(kWords, Lower(text)) != std::end(kWords);
}

bool IsNullMark(std::string_view text) {
  static constexpr std::string_view kMarks[] = {"?",      "..",      "--",     "---",    "#n/a",
                                                "#na",    "<na>",    "null",   "(null)", "\\n",
                                                "#null!", "#value!", "#div/0!"};
  return std::ranges::find(kMarks, Lower(text)) != std::end(kMarks);
}

Result<CsvOptions> FindSyntax(const std::string& path, const CsvOptions& options,
                              const std::set<std::string>& said) {
  CsvOptions found = options;
  if (!said.contains("delimiter")) found.delimiter = "auto";
  PT_TRY(CheckCsvOptions(found));
  PT_LET(const auto source, TextSource::Open(path, options.encoding));
  std::string text;
  PT_TRY(source->Append(text).status());
  if (!said.contains("comment")) found.comment = FindComment(text, found);
  if (!said.contains("header")) {
    PT_LET(const bool row, BeginsWithRow(path, found));
    if (row) found.header = false;
  }
  PT_LET(const CsvRows rows, CsvRows::Open(path, found));
  found.delimiter = rows.delimiter();
  return found;
}

}  // namespace protium
