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

// How many workers a gang has: a number, or a range for an elastic gang, which starts with as many
// as there is room for, goes on without those that die, and takes others in, with the same result.
// In a job file: 4, or { min = 2, max = 4 }.
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

// What a gang requests, and how it handles trouble (docs/elastic.md). The defaults suit one machine
// without devices.
struct GangSpec {
  WorkerRange workers = 1;
  int32_t cores_per_worker = 1;
  int32_t gpus_per_worker = 0;
  std::string memory_per_worker;  // "6 GiB": what a pool counts for each; empty: nothing.
  int32_t max_restarts = 2;
  int32_t servers = 0;           // Further ranks, which hold the rows of tables of ids.
  double restart_window = 3600;  // Seconds for which a restart counts.
  double deadline = 60;      // Seconds a rank may keep the others waiting, also when asked to stop.
  double patience = 60;      // Seconds a gang below workers.min waits for others to join.
  bool replace_hung = true;  // A rank beyond the deadline counts as dead; otherwise the run ends.
  int32_t quarantine = 3;    // Deaths on a device before it is excluded; 0: it never is.
  double probation = 600;    // Seconds until it may be used again.
  int32_t priority = 0;      // The gang may make gangs of lower priority leave their devices.
  bool rebalance = false;    // Shards move to faster ranks of an elastic gang.
  int32_t ranks() const { return workers.max + servers; }  // The most there are: servers last.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("workers", workers,
          {.help = "processes that train together, or { min, max } of an elastic gang"});
    visit("cores_per_worker", cores_per_worker, {.help = "cores per worker", .at_least = 1});
    visit("gpus_per_worker", gpus_per_worker, {.help = "devices leased per worker", .at_least = 0});
    visit("memory_per_worker", memory_per_worker,
          {.help = "memory that a pool counts for each worker, such as \"6 GiB\""});
    visit("servers", servers,
          {.help = "further processes, which hold the rows of tables of ids", .at_least = 0});
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
    visit("rebalance", rebalance,
          {.help = "at ends of epochs shards move from slow to quick workers of an elastic gang"});
  }
};

// Runs a named task over the input's batches, once per partition, in worker processes. The engine
// chooses the number of partitions and their rows, so a task must not depend on them.
struct MapTask {
  std::string task;    // A name in the worker's task table: "fit", "train", "score".
  std::string config;  // Passed to the task unchanged; the built-in tasks use JSON.
  // The schema of emitted batches. Null: the input's columns followed by `adds`.
  SchemaPtr output;
  SchemaPtr adds;
  int32_t workers = 0;  // Without a gang; 0: the engine chooses.
  // Without a gang, for rows that take long: batches of more rows are cut on the embedded engine,
  // so that all workers get some of a small table. 0: batches come as the engine makes them.
  int64_t rows_a_batch = 0;
  std::optional<GangSpec> gang;  // Set: the partitions are the ranks of a gang.
  // If not empty, rows with equal values in these columns (NULL counts as a value) go to one
  // partition, group after group, each group sorted by `order`. Not allowed with a gang.
  Columns groups;
  std::vector<SortKey> order;

  // What the task is for: progress and results count its time and rows under this role, whatever
  // its name.
  using Role = TaskRole;
  Role role = Role::kMap;
  // What must be available where it runs; devices are requested by its gang.
  struct Needs {
    bool torch = false;  // LibTorch's library.
  };
  Needs needs;
};

// A device leased to a task, named as in Spark's resource discovery.
struct Device {
  std::string name;     // "gpu"
  std::string address;  // "0"
};

// What a running task knows and may do. Valid while the task runs. Use it on the task's own thread,
// except for stop(), whose token may be read on any thread.
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
  // which gets it back when the last reference to the batch is gone; a task may hold as many as it
  // has memory for.
  virtual BatchStream& input() = 0;
  virtual const SchemaPtr& output_schema() const = 0;
  // Sends a batch of output_schema(); blocks while the receiver is behind.
  virtual Status Emit(const arrow::RecordBatch& batch) = 0;

  // Communication between ranks; protium/ranks.h has more. Every rank must make the same calls in
  // the same order; a call returns an error when a rank dies or keeps the others waiting beyond the
  // gang's deadline. Without a gang these fail.
  // `name` appears in the error of a rank that waited for others that did not arrive.
  Status Barrier(std::string_view name = "barrier");
  // Returns every rank's message, by rank.
  Result<std::vector<std::string>> AllGather(std::string_view message);

  // Sets what the task is doing from now on, such as "forward", which is reported about a rank that
  // keeps the others waiting. `phase` must be a literal; the call costs next to nothing. Task's own
  // thread only.
  virtual void SetPhase(const char* phase) {}

  // Reports a value to the driver, where it reaches events.jsonl and Program::watch as Reported,
  // whatever the name. Any thread.
  void Report(std::string_view name, const Json& value);
  // The same for {"event": name, ...}; the value is everything else in the object.
  void Report(const Json& event);
  // Sends an event of protium/events.h, such as StepDone{.step = 7}, which also reaches the
  // progress display.
  void Report(const Event& event);
  // Says that the task has saved its work so far, so that the next attempt continues from there:
  // restarts longer ago than gang.restart_window no longer count (docs/elastic.md).
  virtual void Saved() {}
  // Sends an event as it appears in events.jsonl; for tasks of our own.
  virtual void Send(const Json& event) = 0;
  // Requested when the driver wants an early but orderly end, as after Ctrl-C. A task that checks
  // it saves its state and returns Status::Cancelled; one that does not is killed after the
  // deadline.
  virtual std::stop_token stop() const = 0;

 private:
  // The implementation, for our own rooms: gang/task.h.
  friend Result<Communicator*> CommunicatorOf(TaskContext& context);
  friend GangMembership* MembershipOf(TaskContext& context);
  virtual Result<Communicator*> communicator() = 0;
  virtual GangMembership* membership() { return nullptr; }
};

// The function itself: reads input(), emits its rows, returns. Any status other than OK fails the
// run, of a gang only after any restarts that may help.
using Task = std::function<Status(TaskContext&)>;
using TaskTable = std::map<std::string, Task, std::less<>>;

}  // namespace protium
