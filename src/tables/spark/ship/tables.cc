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

Result<std::vector<std::string>> NamesIn(const std::string& folder, const RunTransit* transit) {
  if (transit != nullptr) return transit->List(folder);
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    names.push_back(entry.path().filename().string());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return SystemFault("read the folder " + folder, error.value());
  }
  return names;
}

// Spark's committer moves only the files of successful tasks into the folder itself, and writes
// _SUCCESS last; files of rerun tasks stay in _temporary.
Result<std::vector<std::string>> CommittedFiles(const std::string& folder,
                                                const RunTransit* transit) {
  PT_LET(std::vector<std::string> names, NamesIn(folder, transit));
  if (std::ranges::find(names, "_SUCCESS") == names.end()) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = "the driver does not see what Spark wrote to " + folder,
                 .why = "the driver and the executors must both reach the run folder",
                 .fix = "--runs-dir DIR with a folder that is shared"});
  }
  std::vector<std::string> files;
  for (const std::string& each : names) {
    if (each.ends_with(".parquet")) files.push_back(folder + "/" + each);
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Spark writes a folder of files, wherever `uri` leads.
Result<int64_t> WriteFiles(SparkSession& session, const SparkTable& table, Format format,
                           const std::string& address, ExecuteOptions options, const Call& call) {
  connect::WriteSpec spec{.path = FileUri(address), .mode = connect::SaveMode::kReplace};
  if (format == Format::kCsv) {
    spec.format = "csv";
    spec.options = {{"header", "true"}};
  }
  const auto rows = WriteCounted(session, table, spec, std::move(options), call);
  PT_TRY(ExplainPlace(rows.status(), address));
  if (!*rows) return NoRowsSaid();
  return **rows;
}

}  // namespace

RowsBy ChooseRowsBy(RowsBy wanted, int64_t rows, int columns) {
  if (wanted != RowsBy::kAuto) return wanted;
  return rows >= 0 && rows * columns * 8 < kFewBytes ? RowsBy::kStream : RowsBy::kFiles;
}

std::string FileUri(const std::string& path) {
  return path.starts_with('/') ? "file://" + path : ForHadoop(path);
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
                           const WriteTarget& target, RunTransit* transit, ExecuteOptions options,
                           const Call& call) {
  const std::string address = transit == nullptr ? target.path : transit->NewFolder("output");
  PT_LET(const int64_t rows,
         WriteFiles(session, table, target.format, address, std::move(options), call));
  if (transit != nullptr) PT_TRY(transit->Bring(address, target.path));
  return rows;
}

Result<WrittenRows> WriteRows(SparkSession& session, const SparkTable& table, JobFolder& job,
                              const std::string& name, ExecuteOptions options, const Call& call) {
  RunTransit* const transit = job.transit();
  const std::string folder = transit == nullptr ? job.New(name).string() : transit->NewFolder(name);
  WrittenRows written{.schema = table.schema, .files = {.schema = table.schema}};
  PT_LET(written.files.rows,
         WriteFiles(session, table, Format::kParquet, folder, std::move(options), call));
  PT_LET(written.files.paths, CommittedFiles(folder, transit));
  // With the schema: otherwise Spark would run a job to infer it from the files.
  PT_LET(written.relation, connect::ReadParquet({FileUri(folder)}, table.schema));
  return written;
}

Result<JobFolder> JobFolder::Make(const fs::path& run, const std::string& transit) {
  const fs::path base = run.empty() ? fs::temp_directory_path() : run;
  const fs::path path = base / fmt::format("spark-{}", ::getpid());
  std::error_code ignored;
  // Left by an earlier process with the same id.
  fs::remove_all(path, ignored);
  PT_LET(auto place, RunTransit::Make(transit, run));
  PT_TRY(MakeFolder(path));
  return JobFolder(path, std::move(place));
}

JobFolder::~JobFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

fs::path JobFolder::New(const std::string& name) {
  return path_ / fmt::format("{:03}-{}", next_++, name);
}

}  // namespace protium
