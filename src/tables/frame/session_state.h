// SPDX-License-Identifier: Apache-2.0
// The internals of a Session, for the folders that act on its tables: its options, its engine, the
// files that it reads, where it may write, and the record of its run.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/call.h"
#include "engine/engine.h"
#include "frame/brought_tables.h"
#include "frame/inputs.h"
#include "frame/source_record.h"
#include "plan/node.h"
#include "protium/session.h"
#include "run/record.h"

namespace protium {

// A folder in which trainings on one machine share packed rows.
struct SharedRowsFolder {
  std::filesystem::path path;  // Empty: none; each training packs its own rows.
  int64_t most_bytes = 0;      // Limit for all that is in it.
};

// Options of a session. Programs get them from the command line (Main()), tests fill them in.
struct SessionOptions {
  // Where plans run.
  std::string engine = "local";  // "local", "local[4]", "sc://host:15002".
  std::filesystem::path folder;  // The run folder: outputs and checkpoints. Empty: no run.
  std::filesystem::path base;    // Relative input paths start here; empty: the working directory.
  std::map<std::string, Json> settings;  // From --set: "data", "train.epochs", ...
  bool resume = false;                   // The folder holds an interrupted run to continue.
  bool force = false;                    // Outputs may replace files that this run did not make.
  int64_t memory_bytes = 0;       // For the engine; 0: half of what machine and cgroup allow.
  int64_t rows_memory_bytes = 0;  // For packed training rows; 0: a quarter of what they allow.
  std::filesystem::path spill;    // Empty: <folder>/spill.
  SharedRowsFolder shared_rows;   // Of a search.
  // Whether to also profile the data that fitting reads; unset: only if there are few rows.
  std::optional<bool> profile;
  // A script that prints this machine's devices in the JSON of Spark's discovery scripts. Empty:
  // the one that PROTIUM_DISCOVERY names, else the GPU driver's library is asked.
  std::filesystem::path discovery;
  // Settings that only the engine of this address understands; it reads them itself.
  Json engine_options = Json::object();
  // The program that is started as a worker; it begins with Main(). Empty: the program of this
  // process. Other processes, such as Python, set it.
  std::filesystem::path program;
  // Seconds without a sign of life after which a worker that is no rank is given up.
  double worker_deadline = 60;
  // Where tables outlive their runs (store/store_folder.h: DefaultStoreFolder()); empty: nowhere.
  std::filesystem::path store;
  bool fresh = false;  // Make anew what is kept there.
  // Of a run on an object store: its address, below which engines on other hosts exchange files.
  std::string place = {};
  // Files that the command reads beside tables, such as its job file: never overwritten.
  std::vector<std::filesystem::path> read;
  std::shared_ptr<const Catalogue> catalogue;  // The program's own rows, or null.
  Clock::time_point started = Clock::now();    // When the command began; "seconds" count from here.
  Call call;                                   // Stop token, deadline and events of every action.
};

// Returns all settings below `group` ("train") as one nested object: train.optimizer.name becomes
// {"optimizer": {"name": ...}}.
Json CollectSettings(const SessionOptions& options, const std::string& group);

// One thread, but call()'s events and record() may be used from any.
class SessionState {
 public:
  SessionState(SessionOptions options, std::unique_ptr<Engine> engine, InputRecord inputs,
               SourceRecord sources);

  const SessionOptions& options() const { return options_; }
  const std::filesystem::path& folder() const { return options_.folder; }
  Engine& engine() { return *engine_; }
  InputRecord& inputs() { return inputs_; }
  SourceRecord& sources() { return sources_; }
  BroughtTables& brought() { return brought_; }
  RunRecord& record() { return record_; }
  // The named tables, in the order in which they were named.
  std::vector<std::pair<std::string, Plan>>& tables() { return tables_; }

  // Records that something asked for `name`, a setting or a group of settings. Const because
  // looking up a setting is no change to the caller.
  void Ask(const std::string& name) const { asked_.insert(name); }
  Json Settings(const std::string& group) const;
  // Refuses the first setting that nothing has asked for, with the nearest one that was: most
  // likely a misspelt key.
  Status CheckSettings() const;

  // Returns a relative path inside the run folder; an absolute one as it is. Normalised.
  std::filesystem::path OutputPath(const std::filesystem::path& path) const;
  // Adds a file or folder to options().read.
  void AlsoReads(std::filesystem::path path) { options_.read.push_back(std::move(path)); }
  // Refuses an output that would replace an input, another file that is read, what the run reserves
  // for itself, or, outside the run folder and unless options().force, any file that this run did
  // not write (outputs.h).
  Status CheckOutput(const std::filesystem::path& path) const;

  // Sets what is called once, when the table that a pipeline learns from has been made and before
  // anything is learned, with its number of rows, those of the test part included.
  void WhenMade(std::function<Status(int64_t rows)> then) { when_made_ = std::move(then); }
  // Calls that; nothing if it is not set or has been called.
  Status Made(int64_t rows) {
    const auto then = std::exchange(when_made_, nullptr);
    return then ? then(rows) : Status::OK();
  }

  // Actions that begin from now on end when this is requested: a token serves one request, and a
  // session may go on after it.
  void StopWith(std::stop_token stop) { options_.call.stop = std::move(stop); }

  // Returns the context for a long call on this session's engine. Its events pass through record()
  // on their way to options().call. Must not outlive the session.
  Call call();

 private:
  SessionOptions options_;
  InputRecord inputs_;
  SourceRecord sources_;
  BroughtTables brought_;
  RunRecord record_;
  std::vector<std::pair<std::string, Plan>> tables_;
  mutable std::set<std::string> asked_;
  std::function<Status(int64_t rows)> when_made_;
  std::unique_ptr<Engine> engine_;  // Last, to be destroyed first: its threads use record_.
};

// Returns the internals of a session, which live as long as it does.
SessionState& StateOf(const Session& session);

// Opens a session on `engine`, or on the one that options.engine names; makes the run folder. A
// resumed run whose input files changed is refused before the engine is opened.
Result<std::unique_ptr<Session>> OpenSession(SessionOptions options,
                                             std::unique_ptr<Engine> engine = nullptr);

// Describes what running `plan` would do, without running it: {"engine", "tree", "sql",
// "not_exact", "placement"} and, if the engine has a store, "kept".
Result<Json> Describe(Engine& engine, const Plan& plan, const Call& call);

}  // namespace protium
