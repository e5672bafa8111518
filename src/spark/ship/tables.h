// SPDX-License-Identifier: Apache-2.0
// What a session keeps in files between its jobs.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "engine/spark_settings.h"
#include "plan/node.h"
#include "spark/connect/session.h"
#include "spark/ship/command.h"
#include "spark/ship/spark_table.h"

namespace protium {

// The way that `rows` (-1: not known) rows of `columns` columns take to a task.
RowsBy ChooseRowsBy(RowsBy wanted, int64_t rows, int columns);

// A folder of Parquet files that Spark wrote and committed.
struct WrittenRows {
  connect::Relation relation;
  SchemaPtr schema;
  RowFiles files;
};

// Writes the table to `folder`, which is new; the number of rows in the files is compared with what
// Spark counted on their way.
Result<WrittenRows> WriteRows(SparkSession& session, const SparkTable& table,
                              const std::filesystem::path& folder, const std::string& name,
                              ExecuteOptions options, const Call& call);

struct WriteTarget {
  Format format = Format::kParquet;
  std::string path;
};

// Writes the table as Spark does, a folder of files in place of what was there; gives the rows.
Result<int64_t> WriteTable(SparkSession& session, const SparkTable& table,
                           const WriteTarget& target, ExecuteOptions options, const Call& call);

// "file:///..." for an absolute path: clusters may take bare ones for another file system's.
std::string FileUri(const std::filesystem::path& path);

// A folder for jobs, removed with all in it at the end.
class JobFolder {
 public:
  // Below `run`, or the system's temporary folder when empty.
  static Result<JobFolder> Make(const std::filesystem::path& run);
  JobFolder(JobFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  JobFolder& operator=(JobFolder&&) = delete;
  ~JobFolder();

  const std::filesystem::path& path() const { return path_; }
  // A path that was not given before; nothing is there.
  std::filesystem::path New(const std::string& name);

 private:
  explicit JobFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
  int next_ = 0;
};

}  // namespace protium
