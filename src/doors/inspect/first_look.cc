// SPDX-License-Identifier: Apache-2.0
#include "inspect/first_look.h"

#include <arrow/type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "format/csv_options.h"
#include "format/csv_syntax.h"
#include "frame/open.h"
#include "frame/session_state.h"
#include "frame/table_files.h"
#include "inspect/folder_tables.h"
#include "inspect/profile.h"
#include "run/terminal.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Each fix may expose the next: blanks, then a word for NULL, then a comma.
constexpr int kMostFixes = 3;

Result<FirstLook> Read(const TypedPlace& place, const CsvOptions& csv, int64_t head,
                       const std::vector<std::string>& files) {
  FirstLook look{.csv = csv};
  PT_LET(look.table, ProfilePlace(place, csv, head));
  if (files.empty()) return look;
  arrow::FieldVector fields;
  for (const ColumnProfile& each : look.table.columns) {
    fields.push_back(arrow::field(each.name, each.type));
  }
  PT_LET(look.odd, FindOddColumns(files, csv, arrow::Schema(fields)));
  return look;
}

bool IsText(const ColumnProfile& column) { return column.type->id() == arrow::Type::STRING; }

// Whether columns of text became something else and no other column became text.
bool IsBetter(const TableProfile& before, const TableProfile& after) {
  if (before.columns.size() != after.columns.size()) return true;
  bool better = false;
  for (size_t i = 0; i < before.columns.size(); ++i) {
    const bool was = IsText(before.columns[i]), is = IsText(after.columns[i]);
    if (is && !was) return false;
    better = better || (was && !is);
  }
  return better;
}

// The files of a table, for those who look at their text.
struct CsvFiles {
  std::vector<std::string> paths;       // None if the table is not CSV.
  std::unique_ptr<Session> holds = {};  // Keeps copies of what lies at an object store.
};

Result<CsvFiles> FindCsvFiles(const TypedPlace& place) {
  if (!place.source) {
    if (FormatOfPlace(place.path) != Format::kCsv) return CsvFiles();
    PT_LET(TableFiles files, FindFiles(fs::absolute(place.path), Format::kCsv, {}));
    return CsvFiles{std::move(files.paths)};
  }
  CsvFiles files;
  if (place.source->kind != SourceKind::kCsv) return files;
  PT_LET(files.holds, OpenSession(LookOptions(place)));
  SessionState& session = StateOf(*files.holds);
  PT_LET(const Source pinned, session.engine().Pin(*place.source, session.call()));
  PT_LET(const auto copies, session.engine().CopyHere(pinned, session.call()));
  for (const ObjectCopy& each : copies) files.paths.push_back(each.path);
  return files;
}

// Returns `options` with the marks for missing values that are among the most frequent cells of
// text columns: a column that is text anyway does not reveal by its type that they are missing
// values.
CsvOptions WithMarks(const TableProfile& table, const CsvOptions& options) {
  CsvOptions marked = options;
  for (const ColumnProfile& column : table.columns) {
    if (!IsText(column)) continue;
    for (const auto& [text, rows] : column.top) {
      if (IsNullMark(text)) marked.null.all.push_back(text);
    }
  }
  std::vector<std::string>& all = marked.null.all;
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return marked;
}

// Faults name options as in job files.
Status WithFlag(const Status& status) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  if (fault.fix.find(" = ") != std::string::npos) fault.fix += "; here: --csv KEY=VALUE";
  return Fail(std::move(fault));
}

// Reads columns of codes as text.
Result<FirstLook> WithCodes(FirstLook look, const TypedPlace& place, int64_t head,
                            const std::vector<std::string>& files) {
  PT_LET(std::vector<CodeColumn> codes, FindCodes(files, look.csv, look.table));
  if (codes.empty()) return look;
  CsvOptions csv = look.csv;
  for (const CodeColumn& each : codes) csv.types.all.emplace_back(each.column, "string");
  PT_LET(FirstLook again, Read(place, csv, head, files));
  again.codes = std::move(codes);
  return again;
}

Result<FirstLook> Look(const TypedPlace& place, const CsvGiven& given, int64_t head) {
  PT_LET(const CsvFiles files, FindCsvFiles(place));
  CsvOptions csv = given.options;
  if (!files.paths.empty()) {
    PT_LET(csv, FindSyntax(files.paths.front(), given.options, given.said));
  }
  PT_LET(FirstLook look, Read(place, csv, head, files.paths));
  if (files.paths.empty() || given.said.contains("types")) return look;
  PT_LET(look.codes, FindCodes(files.paths, look.csv, look.table));
  return look;
}

}  // namespace

Result<FirstLook> LookAt(const TypedPlace& place, const CsvGiven& given, int64_t head) {
  Result<FirstLook> look = Look(place, given, head);
  return look.ok() ? std::move(look) : Result<FirstLook>(WithFlag(look.status()));
}

Result<FirstLook> LookAndFix(const TypedPlace& place, const CsvGiven& given, int64_t head) {
  PT_LET(FirstLook look, LookAt(place, given, head));
  PT_LET(const CsvFiles found, FindCsvFiles(place));
  const std::vector<std::string>& files = found.paths;
  for (int i = 0; i < kMostFixes; ++i) {
    CsvOptions fixed = WithFixes(look.odd, look.csv);
    if (FieldsToJson(fixed) == FieldsToJson(look.csv)) break;
    PT_LET(FirstLook again, Read(place, fixed, head, files));
    if (!IsBetter(look.table, again.table)) break;
    look = std::move(again);
  }
  if (files.empty()) return look;
  if (!given.said.contains("types")) {
    PT_LET(look, WithCodes(std::move(look), place, head, files));
  }
  if (given.said.contains("null")) return look;
  const CsvOptions marked = WithMarks(look.table, look.csv);
  if (marked.null.all.size() == look.csv.null.all.size()) return look;
  PT_LET(FirstLook again, Read(place, marked, head, files));
  again.codes = std::move(look.codes);
  return again;
}

std::vector<std::string> OddLines(const std::vector<OddColumn>& odd, const NullTexts& null) {
  std::vector<std::string> lines;
  for (const OddColumn& each : odd) {
    std::string text = fmt::format("{} would be {}", each.column, each.type);
    std::vector<std::string> fixes;
    if (!each.texts.empty()) {
      NullTexts nulls = null;
      std::string named;
      for (const std::string& cell : each.texts) {
        named += (named.empty() ? "" : ", ") + QuotedCell(cell);
        nulls.all.push_back(cell);
      }
      text += fmt::format(" but for {} cell{} such as {}, the first at {}", Grouped(each.cells),
                          each.cells == 1 ? "" : "s", named, each.where);
      fixes.push_back("null = " + Dump(ToJson(nulls)) + " reads them as missing");
    }
    if (each.trim) fixes.push_back("trim = true");
    if (each.decimal_comma) {
      fixes.push_back(each.maybe_groups ? "decimal = \",\", unless its commas group thousands"
                                        : "decimal = \",\"");
    }
    lines.push_back(fmt::format("{}: {}", text, fmt::join(fixes, ", ")));
  }
  return lines;
}

}  // namespace protium
