// SPDX-License-Identifier: Apache-2.0
// The inside of a Session, for the rooms that act on its tables: how it is opened, its engine, what
// it reads and where it writes, and the record of its run.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/call.h"
#include "engine/engine.h"
#include "frame/inputs.h"
#include "plan/node.h"
#include "protium/session.h"
#include "run/record.h"

namespace protium {

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
  // What only the engine of this address understands; it reads them itself.
  Json engine_options = Json::object();
  std::shared_ptr<const Catalogue> catalogue;  // The program's own rows, or null.
  Clock::time_point started = Clock::now();    // When the command began, for "seconds".
  Call call;
};

// All settings below `group` ("train"), as one nested object.
Json SettingsOf(const SessionOptions& options, const std::string& group);

// One thread, but for what call() and record() give.
class SessionState {
 public:
  SessionState(SessionOptions options, std::unique_ptr<Engine> engine, InputRecord inputs);

  const SessionOptions& options() const { return options_; }
  const std::filesystem::path& folder() const { return options_.folder; }
  Engine& engine() { return *engine_; }
  InputRecord& inputs() { return inputs_; }
  RunRecord& record() { return record_; }
  // By name, in the order in which they were named.
  std::vector<std::pair<std::string, Plan>>& tables() { return tables_; }

  // Remembers that `name`, a setting or a group of settings, was asked for.
  void Ask(const std::string& name) const { asked_.insert(name); }
  Json Settings(const std::string& group) const;
  // Refuses the first setting that nobody asked for.
  Status CheckSettings() const;

  // A relative path inside the run folder, or the absolute path given.
  std::filesystem::path OutputPath(const std::filesystem::path& path) const;
  // Refuses an output that would take the place of an input, of what the run keeps for itself, or,
  // unless options().force, of a file that this run did not make.
  Status CheckOutput(const std::filesystem::path& path) const;

  // What a long call of this session is called with. Events pass through record() and go on to
  // options().call.
  Call call();

 private:
  SessionOptions options_;
  InputRecord inputs_;
  RunRecord record_;
  std::vector<std::pair<std::string, Plan>> tables_;
  mutable std::set<std::string> asked_;
  std::unique_ptr<Engine> engine_;  // Ends first: its threads tell events.
};

// Opens a session on `engine`, or on the one that options.engine names. A resumed run whose input
// files changed is refused.
Result<std::unique_ptr<Session>> OpenSession(SessionOptions options,
                                             std::unique_ptr<Engine> engine = nullptr);

// What running `plan` would do: {"engine", "tree", "sql", "not_exact", "placement"}.
Result<Json> Describe(Engine& engine, const Plan& plan, const Call& call);

}  // namespace protium
