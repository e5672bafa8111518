// SPDX-License-Identifier: Apache-2.0
// Whether a gang fits a cluster, asked before any data is read: Spark itself would wait for
// minutes.
#pragma once

#include <optional>

#include "plan/node.h"
#include "spark/connect/session.h"

namespace protium {

// What a cluster offers when it is idle.
struct Capacity {
  std::string master;  // "local[4]", "spark://host:7077", "yarn"
  int32_t cores = 0;   // Of all executors that are registered.
  int32_t cores_per_task = 1;
  int32_t gpus_per_executor = 0;
  int32_t cores_per_executor = 0;  // 0: unknown.
  bool dynamic = false;            // Executors come and go by themselves.

  bool local() const { return master.starts_with("local[") || master == "local"; }
};

// Runs a query of no tables where the master's name does not tell the cores.
Result<Capacity> ReadCapacity(SparkSession& session, const Call& call);

// A gang that cannot fit is a fault of exit kUsage that names the number which does not fit.
Status CheckFits(const GangSpec& gang, const Capacity& capacity);

// {"ranks": [{"rank", "host", "cores", "gpus"}, ...], "note"}: Spark chooses hosts when it starts.
Json PlacementOn(const GangSpec& gang, const Capacity& capacity, const std::string& rows_by);

}  // namespace protium
