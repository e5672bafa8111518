// SPDX-License-Identifier: Apache-2.0
// Runs any function as a gang: on N ranks that can talk to each other, started from the session's
// program on either engine, and returns its result.
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

// What a Runner's function knows about its rank. Valid while it runs.
struct RunnerRank {
  TaskContext& context;    // Rank, world, devices, input rows, messages between ranks, stop.
  const Json& args;        // The arguments of Run().
  int32_t local_rank = 0;  // Among the ranks of this host.
  int32_t local_world = 1;
  // For checkpoints: the same folder for all ranks, attempts and later commands of the run. Empty
  // if the session has no run.
  std::filesystem::path folder;
};

// Collective: every rank calls it. Rank 0's value is the result; those of other ranks are dropped.
using RunnerFunction = std::function<Result<Json>(RunnerRank& rank)>;

// Makes the function a task for the program's table (Program::tasks).
Task RunnerTask(RunnerFunction function);

// Which ranks' lines are printed on stderr while the gang runs, each prefixed by "[rank] ". The
// run's logs have all of them anyway.
enum class RunnerLogs { kQuiet, kRank0, kAll };

struct RunnerOptions {
  // If negative: that many processes (without the sign) on this machine, even if the session's
  // engine is a cluster.
  int32_t workers = 1;
  int32_t cores_per_worker = 1;
  int32_t gpus_per_worker = 0;
  int32_t max_restarts = 0;
  double deadline = 60;  // Seconds a rank may keep the others waiting.
  RunnerLogs logs = RunnerLogs::kAll;
  // Input rows, each of which goes to one rank (TaskContext::input).
  std::optional<DataFrame> input = std::nullopt;
};

// Use it on the session's thread. The session must outlive it.
class Runner {
 public:
  Runner(Session& session, RunnerOptions options)
      : session_(session), options_(std::move(options)) {}

  // Runs a task made by RunnerTask() and returns rank 0's value. Fails as a gang does: with one
  // fault that names the rank.
  Result<Json> Run(const std::string& task, const Json& args = Json::object()) const;
  // Runs a task that emits rows of `columns` (TaskContext::Emit), and returns the rows of all
  // ranks.
  Result<std::vector<RowBatch>> Rows(const std::string& task, SchemaPtr columns,
                                     const Json& args = Json::object()) const;

 private:
  Result<std::vector<RowBatch>> Start(const std::string& task, SchemaPtr columns,
                                      const Json& args) const;

  Session& session_;
  const RunnerOptions options_;
};

}  // namespace protium
