// SPDX-License-Identifier: Apache-2.0
// What a Spark executor says at the beginning of a task, in the four forms of Spark's releases.
//
// In order: a negative number and the length of what follows (D alone); partition; version; barrier
// and task facts (A, B: fields; C, D: JSON); files folder; includes; broadcasts; kind of function;
// settings (C, D: two maps); then the function: settings and profiler (A, B), one function of one
// argument, one command, and its result id (A, B: only when profiled). Spark documents none of it:
// the bytes that its releases send stand in fixtures/.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "spark/worker/wire.h"

namespace protium {

enum class Family { kA, kB, kC, kD };  // Spark 4.0, 4.1, 4.2, 4.3.

inline constexpr int64_t kMaxHeaderBytes = int64_t{64} << 20;

// Where a barrier task reaches its executor: at a port of the loopback device, with a secret, or
// at the path of a Unix socket.
struct BarrierAddress {
  int32_t port = 0;
  std::string secret;
  std::string path;
};

struct Resource {
  std::string name;  // "gpu"
  std::vector<std::string> addresses;
};

struct TaskInit {
  Family family = Family::kA;
  int32_t partition = 0;
  std::string version;  // As our driver wrote it: "protium 0.1.0;spark=4.2.1".
  bool barrier = false;
  BarrierAddress barrier_address;
  int32_t stage = 0;
  int32_t attempt = 0;
  int64_t task_attempt_id = 0;
  int32_t cpus = 1;
  std::map<std::string, Resource> resources;
  std::map<std::string, std::string> properties;  // Of the job; settings of the session, too.
  std::string files_folder;
  std::vector<std::string> includes;
  std::map<std::string, std::string> settings;
  std::string command;
};

// The family of the Spark release that `version` names. An unknown one is refused (kEnvironment)
// with ours and Spark's.
Result<Family> FamilyOf(const std::string& version);

// Reads a header whose first number was `first`, and no byte more. A header that cannot be right
// fails with kEnvironment and the name of the field.
Result<TaskInit> ReadTaskInit(int32_t first, ByteSource& source);

}  // namespace protium
