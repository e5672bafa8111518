// SPDX-License-Identifier: Apache-2.0
#include "format/csv_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/fault.h"
#include "base/text.h"
#include "base/utf8.h"
#include "format/cell_type.h"
#include "format/formats.h"
#include "protium/fields.h"

namespace protium {
namespace {

std::string LineOf(const std::string& path, int64_t line) {
  return fmt::format("{}:{}", path, line);
}

Status NotOneCharacter(const std::string& what, const std::string& got) {
  return Fail({.exit = Exit::kUsage, .what = what + " must be one character, got \"" + got + "\""});
}

// All engines find columns without regard to case, so names must differ by more.
Status CheckHeader(const std::vector<std::string>& names, const std::string& path, int64_t line) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (seen.insert(Lower(name)).second) continue;
    return Fail({.exit = Exit::kInput,
                 .what = "two columns are named \"" + name + "\"",
                 .where = LineOf(path, line),
                 .why = "column names are matched without regard to case",
                 .fix = TypeOfCell(name) == CellType::kText
                            ? "rename one in the first line"
                            : "if the first line is a row: header = false; else rename one"});
  }
  return Status::OK();
}

// A file whose ending names no table format is read as CSV.
Status RefuseJson(const std::vector<CsvCell>& cells, const std::string& path) {
  const std::string_view first = cells.empty() ? std::string_view() : cells.front().text;
  if (!Lower(path).ends_with(".json") || first.find_first_of("[{") != 0) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = path + " is JSON, not CSV",
               .where = path,
               .fix = fmt::format("if each line is an object, name it .jsonl; else make it so: "
                                  "jq -c '.[]' {0} > {0}l",
                                  path)});
}

// Finds another delimiter in the name of a table's only column, which was meant to be several.
std::string DelimiterIn(const std::string& name) {
  for (const char* each : {";", "\t", "|"}) {
    if (name.find(each) != name.npos) return each;
  }
  return {};
}

}  // namespace

Status CheckCsvOptions(const CsvOptions& options) {
  if (options.delimiter != "auto" && options.delimiter.size() != 1) {
    return NotOneCharacter("delimiter", options.delimiter);
  }
  if (options.comment.size() > 1) return NotOneCharacter("comment", options.comment);
  for (const auto& [key, text] :
       {std::pair("delimiter", options.delimiter), {"comment", options.comment}}) {
    if (text != "\"" && text != "\n" && text != "\r") continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} must not be a quote or a line end, got {}", key,
                                     Dump(Json(text)))});
  }
  if (options.decimal != "." && options.decimal != ",") {
    return Fail({.exit = Exit::kUsage,
                 .what = "decimal must be \".\" or \",\", got \"" + options.decimal + "\""});
  }
  const bool marks = options.decimal == "," && options.delimiter == ",";
  if (!marks && (options.comment.empty() || options.comment != options.delimiter)) {
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = marks ? "decimal and delimiter are both \",\""
                             : "comment and delimiter are both \"" + options.comment + "\"",
               .fix = marks ? "say the delimiter: delimiter = \";\"" : ""});
}

bool IsPlainCsv(const CsvOptions& options) {
  return options.null.all.size() <= 1 && options.encoding == Encoding::kUtf8 &&
         options.decimal == "." && options.comment.empty() && !options.trim &&
         options.ragged == Ragged::kRefuse && options.types.all.empty();
}

bool MayHaveTabs(const std::string& path, const CsvOptions& options) {
  if (options.delimiter != "," || options.decimal == ",") return false;
  const std::string name = Lower(path);
  return name.ends_with(".tsv") || name.ends_with(".tsv.gz") || name.ends_with(".tsv.zst");
}

Status CheckOptionsFit(Format format, const CsvOptions& options) {
  if (format == Format::kCsv) return Status::OK();
  // Field by field: an option that is added later is checked as well.
  const Json given = FieldsToJson(options), usual = FieldsToJson(CsvOptions{});
  for (const auto& [key, value] : given.items()) {
    if (value == usual.value(key, Json())) continue;
    if (format == Format::kJsonLines && key == "types") continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("\"{}\" is an option of CSV, and this table is {}", key,
                                     KindOf(format).title),
                 .fix = "leave it out: " + std::string(KindOf(format).says_types)});
  }
  return Status::OK();
}

CsvSyntax SyntaxOf(const CsvOptions& options) {
  return {.delimiter = options.delimiter.front(),
          .comment = options.comment.empty() ? '\0' : options.comment.front(),
          .trim = options.trim};
}

char FindDelimiter(std::string_view text, const CsvOptions& options) {
  constexpr int kMostLines = 100;
  char best = ',';
  // One cell is no sign of a delimiter. Of equal ones, the first in this order is chosen.
  size_t most = 1;
  for (const char each : {',', ';', '\t', '|'}) {
    if (options.decimal == "," && each == ',') continue;
    CsvSyntax syntax = SyntaxOf(options);
    syntax.delimiter = each;
    // `text` is the beginning of a file: its last row may be cut off and does not count.
    CsvScanner scanner(text, syntax, "", /*more=*/true);
    std::vector<CsvCell> cells;
    size_t columns = 0;
    bool even = true;
    for (int line = 0; line < kMostLines && even; ++line) {
      const Result<bool> more = scanner.Next(cells);
      // A row that is malformed with this delimiter rules it out.
      even = more.ok();
      if (!even || !*more) break;
      if (columns == 0) columns = cells.size();
      even = cells.size() == columns;
    }
    if (even && columns > most) {
      most = columns;
      best = each;
    }
  }
  return best;
}

Result<std::vector<std::string>> CsvNames(const std::vector<CsvCell>& cells,
                                          const CsvOptions& options, const std::string& path,
                                          int64_t line) {
  // First: the names from a line of JSON would be refused for some other reason.
  PT_TRY(RefuseJson(cells, path));
  std::vector<std::string> names;
  for (size_t i = 0; i < cells.size(); ++i) {
    std::string name = options.header ? CsvText(cells[i]) : "";
    // R and pandas, for example, write no name over the column of row numbers.
    if (name.empty()) name = fmt::format("column{}", i + 1);
    names.push_back(std::move(name));
  }
  PT_TRY(CheckHeader(names, path, line));
  const std::string meant = names.size() == 1 ? DelimiterIn(names.front()) : "";
  if (meant.empty() || !options.header) return names;
  const std::string shown = meant == "\t" ? "\\t" : meant;
  return Fail({.exit = Exit::kInput,
               .what = "the only column is named \"" + names.front() + "\"",
               .where = LineOf(path, line),
               .fix = "set the delimiter: delimiter = \"" + shown + "\""});
}

Status RowTooLong(const std::string& path, int64_t line) {
  return Fail({.exit = Exit::kInput,
               .what = "a row is longer than 16 MiB",
               .where = LineOf(path, line),
               .fix = "look for a quote that is never closed; of cells as long as that, keep the "
                      "paths of their files in the table"});
}

Status WrongCellCount(const std::string& path, int64_t line, size_t got, size_t wanted) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} cells where {} are expected", got, wanted),
               .where = LineOf(path, line),
               .fix = "quote cells that hold the delimiter, or correct the line; ragged = \"pad\" "
                      "fills short rows, \"skip\" leaves such rows out"});
}

std::string QuotedCell(std::string_view text) {
  constexpr size_t kMost = 80;
  if (text.size() <= kMost) return fmt::format("\"{}\"", text);
  size_t end = kMost;
  while (end > 0 && IsContinuation(text[end])) --end;
  return fmt::format("\"{}...\" ({} bytes)", text.substr(0, end), text.size());
}

std::string FixOfCell(const std::string& column, std::string_view text) {
  const bool code = std::ranges::any_of(text, IsDigit) && std::ranges::any_of(text, IsLetter);
  if (!code) {
    return fmt::format("correct the cell, or say how nulls are written: null = {}",
                       QuotedCell(text));
  }
  const bool bare = std::ranges::all_of(column, IsNameCharacter);
  return fmt::format(
      "read a column of codes as text: types = {{ {} = \"string\" }}; or correct the cell",
      bare ? column : fmt::format("\"{}\"", column));
}

}  // namespace protium
