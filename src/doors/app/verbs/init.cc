// SPDX-License-Identifier: Apache-2.0
// `protium init`: examines a table, tries trees and a net on a sample of it, and writes a job file
// with the better of them that runs unchanged.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "app/first/compare.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "format/file_form.h"
#include "frame/outputs.h"
#include "inference/forecast.h"
#include "inspect/first_columns.h"
#include "inspect/first_job.h"
#include "inspect/first_program.h"
#include "inspect/first_source.h"
#include "inspect/place.h"
#include "job/csv_flags.h"
#include "job/read_job.h"
#include "os/file.h"
#include "os/library.h"
#include "os/signals.h"
#include "run/terminal.h"
#include "sql_words/tokens.h"
#include "terminal/printing.h"
#include "terminal/text_table.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// None: they are to be compared.
Result<std::optional<FirstEstimator>> GivenEstimator(const Arguments& arguments) {
  if (!arguments.Has("--estimator")) return std::nullopt;
  const std::string name = arguments.Value("--estimator");
  if (name == "trees") return FirstEstimator::kTrees;
  if (name == "net") return FirstEstimator::kNet;
  if (name == "linear") return FirstEstimator::kLinear;
  return Fail({.exit = Exit::kUsage,
               .what = "\"" + name + "\" is not an estimator",
               .where = "--estimator",
               .fix = Suggest(name, std::vector<std::string>{"trees", "net", "linear"})});
}

// The place, with the table of a database; what is there is not looked at yet.
Result<TypedPlace> PlaceIn(const Arguments& arguments) {
  const fs::path typed = fs::path(arguments.operand(0));
  std::error_code ignored;
  const bool folder =
      fs::is_directory(typed, ignored) && !fs::exists(typed / "_delta_log", ignored);
  PlaceGiven given;
  PT_LET(given.password, ReadPasswordFlags(arguments));
  // Of a folder it is one of the files.
  if (!folder) given.table = arguments.Value("--table", arguments.Value("--sheet"));
  return ReadPlace(arguments.operand(0), given);
}

Status CheckHorizon(const Arguments& arguments) {
  if (!arguments.Has("--horizon")) return Status::OK();
  if (arguments.Has("--cpp")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "--horizon is for job files",
                 .where = "--horizon",
                 .fix = "leave out --cpp, or write the lags in the program: docs/time.md"});
  }
  const Status horizon = ReadHorizon(arguments.Value("--horizon")).status();
  if (horizon.ok()) return horizon;
  Fault fault = FaultOf(horizon);
  fault.where = "--horizon";
  return Fail(std::move(fault));
}

Status CheckFlags(const Arguments& arguments, const TypedPlace& place, const fs::path& output) {
  const fs::path& table = place.path;
  if (!arguments.Has("--label")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "init needs --label COLUMN, the column to predict",
                 .fix = "protium inspect " + place.text() + " shows the columns"});
  }
  PT_TRY(CheckHorizon(arguments));
  std::error_code ignored;
  if (!place.elsewhere() && !fs::exists(table, ignored)) {
    std::vector<std::string> beside;
    for (const auto& entry : fs::directory_iterator(
             table.has_parent_path() ? table.parent_path() : fs::path("."), ignored)) {
      beside.push_back(entry.path().filename().string());
    }
    return Fail({.exit = Exit::kInput,
                 .what = "there is no table " + table.string(),
                 .fix = Suggest(table.filename().string(), beside)});
  }
  if (arguments.Has("--force") || !fs::exists(fs::symlink_status(output, ignored))) {
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = output.string() + " already exists",
               .fix = "choose another file with --output, or overwrite it with --force",
               .kept = "nothing was written"});
}

// Returns where the job finds its tables: relative, so that both can be moved together.
std::string DataFolder(const fs::path& folder, const fs::path& from) {
  const fs::path relative =
      fs::absolute(folder).lexically_normal().lexically_relative(fs::absolute(from));
  return relative.empty() ? fs::absolute(folder).string() : relative.string();
}

// Says how each table is read, if not in the default way.
std::string ReadingText(const std::vector<LookedTable>& tables) {
  std::string text;
  std::map<std::string, std::vector<std::string>> said;  // Tables by their options.
  for (const LookedTable& each : tables) {
    const std::string options = fmt::format("{}", fmt::join(OptionsSaid(each.look.csv), ", "));
    if (!options.empty()) said[options].push_back(each.place.name);
  }
  for (const auto& [options, names] : said) {
    const bool one = tables.size() == 1;
    text += fmt::format("{} {} read with {}\n",
                        one ? "the table" : fmt::format("{}", fmt::join(names, ", ")),
                        names.size() == 1 ? "is" : "are", options);
  }
  for (const LookedTable& each : tables) {
    for (const std::string& note : each.look.table.notes) text += note + "\n";
    for (const CodeColumn& code : each.look.codes) {
      text += fmt::format("{} has codes with leading zeros, such as {}: it is read as text\n",
                          code.column, code.example);
    }
    for (const std::string& line : OddLines(each.look.odd, each.look.csv.null)) text += line + "\n";
  }
  return text;
}

std::string BrokenText(const std::vector<BrokenTable>& broken) {
  std::string text;
  for (const BrokenTable& each : broken) {
    text += fmt::format("{} is left out, it cannot be read: {}\n", each.name, ReasonOf(each));
  }
  return text;
}

Status WriteJob(const JobOutline& outline, const fs::path& output) {
  PT_TRY(WriteFile(output, JobText(outline)));
  // What is written here must be right; a bug of ours is better reported now than in the run.
  return ReadJob(output, {}).status();
}

Status WriteProgram(const JobOutline& outline, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  PT_TRY(WriteFile(folder / "main.cc", ProgramText(outline)));
  return WriteFile(folder / "CMakeLists.txt", ProgramCMake(outline.spec.name));
}

std::vector<fs::path> Written(const fs::path& output, bool program) {
  if (!program) return {output};
  return {output / "main.cc", output / "CMakeLists.txt"};
}

std::string NextText(const JobOutline& outline, const fs::path& output, bool program,
                     const std::string& command) {
  if (!program) {
    return fmt::format("wrote {0}; next: {1} run {0}\n", output.string(), command);
  }
  // The prefix of this command's installation, unless CMake searches there anyway.
  const fs::path prefix = fs::absolute(OwnLibraryFolder() / "..").lexically_normal();
  std::error_code error;
  const bool told = prefix != "/usr/" && prefix != "/usr/local/" &&
                    fs::exists(prefix / "lib/cmake/protium", error);
  return fmt::format(
      "wrote {0}/main.cc and {0}/CMakeLists.txt; next:\n"
      "  cmake -S {0} -B {0}/build{2} && cmake --build {0}/build && {0}/build/{1}\n",
      output.string(), outline.spec.name, told ? " -DCMAKE_PREFIX_PATH=" + prefix.string() : "");
}

// Makes a name that is valid for a CMake target and a program.
std::string ProgramName(std::string name) {
  for (char& c : name) {
    if (!IsWordLetter(c)) c = '_';
  }
  return name;
}

// Says on a terminal why nothing happens for some seconds.
void ChooseEstimator(std::optional<FirstEstimator> given, Variants variants, JobOutline& outline) {
  if (given) {
    outline.estimator = *given;
    return;
  }
  if (Terminal::Of(STDERR_FILENO).live) PrintNote("trying trees and a net ...\n");
  const Compared compared = CompareEstimators(outline, variants);
  outline.estimator = compared.best;
  outline.why = compared.why;
  outline.notes.push_back(compared.why +
                          (compared.effort.empty() ? "" : " (" + compared.effort + ")"));
  outline.compared = compared.figures;
  if (compared.words) ReadWords(outline);
  if (compared.many_values) ReadManyValues(outline);
  outline.log_label = compared.log_label;
  outline.notes.insert(outline.notes.end(), compared.notes.begin(), compared.notes.end());
}

// The folder of the tables, as the job names it; empty for a server's.
std::string DataOf(const TypedPlace& place, const fs::path& from) {
  if (place.elsewhere()) return {};
  const fs::path folder = fs::absolute(place.path).lexically_normal();
  return DataFolder(
      folder.has_filename() ? folder.parent_path() : folder.parent_path().parent_path(), from);
}

// Columns are named as the joined tables have them.
Status CheckNames(const std::vector<std::string>& names, const char* flag,
                  const FirstJobSpec& spec) {
  std::vector<std::string> known;
  for (const ColumnProfile& each : spec.source.seen.columns) known.push_back(each.name);
  for (const std::string& name : names) {
    if (spec.source.seen.Find(name) != nullptr && name != spec.label) continue;
    const bool label = name == spec.label;
    return Fail({.exit = Exit::kUsage,
                 .what = label ? fmt::format("\"{}\" is the label", name)
                               : fmt::format("the table has no column \"{}\"", name),
                 .where = flag,
                 .fix = label ? "" : Suggest(name, known)});
  }
  return Status::OK();
}

Status ReadWishes(const Arguments& arguments, FirstJobSpec& spec) {
  spec.wishes = {.kept = arguments.Values("--keep"), .dropped = arguments.Values("--drop")};
  PT_TRY(CheckNames(spec.wishes.kept, "--keep", spec));
  PT_TRY(CheckNames(spec.wishes.dropped, "--drop", spec));
  for (const std::string& name : spec.wishes.kept) {
    if (std::ranges::find(spec.wishes.dropped, name) == spec.wishes.dropped.end()) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("\"{}\" is both kept and dropped", name),
                 .where = "--drop"});
  }
  return Status::OK();
}

// A column that is kept is learned from although it gives the label away.
Status AddLeaks(const ColumnProfile& label, FirstJobSpec& spec) {
  PT_LET(const Leaks leaks, FindLeaksIn(spec.source, label.name, IsOfClasses(label)));
  for (const auto& [column, why] : leaks) spec.leaks[column] = why + ": a possible target leak";
  for (const std::string& name : spec.wishes.kept) spec.leaks.erase(name);
  return Status::OK();
}

// What each column is to the job, and why.
std::string ExplainText(const JobOutline& outline) {
  std::vector<std::vector<std::string>> rows = {{"column", "use", "why"}};
  for (const ColumnReason& each : outline.columns.reasons) {
    const bool label = each.use == "label";
    rows.push_back({each.column, each.use, label ? std::string(AimText(outline.aim)) : each.why});
  }
  return FittedTable(std::move(rows));
}

// A program gets a split by time, and no stages that look back.
Status OrderInTime(const Arguments& arguments, const std::string& label, FirstJobSpec& spec) {
  const SeriesGiven given{.time = arguments.Value("--time"),
                          .horizon = arguments.Value("--horizon"),
                          .kept = arguments.Values("--keep")};
  PT_LET(spec.series, FindSeries(spec.source, label, given));
  if (arguments.Has("--cpp")) {
    if (given.time.empty()) spec.series = {};
    spec.series.step.clear();
  }
  for (const std::string& each : spec.series.unknown) {
    spec.leaks.emplace(each, fmt::format("is not known {} ahead; --keep {} uses it anyway",
                                         spec.series.Steps(spec.series.horizon), each));
  }
  return Status::OK();
}

Status Init(const Arguments& arguments, const Invocation& invocation) {
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::MakeEnding());
  PT_LET(TypedPlace place, PlaceIn(arguments));
  place.path = place.path.lexically_normal();
  PT_LET(place, WithTable(std::move(place)));
  const bool program = arguments.Has("--cpp");
  std::string name = place.name();
  if (program) name = ProgramName(name);
  const fs::path output = arguments.Value("--output", program ? name : name + ".toml");
  PT_TRY(CheckFlags(arguments, place, program ? output / "main.cc" : output));
  for (const fs::path& each : Written(output, program)) {
    if (!place.elsewhere()) PT_TRY(RefuseRead(std::array{place.path}, each));
  }
  const std::string label = arguments.Value("--label");
  PT_LET(const auto estimator, GivenEstimator(arguments));
  PT_LET(const CsvGiven given, ReadCsvFlags(arguments));
  PT_LET(LookedPlace looked, LookForTables(place, given, label, arguments.Value("--table")));
  std::vector<LookedTable>& tables = looked.tables;
  if (tables.size() == 1) PT_TRY(FindLabel(tables[0].look.table, label).status());
  const TypedPlace main_place = tables[0].place.at;
  const std::string reading = ReadingText(tables) + BrokenText(looked.broken);
  LookedTable main = std::move(tables.front());
  tables.erase(tables.begin());
  FirstJobSpec spec{.name = name,
                    .file = output.filename().string(),
                    .data = DataOf(main_place, program ? "." : fs::absolute(output).parent_path()),
                    .label = label};
  PT_LET(spec.source, FindSource(std::move(main), std::move(tables), label));
  PT_LET(const ColumnProfile* const found, FindLabel(spec.source.seen, label));
  PT_TRY(ReadWishes(arguments, spec));
  PT_TRY(OrderInTime(arguments, found->name, spec));
  PT_TRY(AddLeaks(*found, spec));
  PT_LET(JobOutline outline, OutlineOf(spec));
  if (program && !outline.columns.texts.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the only inputs are texts, which --cpp does not read",
                 .where = "--cpp",
                 .fix = "leave it out, and write the program from the job file"});
  }
  // The program has no stages for them.
  ChooseEstimator(estimator, program ? Variants::kNone : Variants::kTried, outline);
  PT_TRY(program ? WriteProgram(outline, output) : WriteJob(outline, output));
  std::string text = reading;
  for (const std::string& note : spec.source.notes) text += note + "\n";
  for (const std::string& note : outline.notes) text += note + "\n";
  if (spec.leaks.size() > spec.series.unknown.size())
    text += "to use one of the possible leaks anyway: --keep COLUMN\n";
  if (arguments.Has("--explain")) text += "\n";
  return PrintResult(FittedLines(text) + (arguments.Has("--explain") ? ExplainText(outline) : "") +
                     "\n" + NextText(outline, output, program, invocation.name));
}

}  // namespace

CommandVerb InitVerb() {
  return {
      {.name = "init",
       .operands = {"TABLE"},
       .flags = {{"--label", "COLUMN", "the column to predict", ""},
                 {"--output", "FILE", "the job file (TABLE.toml); with --cpp a folder (TABLE)", ""},
                 {"--table", "NAME", "the table to learn from, in a database or a folder", ""},
                 {"--sheet", "NAME", "the sheet of an .xlsx file (the first)", ""},
                 {"--estimator", "NAME",
                  "trees, net or linear; unless set, trees and a net are tried on a sample", ""},
                 {"--keep", "COLUMN",
                  "uses a column that would be left out, such as a possible leak or an id; may be "
                  "repeated",
                  ""},
                 {"--drop", "COLUMN", "leaves a column out; may be repeated", ""},
                 {"--explain", "", "shows how each column is used, and why", ""},
                 {"--time", "COLUMN",
                  "the column of dates or times that orders the rows; unless set, found where rows "
                  "are series",
                  ""},
                 {"--horizon", "TIME",
                  "how far ahead of the latest known rows the model predicts, such as 28d, or a "
                  "number of rows; only what is known then is learned from",
                  ""},
                 {"--cpp", "", "writes a program in C++ instead, with its CMakeLists.txt", ""},
                 {"--null", "TEXT", "how a CSV file writes missing values; may be repeated", ""},
                 DelimiterFlag(),
                 CsvFlag(),
                 PasswordFlags()[0],
                 PasswordFlags()[1],
                 {"--force", "", "overwrites an existing job file", ""}},
       .says = "writes a job file for a table",
       .more = "Looks at the columns of a table, a file or a folder of files, and writes a job "
               "that predicts\n"
               "one of them. The kind of task follows from the label, the stages from the types of "
               "the other\n"
               "columns; the rows are split by time or by group where there is one. Columns that "
               "say nothing, or\n"
               "give the label away, are left out and listed. Of the tables of a folder, the one "
               "with the label\n"
               "is the training table; the others are joined to it by the keys that they share.\n"
               "\n"
               "Trees and a net are both tried on a sample of the rows, for a few seconds, and the "
               "job gets the\n"
               "better one; --estimator chooses one without trying.\n"
               "\n"
               "TABLE may also be a table of a database, a spreadsheet, or a Delta folder.\n"
               "\n"
               "  protium init sales.csv --label revenue\n"
               "  protium init shop/ --label revenue --cpp\n"
               "  protium init postgres://me@db.example/shop --table orders --label late "
               "--password-env PW\n"},
      Init};
}

}  // namespace protium
