// SPDX-License-Identifier: Apache-2.0
// Whether a gang fits a cluster, asked before any data is read. Spark itself would wait for slots
// for ten minutes (SPARK-24819: 40 checks, 15 s apart) before it fails the job.
#pragma once

#include <optional>

#include "connect/session.h"
#include "engine/spark_settings.h"
#include "plan/node.h"

namespace protium {

// What a cluster offers when nothing else runs on it, from the server's settings.
struct Capacity {
  std::string master;  // "local[4]", "spark://host:7077", "yarn"
  // Of all registered executors together.
  int32_t cores = 0;
  // spark.task.cpus: what the default profile gives a task.
  int32_t cores_per_task = 1;
  int32_t gpus_per_executor = 0;
  int32_t cores_per_executor = 0;  // 0: unknown.
  // Executors come and go by themselves; barrier stages refuse to run then (SPARK-24942), and
  // `cores` are those of the moment.
  bool dynamic = false;
  int32_t most_executors = 0;  // Where they come and go; 0: without a limit.
  bool own_executors = false;  // They are started for the gang (CapacityOf).

  // Executors run inside the server's process; "local-cluster[...]" is not meant.
  bool local() const { return master.starts_with("local[") || master == "local"; }
};

// Runs a query that reads no table where the master's name does not tell the cores.
Result<Capacity> ReadCapacity(SparkSession& session, const Call& call);

// What there is for a gang whose executors are `own`: those of the session unless it asks for
// others. Without dynamic allocation Spark starts none, and asking for them is a Fault of exit
// kUsage.
Result<Capacity> CapacityOf(const GangExecutors& own, const Capacity& session);

// OK if the gang fits the idle cluster. Otherwise a Fault of exit kUsage that names the number that
// does not fit. What other jobs hold is not considered.
Status CheckFits(const GangSpec& gang, const Capacity& capacity);

// Whether the gang's ranks are ordinary tasks (spark/gang/lease.h) and not a barrier stage, which
// keeps the size that it starts with and refuses dynamic allocation.
inline bool NeedsLease(const GangSpec& gang, const Capacity& capacity) {
  return gang.workers.bends() || capacity.dynamic;
}

// {"ranks": [{"rank", "host", "cores", "gpus"}, ...], "note"}: hosts and devices stay open, since
// Spark chooses them when the gang starts. `rows_by` is the phrase for how rows reach the ranks.
Json PlacementOn(const GangSpec& gang, const Capacity& capacity, const std::string& rows_by);

}  // namespace protium
