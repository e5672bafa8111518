// SPDX-License-Identifier: Apache-2.0
// The Spark job of one task of a lease.
#include "spark/gang/lease.h"
#include "spark/ship/deployment.h"
#include "spark_worker/error_text.h"

namespace protium {
namespace {

LeaseJobEnd TryJob(SparkSession& session, const GangAttempt& attempt, const SparkCommand& command,
                   const std::stop_token& stop) {
  LeaseJobEnd end;
  bool failed_there = false;
  ExecuteOptions options = attempt.options;
  options.explain = [&](const SparkError& error) {
    failed_there = !connect::IsServerStopped(error);
    end.told = FailureFromWorkerText(error.WorkerText());
    return attempt.options.explain(error);
  };
  const auto run = [&]() -> Status {
    PT_LET(const auto relation, attempt.relation(command));
    PT_LET(const auto stream, session.Execute(relation, options, {.stop = stop}));
    return Collect(*stream).status();
  };
  end.status = run();
  end.server_lost = !end.status.ok() && !failed_there && !stop.stop_requested();
  return end;
}

}  // namespace

LeaseJobEnd RunLeaseJob(SparkSession& session, const GangAttempt& attempt,
                        const SparkCommand& command, const std::stop_token& stop) {
  LeaseJobEnd end = TryJob(session, attempt, command, stop);
  if (end.status.ok() || stop.stop_requested() || !LacksProgram(end.status)) return end;
  const Status sent = attempt.send_missing(end.status);
  if (sent.ok()) return TryJob(session, attempt, command, stop);
  end.status = sent;
  end.server_lost = true;
  return end;
}

}  // namespace protium
