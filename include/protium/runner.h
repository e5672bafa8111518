// SPDX-License-Identifier: Apache-2.0
// Any function as a gang: started from the session's program on N ranks that can talk to each
// other, on either engine, and its answer brought back.
//
//   .tasks = {{"mean", pt::RunnerTask(Mean)}}
//   PT_LET(const pt::Json answer, pt::Runner(session, {.workers = 4}).Run("mean", {{"of", 3}}));
//
// Implemented by the rooms gang (RunnerTask) and app (Runner).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "protium/frame.h"
#include "protium/functions.h"
#include "protium/session.h"
#include "protium/status.h"
#include "protium/task.h"

namespace protium {

// What a function of a Runner's knows of its rank. Valid while it runs.
struct RunnerRank {
  TaskContext& context;    // Rank, world, devices, input rows, messages between ranks, stop.
  const Json& args;        // Those of Run().
  int32_t local_rank = 0;  // Among the ranks of this host.
  int32_t local_world = 1;
  // For checkpoints: the same folder for all ranks, attempts and later commands of the run. Empty
  // where the session has no run.
  std::filesystem::path folder;
};

// Collective: every rank calls it. Rank 0's value is the answer; any other rank's is dropped.
using RunnerFunction = std::function<Result<Json>(RunnerRank& rank)>;

// The function as a task of the program's table (Program::tasks).
Task RunnerTask(RunnerFunction function);

// Whose lines are printed on stderr while the gang runs, "[rank] " before each. All of them are in
// the run's logs anyway.
enum class RunnerLogs { kQuiet, kRank0, kAll };

struct RunnerOptions {
  // Below 0: as many processes on this machine, also where the session's engine is a cluster.
  int32_t workers = 1;
  int32_t cores_per_worker = 1;
  int32_t gpus_per_worker = 0;
  int32_t max_restarts = 0;
  double deadline = 60;  // Seconds a rank may keep the others waiting.
  RunnerLogs logs = RunnerLogs::kAll;
  // Rows for the ranks, each of them for one rank (TaskContext::input).
  std::optional<DataFrame> input = std::nullopt;
};

// Use it on the session's thread. The session must outlive it.
class Runner {
 public:
  Runner(Session& session, RunnerOptions options)
      : session_(session), options_(std::move(options)) {}

  // Runs a task made by RunnerTask() and gives rank 0's value. Fails as a gang does: one fault that
  // names the rank.
  Result<Json> Run(const std::string& task, const Json& args = Json::object()) const;
  // Runs a task that emits rows of `columns` (TaskContext::Emit), and gives those of all ranks.
  Result<std::vector<RowBatch>> Rows(const std::string& task, SchemaPtr columns,
                                     const Json& args = Json::object()) const;

 private:
  Result<std::vector<RowBatch>> Start(const std::string& task, SchemaPtr columns,
                                      const Json& args) const;

  Session& session_;
  const RunnerOptions options_;
};

}  // namespace protium
