// SPDX-License-Identifier: Apache-2.0
// Each engine is a library of its own, which only drivers open: workers load neither DuckDB nor
// gRPC, and a command that runs nothing does not wait for them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/engine.h"

namespace protium {

// What an engine needs to know about the session that opens it.
struct EngineRequest {
  std::string address;              // "local", "local[4]", "sc://host:15002/;token=..."
  std::filesystem::path folder;     // The run folder: logs, files in transit; empty: none.
  std::filesystem::path spill;      // For tables that outgrow memory; empty: they fail instead.
  std::filesystem::path discovery;  // A script that prints this machine's devices; may be empty.
  int64_t memory_bytes = 0;         // For tables.
  Json options = Json::object();    // The engine's own: [engine.NAME] of a job file, not checked.
  std::filesystem::path program;    // The workers' program; empty: the program of this process.
  double worker_deadline = 60;      // Seconds without a sign of life of a worker that has no gang.
  std::filesystem::path store;      // Where tables outlive their runs; empty: nowhere.
  bool fresh = false;               // Make what is kept there anew.
  // An address on an object store, below the run's own, where this process and workers of other
  // hosts exchange files; empty: they all reach the run folder.
  std::string transit = {};
};

// Increased whenever the layout of Engine, EngineRequest or what they hold changes.
inline constexpr int32_t kEngineLibraryVersion = 14;

// The only entry of an engine's library, protium_open_<name>. It sets `engine` and returns true;
// returns false if the library was built for another version.
using EngineEntry = bool (*)(int32_t version, const EngineRequest& request,
                             Result<std::unique_ptr<Engine>>& engine);

}  // namespace protium
