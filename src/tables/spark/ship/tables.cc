// SPDX-License-Identifier: Apache-2.0
#include "spark/ship/tables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// At eight bytes per value. Below it, writing files and a second job cost more than the stream
// through the JVM.
constexpr int64_t kFewBytes = 32 << 20;
constexpr const char* kObserved = "pt_rows";

Status NoRowsSaid() { return Status::UnknownError("Spark did not say how many rows it wrote"); }

// Spark's committer moves only the files of successful tasks into the folder itself, and writes
// _SUCCESS last; files of rerun tasks stay in _temporary.
Result<std::vector<std::string>> CommittedFiles(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / "_SUCCESS", error)) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = "the driver does not see what Spark wrote to " + folder.string(),
                 .why = "the driver and the executors must both reach the run folder",
                 .fix = "--runs-dir DIR with a folder that is shared"});
  }
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".parquet") files.push_back(entry.path().string());
  }
  if (error) return SystemFault("read the folder " + folder.string(), error.value());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

RowsBy ChooseRowsBy(RowsBy wanted, int64_t rows, int columns) {
  if (wanted != RowsBy::kAuto) return wanted;
  return rows >= 0 && rows * columns * 8 < kFewBytes ? RowsBy::kStream : RowsBy::kFiles;
}

std::string FileUri(const fs::path& path) {
  const std::string text = path.string();
  return text.starts_with('/') ? "file://" + text : text;
}

Result<std::optional<int64_t>> WriteCounted(SparkSession& session, const SparkTable& table,
                                            const connect::WriteSpec& spec, ExecuteOptions options,
                                            const Call& call) {
  const connect::Relation observed =
      connect::Observe(table.relation, kObserved, {"count(1) AS rows"});
  PT_LET(const CommandResult result,
         session.Command(connect::Write(observed, spec), std::move(options), call));
  const auto found = result.observed.find(kObserved);
  if (found == result.observed.end() || !found->second.is_object()) return std::nullopt;
  const auto rows = found->second.find("rows");
  if (rows == found->second.end() || !rows->is_number_integer()) return std::nullopt;
  return rows->get<int64_t>();
}

Result<int64_t> WriteTable(SparkSession& session, const SparkTable& table,
                           const WriteTarget& target, ExecuteOptions options, const Call& call) {
  connect::WriteSpec spec{.path = FileUri(target.path), .mode = connect::SaveMode::kReplace};
  if (target.format == Format::kCsv) {
    spec.format = "csv";
    spec.options = {{"header", "true"}};
  }
  PT_LET(const auto rows, WriteCounted(session, table, spec, std::move(options), call));
  if (!rows) return NoRowsSaid();
  return *rows;
}

Result<WrittenRows> WriteRows(SparkSession& session, const SparkTable& table,
                              const fs::path& folder, const std::string& name,
                              ExecuteOptions options, const Call& call) {
  options.name = name;
  WrittenRows written{.schema = table.schema, .files = {.schema = table.schema}};
  PT_LET(written.files.rows,
         WriteTable(session, table, {Format::kParquet, folder.string()}, std::move(options), call));
  PT_LET(written.files.paths, CommittedFiles(folder));
  // With the schema: otherwise Spark would run a job to infer it from the files.
  PT_LET(written.relation, connect::ReadParquet({FileUri(folder)}, table.schema));
  return written;
}

Result<JobFolder> JobFolder::Make(const fs::path& run) {
  const fs::path base = run.empty() ? fs::temp_directory_path() : run;
  const fs::path path = base / fmt::format("spark-{}", ::getpid());
  std::error_code ignored;
  // Left by an earlier process with the same id.
  fs::remove_all(path, ignored);
  PT_TRY(MakeFolder(path));
  return JobFolder(path);
}

JobFolder::~JobFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

fs::path JobFolder::New(const std::string& name) {
  return path_ / fmt::format("{:03}-{}", next_++, name);
}

}  // namespace protium
