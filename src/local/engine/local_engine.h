// SPDX-License-Identifier: Apache-2.0
// The embedded engine: DuckDB in this process for tables, worker processes for tasks.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "local/workers/workers.h"

namespace protium {

struct LocalOptions {
  std::string address = "local";
  int64_t memory_bytes = 0;     // Of the tables; 0: chosen by DuckDB, 80 % of the machine's.
  int32_t threads = 0;          // 0: as many as the machine has cores.
  std::filesystem::path spill;  // For tables that outgrow memory; empty: they fail instead.
  WorkerSettings workers;
};

// Materialised tables live as long as the engine. Any thread may call it.
Result<std::unique_ptr<Engine>> MakeLocalEngine(LocalOptions options);

// The same with workers from elsewhere, or nullptr: then plans with tasks fail.
std::unique_ptr<Engine> MakeLocalEngine(LocalOptions options, std::unique_ptr<Workers> workers);

}  // namespace protium
