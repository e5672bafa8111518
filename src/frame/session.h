// SPDX-License-Identifier: Apache-2.0
// Where a program meets an engine: tables by name, SQL over them, what a run found out. Public API.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.h"
#include "engine/engine.h"
#include "engine/spark_settings.h"
#include "frame/data_frame.h"
#include "gang/task.h"
#include "plan/node.h"

namespace protium {

struct Catalogue;

struct SessionOptions {
  std::string engine = "local";  // "local", "local[4]", "sc://host:15002".
  std::filesystem::path folder;  // The run folder; outputs and checkpoints go here.
  std::filesystem::path base;    // Relative input paths start here; empty: the working directory.
  std::map<std::string, Json> settings;  // From --set: "data", "train.epochs", ...
  bool resume = false;                   // The folder holds an interrupted run: go on.
  bool force = false;             // Outputs may take the place of files that this run did not make.
  int64_t memory_bytes = 0;       // For the engine; 0: half of what machine and cgroup allow.
  int64_t rows_memory_bytes = 0;  // For packed training rows; 0: a quarter of it.
  std::filesystem::path spill;    // Empty: <folder>/spill.
  // A script that prints this machine's devices as Spark's discovery scripts do; empty: the one
  // that PROTIUM_DISCOVERY names, or else the GPU's driver is asked.
  std::filesystem::path discovery;
  SparkSettings spark;  // For the engine sc://.
  std::shared_ptr<const Catalogue>
      catalogue;                             // The program's own rows (learn/catalogue.h), or null.
  Clock::time_point started = Clock::now();  // When the command began, for "seconds".
  // When set nothing runs: what writing, streaming and fitting would do is told here.
  std::function<void(Json)> planned;
  Call call;
};

class InputRecord;

// All settings below `group` ("train"), as one nested object.
Json SettingsOf(const SessionOptions& options, const std::string& group);

// Tables of files. Building never fails: an error waits for the first action.
class Reader {
 public:
  explicit Reader(Session& session) : session_(&session) {}
  // A file, a pattern for the last part of the path ("2013-*.csv"), or a folder: all its files with
  // that ending, by name. Column types are inferred once, over all rows.
  DataFrame Csv(const std::string& path, const CsvOptions& options = {}) const;
  // The same, with columns that `known` has typed as there; a cell that does not fit is a fault.
  DataFrame Csv(const std::string& path, const CsvOptions& options, const SchemaPtr& known) const;
  // Types that `known` has are taken for columns that stand in the names of folders.
  DataFrame Parquet(const std::string& path, const SchemaPtr& known = nullptr) const;
  // A reader of tables whose last columns `names` stand in the names of folders, as in
  // "flights/year=2013/month=1/x.csv": read from "flights" or "flights/*/*/x.csv". What types they
  // have says format/partitions.h.
  Reader Partitions(Columns names) const;

 private:
  Result<Plan> ScanOf(const std::string& path, Format format, const CsvOptions& options,
                      const SchemaPtr& known) const;
  Session* session_;
  Columns partitions_;
};

// One per run. Lives longer than its frames and models. Methods are for one thread.
class Session {
 public:
  // Opens the engine that options.engine names. A resumed run whose input files changed is refused.
  static Result<std::unique_ptr<Session>> Open(SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Reader Read() { return Reader(*this); }
  // Names a table for Sql(). A later table of that name takes its place.
  void Table(const std::string& name, const DataFrame& frame);
  DataFrame Table(const std::string& name);
  // A SELECT over the named tables, in Spark's dialect with double-quoted identifiers.
  DataFrame Sql(std::string text);

  // What --set gave for `name`, as text; else `fallback`. Ask before the first action: a setting
  // that nobody asked for until then is refused as a mistake.
  std::string Setting(const std::string& name, const std::string& fallback = {}) const;
  Json Settings(const std::string& group) const;
  // Refuses the first setting that nobody asked for.
  Status CheckSettings() const;

  const SessionOptions& options() const { return options_; }
  const std::filesystem::path& folder() const { return options_.folder; }
  Engine& engine() { return *engine_; }
  InputRecord& inputs() { return *inputs_; }
  // A relative path inside the run folder, or the absolute path given.
  std::filesystem::path OutputPath(const std::filesystem::path& path) const;
  // Refuses an output that would take the place of an input, of what the run keeps for itself, or,
  // unless options().force, of a file that this run did not make.
  Status CheckOutput(const std::filesystem::path& path) const;

  // What a long call of this session is called with. Events pass through the session, which keeps
  // the metrics of scored rows and the time of the first step, and go on to options().call.
  Call call();

  // What running `plan` would do: {"engine", "tree", "sql", "not_exact", "placement"}.
  Result<Json> Describe(const Plan& plan);
  // For a session with options().planned: tells it what `plan` would do, and `more` beside it.
  bool only_plans() const { return bool(options_.planned); }
  Status TellPlan(const Plan& plan, const Json& more = Json::object());
  // What an act gives that has no result because nothing ran; kStopped.
  static Status NotRun();

  // Keeps `value` under a dotted key of results(): Record("metrics.validation", {...}).
  void Record(std::string_view key, Json value);
  void AddOutput(const std::string& path, int64_t rows);
  void AddSeconds(std::string_view what, Clock::time_point since);
  // "outputs", "output_rows" (by path), "model", "metrics", "seconds", "workers", "shards",
  // "steps"; what is known so far.
  Json results() const;
  // Forgets the metrics of rows scored so far: a new table is about to be scored.
  void BeginScoring();

 private:
  Session(SessionOptions options, std::unique_ptr<Engine> engine);
  void Watch(const Json& event);
  void MergeScores(const Json& event);

  SessionOptions options_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<InputRecord> inputs_;
  std::vector<std::pair<std::string, Plan>> tables_;

  mutable std::set<std::string> asked_;  // Names and groups of settings.
  mutable std::mutex mutex_;             // Guards what events change.
  Json results_ = Json::object();
  Json scores_ = Json::object();  // Merged states of "model" and "baseline".
};

}  // namespace protium
