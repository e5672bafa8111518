// SPDX-License-Identifier: Apache-2.0
// The embedded engine: DuckDB in this process for tables, worker processes of this machine for
// tasks.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "workers/workers.h"

namespace protium {

// How an engine is set up; fixed for its life.
struct LocalOptions {
  std::string address = "local";
  // The most memory that tables and queries may use; 0: DuckDB's default, 80 % of the machine's.
  int64_t memory_bytes = 0;
  int32_t threads = 0;  // 0: as many as the machine has cores.
  // A folder for what does not fit in memory; empty: such queries fail.
  std::filesystem::path spill;
  WorkerSettings workers;
  // Where tables outlive their runs; empty: nowhere.
  std::filesystem::path store;
  bool fresh = false;  // Make anew what is kept there.
  std::string run;     // Who makes what is kept.
};

// Thread-safe. Materialised tables live as long as the engine; its streams must not outlive it.
Result<std::unique_ptr<Engine>> MakeLocalEngine(LocalOptions options);

// The same with the given workers; if they are null, plans with tasks fail.
std::unique_ptr<Engine> MakeLocalEngine(LocalOptions options, std::unique_ptr<Workers> workers);

}  // namespace protium
