// SPDX-License-Identifier: Apache-2.0
// One attempt of a gang on Spark whose ranks are ordinary tasks instead of a barrier stage, so that
// they may come and go, and executors with them (dynamic allocation refuses barrier stages).
//
// 1. Each rank is a Spark job of one task (spark/gang/lease_jobs.h). Jobs for all `max` are sent at
//    once; the gang begins with those that are there soon after the first `min`. If they do not
//    come, all slots are given back.
// 2. Who is in is decided here, by the same BendingGang as on one machine: driver and tasks reach
//    each other through the folder of events anyway (spark_worker/lease_words.h), a gang never
//    outlives its driver, and so nothing would be won by a leader among the ranks.
// 3. Deaths are seen by the lock on the file that each rank writes, or where the file system has no
//    locks by its beats; survivors go on at once and do not wait for Spark's retry, which comes as
//    a newcomer. So does a task that got its slot late.
// 4. A rank that is given up has its job interrupted: Spark kills its process, also a stopped one.
// 5. A second try of a rank that lives, as Spark begins one when it speculates, waits until the
//    first has ended: whichever ends before the other, Spark kills the other.
// 6. A task on an executor or host that is left out (spark/gang/left_out.h) gets no place either
//    while there are enough others, and waits: were it to end, the next one would come to the same
//    slot.
// 7. What ranks emit is kept in files until all are done: a job that came and went has no rows.
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
  LeftOut* left_out = nullptr;  // Counts for all attempts of the gang.
  // Runs the job of one task to its end, or until the stop; on a thread of the job's own.
  std::function<LeaseJobEnd(const SparkCommand& command, const std::stop_token& stop)> run_job;
};

// Runs the attempt to its end; `attempt.command` has terms of a lease. All events go to `call` from
// this thread. Stop and deadline are those of RunGangAttempt. Not gathered in gang.patience seconds
// since the last task came: a Fault of exit kStalled.
GangOutcome RunGangLease(const GangAttempt& attempt, const LeaseSpec& spec, const Call& call);

// LeaseSpec::run_job on Spark. Executors that lack the program get it, and the job is submitted
// again.
LeaseJobEnd RunLeaseJob(SparkSession& session, const GangAttempt& attempt,
                        const SparkCommand& command, const std::stop_token& stop);

}  // namespace protium
