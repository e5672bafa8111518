// SPDX-License-Identifier: Apache-2.0
// One attempt of a gang on Spark whose ranks are ordinary tasks instead of a barrier stage, so that
// they may come and go, and executors with them (dynamic allocation refuses barrier stages).
//
// 1. Each rank is a Spark job of one task (spark/gang/lease_jobs.h). Jobs for all `max` ranks are
//    sent at once; the gang begins with the tasks that have started soon after the first `min`. If
//    too few start, all slots are released.
// 2. Membership is decided here, by the same BendingGang as on one machine: driver and tasks reach
//    each other through the events folder anyway (spark_worker/lease_words.h), and a gang never
//    outlives its driver, so a leader among the ranks would gain nothing.
// 3. Deaths are detected by the lock on the file that each rank writes, or by missing beats if the
//    file system has no locks. Survivors go on at once and do not wait for Spark's retry, which
//    joins as a newcomer. So does a task that got its slot late.
// 4. The job of a rank that is given up is interrupted: Spark kills its process, even a stopped
//    one.
// 5. A second try of a live rank, which Spark starts when it speculates, waits until the first has
//    ended: when either ends, Spark kills the other.
// 6. A task on an executor or host that is left out (spark/gang/left_out.h) gets no rank either
//    while there are enough others, and waits: if it ended, the next one would get the same slot.
// 7. What ranks emit is stored in files until all are done: a job that came and went has no rows.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>

#include "protium/events.h"
#include "spark/gang/attempt.h"
#include "spark/gang/lease_jobs.h"
#include "spark/gang/left_out.h"

namespace protium {

struct LeaseSpec {
  GangSpec gang;
  std::filesystem::path wish;   // See BendingSpec.
  LeftOut* left_out = nullptr;  // Shared by all attempts of the gang.
  // Runs the job of one task to its end, or until the stop, in a thread of its own.
  std::function<LeaseJobEnd(const SparkCommand& command, const std::stop_token& stop)> run_job;
};

// Runs the attempt to its end; `attempt.command` has terms of a lease. All events go to `call` from
// this thread. Stop and deadline are as in RunGangAttempt. A gang that is not complete
// gang.patience seconds after the last task started is a Fault of exit kStalled.
GangOutcome RunGangLease(const GangAttempt& attempt, const LeaseSpec& spec, const Call& call);

// LeaseSpec::run_job on Spark. Sends the program to executors that lack it and submits the job
// again.
LeaseJobEnd RunLeaseJob(SparkSession& session, const GangAttempt& attempt,
                        const SparkCommand& command, const std::stop_token& stop);

}  // namespace protium
