// SPDX-License-Identifier: Apache-2.0
// What a Spark executor sends at the beginning of a task, in the four forms of Spark's releases
// (families A to D).
//
// In this order: a negative number and the length of what follows (D only); partition; version;
// barrier and task facts (A, B: fields; C, D: a JSON object); files folder; includes; broadcasts;
// kind of function; settings (C, D: two maps); then the function: settings and profiler (A, B), one
// function of one argument, one command, and its result id (A, B: only when profiled). Spark's
// PythonRunner and PythonWorkerUtils write it and document none of it; the bytes that its releases
// send are in fixtures/.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "spark_worker/wire.h"

namespace protium {

// Spark 4.0, 4.1, 4.2 and 4.3.
enum class Family { kA, kB, kC, kD };

// Headers carry the job's properties, and in them a shortened plan.
inline constexpr int64_t kMaxHeaderBytes = int64_t{64} << 20;

// Where a barrier task reaches its executor: at a port of the loopback device, with a secret; or at
// the path of a Unix socket, without one.
struct BarrierAddress {
  int32_t port = 0;
  std::string secret;
  std::string path;
};

// Devices of one kind that Spark gave to the task.
struct Resource {
  std::string name;  // "gpu"
  std::vector<std::string> addresses;
};

// The header of one task.
struct TaskInit {
  Family family = Family::kA;
  int32_t partition = 0;
  // As our driver wrote it (spark/ship/map_over.h): "protium 0.1.0;spark=4.2.1".
  std::string version;
  bool barrier = false;
  BarrierAddress barrier_address;
  int32_t stage = 0;
  // Spark's number of this try of the task, from 0.
  int32_t attempt = 0;
  // Unique within the Spark application; grows.
  int64_t task_attempt_id = 0;
  int32_t cpus = 1;
  std::map<std::string, Resource> resources;
  // The job's local properties; they include the session's settings.
  std::map<std::string, std::string> properties;
  std::string files_folder;
  std::vector<std::string> includes;
  // Spark's runner and evaluation settings.
  std::map<std::string, std::string> settings;
  // PythonUDF.command, as the driver sent it (spark_worker/command.h).
  std::string command;
};

// Returns the family of the Spark release that `version` names. An unknown one is an error
// (kEnvironment) that shows `version`.
Result<Family> FindFamily(const std::string& version);

// Reads the header whose first number, `first`, was read already, and not a byte more. An
// impossible header is an error (kEnvironment) that names the field.
Result<TaskInit> ReadTaskInit(int32_t first, ByteSource& source);

}  // namespace protium
