// SPDX-License-Identifier: Apache-2.0
// Tasks: named C++ functions over Arrow batches that run in worker processes, either independently,
// one per partition, or as the ranks of a gang, which start together, can reach each other and fail
// together. Implemented by the room gang.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "protium/events.h"
#include "protium/expr.h"
#include "protium/stream.h"

namespace protium {

class Communicator;
class GangMembership;
struct FieldType;
using Json = nlohmann::ordered_json;

// How many workers a gang has: a number, or a range, for an elastic gang. That one starts with as
// many as there is room for, goes on without those that die, and takes others in, with the same
// result. In a job file 4, or { min = 2, max = 4 }.
struct WorkerRange {
  int32_t min = 1;
  int32_t max = 1;
  WorkerRange(int32_t workers = 1) : min(workers), max(workers) {}
  WorkerRange(int32_t min, int32_t max) : min(min), max(max) {}
  bool bends() const { return min < max; }
};
Json ToJson(const WorkerRange& workers);
Status FromJson(const Json& json, const std::string& path, WorkerRange& workers);
FieldType DescribeType(const WorkerRange&);

// What a gang asks for, and what becomes of it in trouble (docs/elastic.md). The defaults suit one
// machine without devices.
struct GangSpec {
  WorkerRange workers = 1;
  int32_t cores_per_worker = 1;
  int32_t gpus_per_worker = 0;
  int32_t max_restarts = 2;
  double restart_window = 3600;  // Seconds for which a restart counts.
  double deadline = 60;      // Seconds a rank may keep the others waiting, also when asked to stop.
  double patience = 60;      // Seconds that a gang below workers.min waits for others to come.
  bool replace_hung = true;  // A rank beyond the deadline counts as dead; otherwise the run ends.
  int32_t quarantine = 3;    // Deaths on a device after which it is left out; 0: it never is.
  double probation = 600;    // Seconds until it may be used again.
  int32_t priority = 0;      // A gang may have others of a lower one leave their devices.
  bool rebalance = false;    // Shards move to quick ranks of an elastic gang.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("workers", workers,
          {.help = "processes that train together, or { min, max } of an elastic gang"});
    visit("cores_per_worker", cores_per_worker, {.help = "cores per worker", .at_least = 1});
    visit("gpus_per_worker", gpus_per_worker, {.help = "devices leased per worker", .at_least = 0});
    visit("max_restarts", max_restarts,
          {.help = "restarts after a failure, from the last checkpoint", .at_least = 0});
    visit("restart_window", restart_window,
          {.help = "how long a restart counts", .unit = "seconds", .above = 0});
    visit("deadline", deadline,
          {.help = "how long a worker may keep the others waiting", .unit = "seconds", .above = 0});
    visit("patience", patience,
          {.help = "how long fewer workers than the minimum wait for others",
           .unit = "seconds",
           .at_least = 0});
    visit("replace_hung", replace_hung,
          {.help = "a worker beyond the deadline counts as dead; false: the run ends"});
    visit("quarantine", quarantine,
          {.help = "deaths of workers on a device after which it is left out; 0: it never is",
           .at_least = 0});
    visit(
        "probation", probation,
        {.help = "how long a device in quarantine is left out", .unit = "seconds", .at_least = 0});
    visit("priority", priority,
          {.help = "a gang that waits for devices may have runs of a lower priority pause"});
    visit(
        "rebalance", rebalance,
        {.help = "at ends of epochs shards move from slow to quick workers of an elastic gang"});
  }
};

// Runs a named task over the input's batches, once per partition, in worker processes. The number
// of partitions and their rows are the engine's choice, so a task must not depend on them.
struct MapTask {
  std::string task;    // A name in the worker's task table: "fit", "train", "score".
  std::string config;  // Passed to the task as it is; the built-in tasks use JSON.
  // Of the batches that the task emits. Null: the input's columns, and then those of `adds`.
  SchemaPtr output;
  SchemaPtr adds;
  int32_t workers = 0;           // Without a gang; 0 lets the engine choose.
  std::optional<GangSpec> gang;  // Set: the partitions are the ranks of a gang.
  // Not empty: rows that agree in these columns, NULL counting as a value, come to one partition,
  // one after the other, and each such group in `order`. Not together with a gang.
  Columns groups;
  std::vector<SortKey> order;

  // What it is for: progress and results count its time and rows there, whatever its name.
  using Role = TaskRole;
  Role role = Role::kMap;
  // What must be where it runs; devices are its gang's to ask for.
  struct Needs {
    bool torch = false;  // The library of LibTorch.
  };
  Needs needs;
};

// A device leased to a task, as Spark's resource discovery names it.
struct Device {
  std::string name;     // "gpu"
  std::string address;  // "0"
};

// What a running task knows and may do. Valid while the task runs. Use it from the task's own
// thread, except for stop(), whose token may be read anywhere.
class TaskContext {
 public:
  virtual ~TaskContext() = default;
  virtual int32_t rank() const = 0;  // Without a gang, the partition's number.
  virtual int32_t world() const = 0;
  virtual int32_t attempt() const = 0;  // From 0; one higher after every restart of the gang.
  virtual const std::string& host() const = 0;
  virtual const std::vector<Device>& devices() const = 0;
  virtual const std::string& config() const = 0;  // MapTask::config.
  virtual const Columns& groups() const;          // MapTask::groups.

  // This partition's batches. On the embedded engine a batch lies in memory shared with the driver,
  // which gets it back when the last reference to the batch is gone; a task may keep as many as it
  // has memory for.
  virtual BatchStream& input() = 0;
  virtual const SchemaPtr& output_schema() const = 0;
  // Sends a batch of output_schema() on; waits while the receiver is behind.
  virtual Status Emit(const arrow::RecordBatch& batch) = 0;

  // Communication between ranks; protium/ranks.h has more. Every rank must make the same calls in
  // the same order; a call returns an error when a rank dies or keeps the others waiting beyond the
  // gang's deadline. Without a gang these fail.
  // `name` appears in the error of a rank that waited for others and did not see them come.
  Status Barrier(std::string_view name = "barrier");
  // Every rank's message, by rank.
  Result<std::vector<std::string>> AllGather(std::string_view message);

  // What the task is doing from now on, such as "forward": told of a rank that keeps the others
  // waiting. `phase` is a literal; this costs next to nothing. From the task's own thread.
  virtual void SetPhase(const char* phase) {}

  // Reports a value to the driver, where it reaches events.jsonl and Program::watch as Reported,
  // whatever the name. Any thread.
  void Report(std::string_view name, const Json& value);
  // The same of {"event": name, ...}; the value is the rest.
  void Report(const Json& event);
  // Sends an event of protium/events.h, such as StepDone{.step = 7}, which reaches the progress
  // display as well.
  void Report(const Event& event);
  // What the task has done so far is saved, and an attempt that follows goes on from there:
  // restarts that lie behind gang.restart_window are forgiven (docs/elastic.md).
  virtual void Saved() {}
  // An event as it lies in events.jsonl; for tasks of our own.
  virtual void Send(const Json& event) = 0;
  // Requested when the driver wants an early but orderly end, as after Ctrl-C. A task that looks at
  // it saves its state and returns Status::Cancelled; one that does not is killed after the gang's
  // deadline.
  virtual std::stop_token stop() const = 0;

 private:
  // The inside, for the rooms of the house: gang/task.h.
  friend Result<Communicator*> CommunicatorOf(TaskContext& context);
  friend GangMembership* MembershipOf(TaskContext& context);
  virtual Result<Communicator*> communicator() = 0;
  virtual GangMembership* membership() { return nullptr; }
};

// The function itself: reads input(), emits its rows, returns. Any status other than OK fails the
// run, for a gang after the restarts that may help.
using Task = std::function<Status(TaskContext&)>;
using TaskTable = std::map<std::string, Task, std::less<>>;

}  // namespace protium
