// SPDX-License-Identifier: Apache-2.0
// A task: a named C++ function over batches that runs in a worker process, alone or as one rank of
// a gang. Implemented by the room gang; what a gang is made of says plan/node.h.
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

#include "protium/stream.h"

namespace protium {

class Communicator;  // Sums, windows and more between ranks: collective/communicator.h.
using Json = nlohmann::ordered_json;

// What a gang asks for. Defaults suit one machine without devices.
struct GangSpec {
  int32_t workers = 1;
  int32_t cores_per_worker = 1;
  int32_t gpus_per_worker = 0;
  int32_t max_restarts = 2;
  double deadline = 60;  // Seconds a rank may keep the others waiting.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("workers", workers, {.help = "processes that train together", .at_least = 1});
    visit("cores_per_worker", cores_per_worker, {.help = "cores of each", .at_least = 1});
    visit("gpus_per_worker", gpus_per_worker, {.help = "devices leased by each", .at_least = 0});
    visit("max_restarts", max_restarts,
          {.help = "attempts after a failure, from the last checkpoint", .at_least = 0});
    visit("deadline", deadline,
          {.help = "how long a worker may keep the others waiting", .unit = "seconds", .above = 0});
  }
};

// Runs a named task over the input's batches, once per partition, in worker processes.
struct MapTask {
  std::string task;    // A name the worker's task table knows: "fit", "train", "score".
  std::string config;  // JSON; travels unopened.
  SchemaPtr output;
  int32_t workers = 0;           // Without a gang; 0 lets the engine choose.
  std::optional<GangSpec> gang;  // Set: all start together, reach each other, fail together.
};

struct Device {
  std::string name;  // "gpu"
  std::string address;
};

// What a running task knows and may do. Lives as long as the task; one thread, but for stop().
class TaskContext {
 public:
  virtual ~TaskContext() = default;
  virtual int32_t rank() const = 0;  // The partition's number, without a gang.
  virtual int32_t world() const = 0;
  virtual int32_t attempt() const = 0;  // From 0; one higher after every restart of the gang.
  virtual const std::string& host() const = 0;
  virtual const std::vector<Device>& devices() const = 0;
  virtual const std::string& config() const = 0;  // MapTask::config.

  // This partition's batches. Memory of a batch is shared with the driver: it is given back when
  // the last reference to it goes.
  virtual BatchStream& input() = 0;
  virtual const SchemaPtr& output_schema() const = 0;
  virtual Status Emit(const arrow::RecordBatch& batch) = 0;

  // Only in a gang: what ranks say to each other. Without one these fail.
  virtual Result<Communicator*> communicator() = 0;
  Status Barrier(std::string_view name = "barrier");
  Result<std::vector<std::string>> AllGather(std::string_view message);

  // Tells the driver: {"event": "step", "step": 7, ...}. Goes to progress and events.jsonl.
  virtual void Report(const Json& event) = 0;
  // Set when the driver wants the task to end early but in good order, as on Ctrl-C: a task that
  // can saves its state and returns Status::Cancelled; one that does not look is killed later.
  virtual std::stop_token stop() const = 0;
};

using Task = std::function<Status(TaskContext&)>;
using TaskTable = std::map<std::string, Task, std::less<>>;

}  // namespace protium
