// SPDX-License-Identifier: Apache-2.0
// What a job file may say, and a job that was read from one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/job/settings.h"
#include "base/fields.h"
#include "engine/spark_settings.h"
#include "plan/node.h"

namespace protium {

// Things by name, in the order of the file.
template <class T>
struct ByName {
  std::vector<std::pair<std::string, T>> all;
};

template <class T>
Json ToJson(const ByName<T>& named) {
  Json json = Json::object();
  for (const auto& [name, value] : named.all) json[name] = FieldsToJson(value);
  return json;
}

template <class T>
Status FromJson(const Json& json, const std::string& path, ByName<T>& named) {
  if (!json.is_object()) return fields::Refuse(path, "a table of named entries", json);
  for (const auto& [name, value] : json.items()) {
    T read;
    PT_TRY(FieldsFromJson(value, path + "." + name, read));
    named.all.emplace_back(name, std::move(read));
  }
  return Status::OK();
}

// One of `csv` and `parquet`: a file, or a pattern such as "2013-*.csv", below the folder `data`.
struct JobTable {
  std::optional<std::string> csv;
  std::optional<std::string> parquet;
  Columns partitions;  // Columns that stand in the names of folders.
  CsvOptions options;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("csv", csv);
    visit("parquet", parquet);
    visit("partitions", partitions);
    options.Fields(visit);
  }
};

struct JobEtl {
  std::string sql;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("sql", sql);
  }
};

struct JobSplit {
  Columns by;
  double test = 0.2;
  int64_t seed = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("by", by);
    visit("test", test);
    visit("seed", seed);
  }
};

struct JobOutput {
  std::string parquet;  // Relative to the run folder.
  Columns columns;      // Empty: all.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("parquet", parquet);
    visit("columns", columns);
  }
};

// Where the job runs. A text alone is the address.
struct JobEngine {
  std::string address = "local";
  std::string memory;       // Of the tables, as "4 GiB"; empty: half of what the machine allows.
  std::string rows_memory;  // Of packed training rows; empty: a quarter of it.
  std::string spill;        // The folder for tables that outgrow memory; empty: the run folder.
  std::string discovery;    // A script that prints the machine's devices; empty: the driver's.
  SparkSettings spark;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("address", address);
    visit("memory", memory);
    visit("rows_memory", rows_memory);
    visit("spill", spill);
    visit("discovery", discovery);
    visit("spark", spark);
  }
};

struct JobEngineOrAddress : JobEngine {};
Json ToJson(const JobEngineOrAddress& engine);
Status FromJson(const Json& json, const std::string& path, JobEngineOrAddress& engine);

// What a job file may say of its only estimator outside of it, for short.
inline constexpr const char* kShorthand[] = {"train", "gang", "net", "loss"};

// The whole file. `train`, `gang`, `net` and `loss` are shorthand for those of the only estimator.
struct JobFile {
  std::string name;
  std::string data = ".";
  JobEngineOrAddress engine;
  ByName<JobTable> tables;
  JobEtl etl;
  std::optional<JobSplit> split;
  Json pipeline = Json::array();
  Json train = Json::object();
  Json gang = Json::object();
  Json net = Json::object();
  Json loss = Json::object();
  ByName<JobOutput> outputs;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("data", data);
    visit("engine", engine);
    visit("tables", tables);
    visit("etl", etl);
    visit("split", split);
    visit("pipeline", pipeline);
    visit("train", train);
    visit("gang", gang);
    visit("net", net);
    visit("loss", loss);
    visit("outputs", outputs);
  }
};

// A job that may run: checked as far as its own text goes.
struct Job {
  JobFile file;  // paths of `data` and `engine` are whole; shorthand is in the pipeline.
  Settings settings;
  int64_t memory_bytes = 0;
  int64_t rows_memory_bytes = 0;
  std::optional<size_t> estimator;  // Its place in the pipeline.

  // The job as a file for the run folder; ReadSavedJob() reads it again.
  Json ToJson() const;
};

// Reads a job file and the assignments of --set over it. Nothing but the file is touched.
Result<Job> ReadJob(const std::filesystem::path& file, const std::vector<std::string>& sets);

// Reads what ToJson() gave.
Result<Job> ReadSavedJob(const Json& saved, const std::filesystem::path& file);

// "4 GiB", "500 MB", "1024": bytes.
Result<int64_t> ReadBytes(const std::string& text);

}  // namespace protium
