// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/fault.h"
#include "format/csv.h"
#include "format/parquet.h"
#include "frame/inputs.h"
#include "frame/session.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status Missing(const fs::path& path) {
  std::error_code ignored;
  const fs::path folder = path.parent_path();
  const bool folder_there = fs::is_directory(folder, ignored);
  return Fail({.exit = Exit::kInput,
               .what = "there is no file " + path.string(),
               .why = folder_there ? "" : "there is no folder " + folder.string(),
               .fix = Suggest(path.filename().string(), NamesIn(folder))});
}

std::string EndingOf(Format format) { return format == Format::kCsv ? ".csv" : ".parquet"; }

// The file itself, the files that a pattern such as "2013-*.csv" means, or those with `ending` in
// the folder `path`; by name.
Result<std::vector<std::string>> FilesOf(const fs::path& path, const std::string& ending) {
  std::error_code ignored;
  const std::string last = path.filename().string();
  const bool there = fs::exists(path, ignored);
  const bool is_pattern = !there && last.find_first_of("*?[") != std::string::npos;
  if (!there && !is_pattern) return Missing(path);
  if (!is_pattern && !fs::is_directory(path, ignored)) {
    return std::vector<std::string>{path.string()};
  }
  const fs::path folder = is_pattern ? path.parent_path() : path;
  const std::string pattern = is_pattern ? last : "*" + ending;
  std::vector<std::string> files;
  for (const std::string& name : NamesIn(folder)) {
    if (::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) != 0) continue;
    if (fs::is_regular_file(folder / name, ignored)) files.push_back((folder / name).string());
  }
  if (!files.empty()) return files;
  return Fail({.exit = Exit::kInput,
               .what = "the folder " + folder.string() + " holds no file like " + pattern});
}

}  // namespace

Result<Plan> Reader::ScanOf(const std::string& path, Format format, const CsvOptions& options,
                            const SchemaPtr& known) const {
  const fs::path base = session_->options().base;
  const fs::path full = fs::absolute(base / path).lexically_normal();
  PT_LET(auto files, FilesOf(full, EndingOf(format)));
  for (const std::string& file : files) PT_TRY(session_->inputs().Add(file));
  if (files.front() != full.string()) {
    std::error_code ignored;
    const bool folder = fs::is_directory(full, ignored);
    session_->inputs().AddPattern(folder ? full : full.parent_path(),
                                  folder ? "*" + EndingOf(format) : full.filename().string());
  }
  Scan scan{.table = full.stem().string(), .format = format, .paths = std::move(files)};
  scan.csv = options;
  if (format == Format::kCsv) {
    PT_LET(CsvTable table, InspectCsv(scan.paths, options));
    scan.schema = std::move(table.schema);
    scan.rows_are_lines = table.rows_are_lines;
  } else {
    PT_LET(scan.schema, ParquetSchema(scan.paths));
  }
  if (known) {
    PT_LET(scan.schema, WithKnownTypes(scan.paths, options, scan.schema, *known));
  }
  return MakePlan(std::move(scan));
}

DataFrame Reader::Csv(const std::string& path, const CsvOptions& options) const {
  return Csv(path, options, nullptr);
}

DataFrame Reader::Csv(const std::string& path, const CsvOptions& options,
                      const SchemaPtr& known) const {
  Result<Plan> plan = ScanOf(path, Format::kCsv, options, known);
  return {*session_, plan.ok() ? *plan : MakePlan(Broken{plan.status()})};
}

DataFrame Reader::Parquet(const std::string& path) const {
  Result<Plan> plan = ScanOf(path, Format::kParquet, {}, nullptr);
  return {*session_, plan.ok() ? *plan : MakePlan(Broken{plan.status()})};
}

}  // namespace protium
