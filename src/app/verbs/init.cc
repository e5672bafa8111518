// SPDX-License-Identifier: Apache-2.0
// `protium init`: looks at a table and writes a job file that runs as it stands. Reads the table
// once and starts nothing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "app/csv_flags.h"
#include "app/job/read_job.h"
#include "app/table/first_job.h"
#include "app/table/first_look.h"
#include "app/table/folder_tables.h"
#include "app/verb.h"
#include "base/fault.h"
#include "format/file_form.h"
#include "os/file.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

Status CheckFlags(const Arguments& arguments, const fs::path& table, const fs::path& output) {
  if (!arguments.Has("--label")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "init needs --label COLUMN, the column to predict",
                 .fix = "protium inspect " + table.string() + " shows the columns"});
  }
  std::error_code ignored;
  if (!fs::exists(table, ignored)) {
    return Fail({.exit = Exit::kInput, .what = "there is no table " + table.string()});
  }
  if (arguments.Has("--force") || !fs::exists(fs::symlink_status(output, ignored))) {
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = output.string() + " already exists",
               .fix = "choose another file with --output, or overwrite it with --force",
               .kept = "nothing was written"});
}

// Where the job finds its table: relative, so that both can be moved together.
std::string DataFolder(const fs::path& table, const fs::path& output) {
  const fs::path folder = fs::absolute(table).lexically_normal().parent_path();
  const fs::path from = fs::absolute(output).lexically_normal().parent_path();
  const fs::path relative = folder.lexically_relative(from);
  return relative.empty() ? folder.string() : relative.string();
}

Status Init(const Arguments& arguments, const Invocation& invocation) {
  const fs::path table = fs::path(arguments.operand(0)).lexically_normal();
  const std::string name =
      table.has_filename() ? TableNameOf(table.string()) : table.parent_path().filename().string();
  const fs::path output = arguments.Value("--output", name + ".toml");
  PT_TRY(CheckFlags(arguments, table, output));
  FirstJobSpec spec{.name = name,
                    .data = DataFolder(table, output),
                    .file = table.filename().string(),
                    .format = FormatOfPlace(table),
                    .label = arguments.Value("--label")};
  PT_LET(const CsvGiven given, ReadCsvFlags(arguments));
  PT_LET(const FirstLook look, LookAndMend(table, given, 0));
  spec.csv = look.csv;
  if (const ColumnProfile* const label = look.table.Find(spec.label)) {
    PT_LET(spec.tellers,
           FindTellersAt(table, look.csv, look.table, label->name, IsOfClasses(*label)));
  }
  PT_LET(const FirstJob job, ProposeJob(look.table, spec));
  PT_TRY(WriteFile(output, job.toml));
  // What is written here must be right; a mistake of ours is better told now than in the run.
  PT_TRY(ReadJob(output, {}).status());
  std::string text;
  const std::vector<std::string> said = OptionsSaid(look.csv);
  if (!said.empty()) text = fmt::format("the table is read with {}\n", fmt::join(said, ", "));
  for (const std::string& note : look.table.notes) text += note + "\n";
  for (const std::string& line : OddLines(look.odd, look.csv.null)) text += line + "\n";
  for (const std::string& note : job.notes) text += note + "\n";
  return PrintResult(fmt::format("{}\n{} is written; next: {} run {}\n", text, output.string(),
                                 invocation.name, output.string()));
}

}  // namespace

CommandVerb InitVerb() {
  return {
      {.name = "init",
       .operands = {"TABLE"},
       .flags = {{"--label", "COLUMN", "the column to predict", ""},
                 {"--output", "FILE", "the job file (TABLE.toml)", ""},
                 {"--null", "TEXT", "how a CSV file writes missing values; may be repeated", ""},
                 DelimiterFlag(),
                 CsvFlag(),
                 {"--force", "", "overwrite an existing job file", ""}},
       .says = "writes a job file to begin with",
       .more = "Looks at the columns of a CSV or Parquet file, or of a folder of such files, and "
               "writes\na job that predicts one of them: the kind of task by its values, stages "
               "by the types of\nthe others. Columns that say nothing are left out and named.\n\n"
               "  protium init sales.csv --label revenue\n"},
      Init};
}

}  // namespace protium
