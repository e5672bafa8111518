// SPDX-License-Identifier: Apache-2.0
// Checks whether a gang fits a cluster, before any data is read. Spark itself would wait ten
// minutes for slots (SPARK-24819: 40 checks, 15 s apart) before it fails the job.
#pragma once

#include <optional>

#include "connect/session.h"
#include "engine/spark_settings.h"
#include "plan/node.h"

namespace protium {

// What a cluster offers when it is idle, from the server's settings.
struct Capacity {
  std::string master;  // "local[4]", "spark://host:7077", "yarn"
  // Sum over all registered executors.
  int32_t cores = 0;
  // spark.task.cpus: what the default profile gives a task.
  int32_t cores_per_task = 1;
  int32_t gpus_per_executor = 0;
  int32_t cores_per_executor = 0;  // 0: unknown.
  // Executors come and go by themselves; barrier stages then refuse to run (SPARK-24942), and
  // `cores` is only the current number.
  bool dynamic = false;
  int32_t most_executors = 0;  // If executors come and go; 0: no limit.
  bool own_executors = false;  // They are started for the gang (CapacityOf).

  // Whether executors run inside the server's process; false for "local-cluster[...]".
  bool local() const { return master.starts_with("local[") || master == "local"; }
};

// Runs a query that reads no table if the master's name does not give the number of cores.
Result<Capacity> ReadCapacity(SparkSession& session, const Call& call);

// Returns the capacity for a gang whose executors are `own`: the session's executors unless it asks
// for others. Without dynamic allocation Spark starts none, and asking for them is a Fault of exit
// kUsage.
Result<Capacity> CapacityOf(const GangExecutors& own, const Capacity& session);

// Returns OK if the gang fits the idle cluster, otherwise a Fault of exit kUsage that names the
// number that does not fit. Ignores what other jobs hold.
Status CheckFits(const GangSpec& gang, const Capacity& capacity);

// Whether the gang's ranks are ordinary tasks (spark/gang/lease.h) rather than a barrier stage,
// which keeps its initial size and refuses dynamic allocation.
inline bool NeedsLease(const GangSpec& gang, const Capacity& capacity) {
  return gang.workers.bends() || capacity.dynamic;
}

// Returns {"ranks": [{"rank", "host", "cores", "gpus"}, ...], "note"}; hosts and devices are open,
// since Spark chooses them when the gang starts. `rows_by` says in words how rows reach the ranks.
Json PlacementOn(const GangSpec& gang, const Capacity& capacity, const std::string& rows_by);

}  // namespace protium
