// SPDX-License-Identifier: Apache-2.0
// `protium inspect`: shows a table, a model, a weights file or a run. The contents of the path
// decide which; a word that is not a path is looked up among the runs. Starts nothing except, for a
// table, an engine without a run folder.
#include <arrow/type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "app/run/model_outline.h"
#include "app/run/named_run.h"
#include "app/run/net_outline.h"
#include "app/run/run_report.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/text.h"
#include "base/units.h"
#include "column/cells.h"
#include "format/file_form.h"
#include "frame/session_state.h"
#include "inspect/first_columns.h"
#include "inspect/first_look.h"
#include "inspect/first_source.h"
#include "inspect/folder_tables.h"
#include "inspect/place.h"
#include "inspect/sql_names.h"
#include "inspect/text_dates.h"
#include "job/csv_flags.h"
#include "leaks/leaks.h"
#include "leaks/table_profile.h"
#include "onnx_runtime/net.h"
#include "os/signals.h"
#include "run/terminal.h"
#include "terminal/grid.h"
#include "terminal/printing.h"
#include "terminal/text_table.h"
#include "terminal/values.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kFirstRows = 10;
constexpr int32_t kNarrowestTop = 12;
constexpr int32_t kWidestName = 28;
constexpr int32_t kWidestValue = 20;

// Each kind of thing becomes one JSON object with "kind" and "path" (a run: the result of
// RunAsJson()), and the text is made from that object, so that both forms say the same.

// Returns as many of the most frequent values as fit into `width`, with their shares.
std::string TopText(const TableProfile& table, const ColumnProfile& column, int32_t width) {
  std::string text;
  for (const auto& [value, rows] : column.top) {
    const double percent = 100 * double(rows) / double(table.rows);
    const std::string each =
        fmt::format("{}{} ({}%)", text.empty() ? "" : ", ", value,
                    percent < 0.5 ? std::string("<1") : fmt::format("{:.0f}", percent));
    if (!text.empty() && TextWidth(text + each) > width) break;
    text += each;
  }
  return CutToWidth(text, width);
}

// The most frequent values get the part of the line that the other columns leave, or are omitted if
// that is too little.
std::string ColumnsText(const TableProfile& table, int32_t width) {
  constexpr int kMedian = 5;  // Dropped first on a narrow terminal.
  const std::vector<bool> right = {false, false, true, true};
  std::vector<std::vector<std::string>> rows = {
      {"  column", "type", "missing", "distinct", "min", "median", "max"}};
  for (const ColumnProfile& each : table.columns) {
    rows.push_back({"  " + CutToWidth(each.name, kWidestName), TypeText(*each.type),
                    Grouped(each.nulls), (each.exact ? "" : "about ") + Grouped(each.distinct),
                    CutToWidth(each.least, kWidestValue), CutToWidth(each.median, kWidestValue),
                    CutToWidth(each.greatest, kWidestValue)});
  }
  std::vector<int32_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], TextWidth(row[i]));
  }
  int32_t left = width;
  for (const int32_t each : widths) left -= each + 2;
  if (left >= kNarrowestTop) {
    rows[0].push_back("most frequent");
    for (size_t i = 1; i < rows.size(); ++i) {
      rows[i].push_back(TopText(table, table.columns[i - 1], left));
    }
  }
  if (left < 0 && width < 80 && isatty(STDOUT_FILENO) == 1) {
    for (auto& row : rows) row.erase(row.begin() + kMedian);
  }
  return FittedTable(std::move(rows), right);
}

// Returns what to know before making a model from the table.
std::string NotesText(const TableProfile& table, const std::map<std::string, TextDate>& dates) {
  std::string text;
  for (const ColumnProfile& each : table.columns) {
    if (dates.contains(each.name)) continue;
    const std::string why = WhyUseless(table, each);
    if (!why.empty()) text += "  " + each.name + " " + why + "\n";
  }
  return text.empty() ? "" : "\ncolumns of little use as inputs\n" + text;
}

// Lists dates that are text to the engines, with the SQL that reads them.
std::string DatesText(const std::map<std::string, TextDate>& dates) {
  std::string text;
  for (const auto& [column, date] : dates) {
    const std::string name = SqlName(column);
    const bool odd = date.odd_values > 0;
    text += fmt::format("  {}: {} AS {}\n", column,
                        odd ? LooseReadingOf(date, name) : ReadingOf(date, name), name);
    if (odd) {
      text += fmt::format("    {} of its values are something else, such as \"{}\"\n",
                          Grouped(date.odd_values), CutToWidth(date.odd, kWidestValue));
    }
  }
  return text.empty() ? "" : "\ndates stored as text, and SQL to read them\n" + text;
}

// Says of columns of dates how SQL reads them, and not that they look like ids.
void AddDates(const std::map<std::string, TextDate>& dates, Json& columns) {
  for (Json& column : columns) {
    const auto date = dates.find(TextAt(column, "name"));
    if (date == dates.end()) continue;
    const std::string name = SqlName(date->first);
    column.erase("note");
    column["sql"] = date->second.odd_values > 0 ? LooseReadingOf(date->second, name)
                                                : ReadingOf(date->second, name);
  }
}

// The tables of a folder: {"table", "rows", "columns": names}, or {"table", "error"}.
Result<Json> FolderAsJson(const fs::path& folder, const std::vector<TablePlace>& places,
                          const CsvGiven& given) {
  Json tables = Json::array();
  for (const TablePlace& place : places) {
    const Result<FirstLook> look = LookAt(place.at, given, 0);
    if (IsOfTable(look.status())) {
      tables.push_back({{"table", place.name}, {"error", ReasonOf({place.name, look.status()})}});
      continue;
    }
    PT_TRY(look.status());
    Json columns = Json::array();
    for (const ColumnProfile& each : look->table.columns) columns.push_back(each.name);
    tables.push_back(
        {{"table", place.name}, {"rows", look->table.rows}, {"columns", std::move(columns)}});
  }
  return Json{{"kind", "folder"}, {"path", folder.string()}, {"tables", std::move(tables)}};
}

// Lists them, one line each.
std::string FolderAsText(const Json& folder) {
  std::vector<std::vector<std::string>> rows = {{"  table", "rows", "columns"}};
  std::string broken;
  for (const Json& each : folder["tables"]) {
    const std::string& name = TextAt(each, "table");
    if (each.contains("error")) {
      broken += "  " + name + ": " + TextAt(each, "error") + "\n";
    } else {
      rows.push_back({"  " + name, Grouped(WholeAt(each, "rows")), Shown(each["columns"])});
    }
  }
  if (!broken.empty()) broken = "\ntables that cannot be read\n" + broken;
  return fmt::format("{}  {} tables\n\n", TextAt(folder, "path"), folder["tables"].size()) +
         FittedTable(std::move(rows), {false, true, false}) + broken +
         "\nprotium inspect FILE shows one of them, protium init FOLDER --label COLUMN joins "
         "them\n";
}

// Says how the table is read if that was detected, what the reader reported, and which CSV columns
// are text because of a few cells, with a fix for each.
std::string ReadingText(const FirstLook& look, const CsvOptions& given) {
  std::string text;
  const std::vector<std::string> said = OptionsSaid(look.csv);
  if (said != OptionsSaid(given)) text += fmt::format("\nread with {}\n", fmt::join(said, ", "));
  if (!look.table.notes.empty()) text += "\nnotes on reading\n";
  for (const std::string& note : look.table.notes) text += "  " + note + "\n";
  if (!look.odd.empty()) text += "\ncolumns read as text because of a few values\n";
  for (const std::string& line : OddLines(look.odd, look.csv.null)) text += "  " + line + "\n";
  if (!look.codes.empty()) text += "\ncodes with leading zeros, which protium init reads as text\n";
  for (const CodeColumn& each : look.codes) {
    text += fmt::format("  {}, such as {}\n", each.column, each.example);
  }
  return text;
}

// What tells the column `label`, by the columns of the table; none without a label.
Result<Leaks> LeaksIn(const TypedPlace& place, const FirstLook& look, const std::string& label) {
  if (label.empty()) return Leaks();
  PT_LET(const ColumnProfile* const column, FindLabel(look.table, label));
  PT_LET(const FirstSource source, FindSource({{place.name(), place}, look}, {}, column->name));
  return FindLeaksIn(source, column->name, IsOfClasses(*column));
}

std::string LeaksText(const Leaks& leaks, const std::string& label) {
  if (label.empty()) return {};
  if (leaks.empty()) return "\nno column gives " + label + " away by itself\n";
  std::string text = "\npossible target leaks\n";
  for (const std::string& line : LeakLines(leaks)) text += "  " + line + "\n";
  return text + "protium init leaves them out; --keep COLUMN keeps one\n";
}

Status ShowTable(const TypedPlace& place, const CsvGiven& given, const std::string& label,
                 bool as_json) {
  PT_LET(const FirstLook look, LookAt(place, given, kFirstRows));
  const TableProfile& table = look.table;
  PT_LET(const auto dates, FindTextDatesAt(place, look.csv, table));
  PT_LET(const Leaks leaks, LeaksIn(place, look, label));
  if (as_json) {
    Json json = {{"kind", place.source ? FieldsToJson(place.source->kind)
                                       : FieldsToJson(FormatOfPlace(place.path))},
                 {"path", place.text()}};
    json.update(ProfileToJson(table));
    AddDates(dates, json["columns"]);
    if (!label.empty()) json["leaks"] = leaks;
    return PrintResult(Dump(json) + "\n");
  }
  const int32_t width = std::max(Terminal::Of(STDOUT_FILENO).width, 60);
  std::string text = fmt::format("{}  {} row{}, {} columns\n\n", place.text(), Grouped(table.rows),
                                 table.rows == 1 ? "" : "s", table.columns.size());
  text += ColumnsText(table, width) + NotesText(table, dates) + DatesText(dates) +
          ReadingText(look, given.options) + LeaksText(leaks, label);
  if (table.rows > 0) text += "\nfirst rows\n" + DrawGrid(*table.head, width);
  return PrintResult(text);
}

Status Show(const Result<Json>& json, bool as_json, std::string (*text)(const Json&)) {
  PT_TRY(json.status());
  return PrintResult(as_json ? Dump(*json) + "\n" : text(*json));
}

// "about 4,000 rows, 1.2 MiB"; what is unknown is omitted.
std::string SizeText(const DatabaseTable& table) {
  std::string text;
  if (table.rows >= 0)
    text = fmt::format("about {} row{}", Grouped(table.rows), PluralOf(table.rows));
  if (table.bytes >= 0) {
    text += (text.empty() ? "" : ", ") + BytesText(double(table.bytes));
  }
  return text.empty() ? "not known" : text;
}

// Lists the tables of a database with the sizes that it estimates.
Status ShowDatabase(const TypedPlace& place, bool as_json) {
  PT_LET(const auto tables, TablesOf(*place.source));
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows = {{"  table", "size, as the database says"}};
  for (const DatabaseTable& each : tables) {
    rows.push_back({"  " + each.name, SizeText(each)});
    Json& table = list.emplace_back(Json{{"table", each.name}});
    if (each.rows >= 0) table["rows"] = each.rows;
    if (each.bytes >= 0) table["bytes"] = each.bytes;
  }
  if (as_json) {
    return PrintResult(Dump(Json{{"kind", "database"}, {"path", place.text()}, {"tables", list}}) +
                       "\n");
  }
  return PrintResult(fmt::format("{}  {} tables\n\n", place.text(), tables.size()) +
                     FittedTable(std::move(rows)) +
                     "\nprotium inspect with --table NAME shows one of them\n");
}

// A source; nothing for any other place.
Result<std::optional<TypedPlace>> SourceIn(const Arguments& arguments) {
  PlaceGiven given{.table = arguments.Value("--table", arguments.Value("--sheet"))};
  PT_LET(given.password, ReadPasswordFlags(arguments));
  PT_LET(TypedPlace place, ReadPlace(arguments.operand(0), given));
  if (!place.source) return std::nullopt;
  return std::optional(std::move(place));
}

// A run or a model on an object store is read in its copy here.
Result<fs::path> BroughtHere(const Arguments& arguments) {
  const std::string what = arguments.operand(0);
  if (!IsOnStore(what) || FormOfName(what)) return fs::path(what);
  if (what.ends_with("/model")) return FindNamedModel(arguments, what);
  PT_LET(NamedRun run, FindNamedRun(arguments, what, Parts::kFacts));
  return std::move(run.path);
}

// In this order: a model folder, a safetensors file, an ONNX file, a job file (refused), a database
// or one of its tables, any other file as a table, and finally a run, which may be named by the
// beginning of its name.
Status Inspect(const Arguments& arguments, const Invocation& invocation) {
  // Tables that no engine reads directly are imported into a temporary folder.
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::MakeEnding());
  PT_LET(const fs::path what, BroughtHere(arguments));
  const bool json = arguments.Has("--json");
  const std::string label = arguments.Value("--label");
  std::error_code ignored;
  if (fs::exists(what / "model.json", ignored)) return Show(ModelAsJson(what), json, ModelAsText);
  if (what.extension() == ".safetensors") return Show(WeightsAsJson(what), json, ModelAsText);
  if (IsOnnxFile(what)) return Show(NetAsJson(what), json, NetAsText);
  // Otherwise it would be read as a CSV table.
  if (what.extension() == ".toml" && fs::is_regular_file(what, ignored)) {
    return Fail({.exit = Exit::kUsage,
                 .what = what.string() + " is a job file, not a table, a model or a run",
                 .fix = "protium plan " + what.string()});
  }
  PT_LET(const std::optional<TypedPlace> source, SourceIn(arguments));
  if (source) {
    if (source->is_database()) return ShowDatabase(*source, json);
    const bool csv = source->source->kind == SourceKind::kCsv;
    PT_LET(const CsvGiven given, csv ? ReadCsvFlags(arguments) : Result<CsvGiven>(CsvGiven()));
    return ShowTable(*source, given, label, json);
  }
  const bool folder = fs::is_directory(what, ignored) && !fs::exists(what / "run.json", ignored);
  if (fs::is_regular_file(what, ignored) || (folder && HoldsTable(what))) {
    PT_LET(const CsvGiven given, ReadCsvFlags(arguments));
    PT_LET(const auto places,
           folder ? ListTables(what) : Result<std::vector<TablePlace>>(std::vector<TablePlace>()));
    PT_LET(const bool one, places.size() < 2 ? Result<bool>(true) : AreParts(places, given));
    return one ? ShowTable(what, given, label, json)
               : Show(FolderAsJson(what, places, given), json, FolderAsText);
  }
  // A folder that is none of these gets its own message; for a word the nearest runs are named.
  auto named = FindNamedRun(arguments, what.string(), Parts::kFacts);
  const Result<fs::path> run = named.ok() ? Result<fs::path>(named->path) : named.status();
  if (!run.ok() && fs::is_directory(what, ignored)) {
    return Fail({.exit = Exit::kInput,
                 .what = what.string() + " is neither a model nor a run",
                 .why = "it has no model.json and no run.json"});
  }
  if (!run.ok()) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("there is no file, model or run \"{}\"", what.string()),
                 .fix = FaultOf(run.status()).fix});
  }
  if (json) return PrintResult(Dump(RunAsJson(*run)) + "\n");
  PT_LET(const std::string text, RunAsText(*run));
  return PrintResult(text);
}

}  // namespace

CommandVerb InspectVerb() {
  return {
      {.name = "inspect",
       .operands = {"WHAT"},
       .flags = {JsonFlag(),
                 {"--label", "COLUMN",
                  "for a table: looks for target leaks, columns that give this one away", ""},
                 {"--null", "TEXT", "how a CSV file writes missing values; may be repeated", ""},
                 DelimiterFlag(),
                 CsvFlag(),
                 {"--table", "NAME", "a table of a database (unless set, they are listed)", ""},
                 {"--sheet", "NAME", "the sheet of an .xlsx file (the first)", ""},
                 PasswordFlags()[0],
                 PasswordFlags()[1],
                 RunsDirFlag()},
       .says = "shows a table, a model or a run",
       .more = "For a table: the type of each column, how many of its values are missing and how "
               "many are\n"
               "distinct, the minimum, median and maximum, where there is room the most frequent "
               "values, and\n"
               "the first rows. It takes one pass over the rows, with --label two.\n"
               "\n"
               "  protium inspect data/flights.csv --null NA\n"
               "  protium inspect postgres://me@db.example/shop --table orders --password-env PW\n"
               "  protium inspect runs/flights-.../model --json\n"},
      Inspect};
}

}  // namespace protium
