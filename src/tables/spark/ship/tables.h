// SPDX-License-Identifier: Apache-2.0
// The files that a session stores between its jobs, in a folder that driver and executors both
// reach: tables that Spark writes and that tasks read, and the folder that holds them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "connect/session.h"
#include "engine/spark_settings.h"
#include "plan/node.h"
#include "spark/ship/run_transit.h"
#include "spark/ship/spark_table.h"
#include "spark_worker/command.h"

namespace protium {

// Chooses how `rows` (-1: unknown) rows of `columns` columns reach a task, if `wanted` leaves it
// open: through Spark below about 32 MiB, else through files.
RowsBy ChooseRowsBy(RowsBy wanted, int64_t rows, int columns);

// A folder for a driver's jobs; the destructor removes it with everything in it.
class JobFolder {
 public:
  // Below `run`, or below the system's temporary folder if that is empty: spark-<pid>. Executors
  // reach it, or else the `transit`, an address on an object store; empty: none.
  static Result<JobFolder> Make(const std::filesystem::path& run, const std::string& transit);
  JobFolder(JobFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), transit_(std::move(other.transit_)) {}
  JobFolder& operator=(JobFolder&&) = delete;
  ~JobFolder();

  const std::filesystem::path& path() const { return path_; }
  // Returns a path in it that does not exist and was not returned before.
  std::filesystem::path New(const std::string& name);
  // nullptr: executors reach the folder itself.
  RunTransit* transit() const { return transit_.get(); }

 private:
  JobFolder(std::filesystem::path path, std::unique_ptr<RunTransit> transit)
      : path_(std::move(path)), transit_(std::move(transit)) {}
  std::filesystem::path path_;
  std::unique_ptr<RunTransit> transit_;
  int next_ = 0;
};

// A folder of Parquet files that Spark wrote and committed.
struct WrittenRows {
  connect::Relation relation;
  SchemaPtr schema;
  RowFiles files;
};

// Writes the table to a new folder of `job`, called after `name`. files.rows is what Spark counted
// while writing; readers compare it with the files' footers. A folder that the driver does not see
// afterwards is a Fault of exit kEnvironment.
Result<WrittenRows> WriteRows(SparkSession& session, const SparkTable& table, JobFolder& job,
                              const std::string& name, ExecuteOptions options, const Call& call);

// CSV files get a header.
struct WriteTarget {
  Format format = Format::kParquet;
  std::string path;
};

// Writes a table as `spec` says and returns the number of rows; none if Spark wrote nothing.
Result<std::optional<int64_t>> WriteCounted(SparkSession& session, const SparkTable& table,
                                            const connect::WriteSpec& spec, ExecuteOptions options,
                                            const Call& call);

// Writes the table as Spark does, as a folder of files that replaces what was there; returns the
// number of rows. With a transit the files are brought to target.path, a folder of this host.
Result<int64_t> WriteTable(SparkSession& session, const SparkTable& table,
                           const WriteTarget& target, RunTransit* transit, ExecuteOptions options,
                           const Call& call);

// Returns "file:///..." for an absolute path: a cluster may take a bare one for a path of HDFS or
// S3. An address of an object store as Spark's connectors take it.
std::string FileUri(const std::string& path);

}  // namespace protium
