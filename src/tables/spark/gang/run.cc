// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/run.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "gang/task_book.h"
#include "gang/wish.h"
#include "os/file.h"
#include "spark/gang/attempt.h"
#include "spark/gang/capacity.h"
#include "spark/gang/lease.h"
#include "spark/ship/map_over.h"

namespace protium {
namespace {

// The name under which Spark sums up the rows that it streams to the ranks.
constexpr const char* kStreamed = "pt_streamed";

connect::Relation Counted(const SparkTable& table) {
  return connect::Observe(table.relation, kStreamed, RowSumsInSql(*table.schema));
}

// The outcome of admitting a gang.
struct Admitted {
  // The profile that requests its ranks' cores and devices; without it ranks would take
  // spark.task.cpus, and with fractional GPUs would share one. Empty on a local master, which
  // accepts no profiles.
  std::optional<int32_t> profile;
  bool lease = false;  // Its ranks are ordinary tasks.
};

// With dynamic allocation, a separate profile takes separate executors, and those that made the
// rows may hold the cluster until they have been idle for long; so none is made unless needed.
bool FitsDefaultProfile(const GangSpec& gang, const Capacity& capacity) {
  return capacity.dynamic && !capacity.own_executors &&
         gang.cores_per_worker == capacity.cores_per_task && gang.gpus_per_worker == 0 &&
         capacity.gpus_per_executor == 0;
}

// Refuses a gang that can never fit, before any rows are made.
Result<Admitted> Admit(const GangEngine& engine, const MapTask& task, const Call& call) {
  const GangExecutors& own = engine.settings.executors;
  PT_LET(const Capacity session, ReadCapacity(engine.session, call));
  PT_LET(const Capacity capacity, CapacityOf(own, session));
  PT_TRY(CheckFits(*task.gang, capacity));
  PT_TRY(engine.deployment.Use(task.needs.torch, call));
  Admitted admitted{.lease = NeedsLease(*task.gang, capacity)};
  if (capacity.local() || FitsDefaultProfile(*task.gang, capacity)) return admitted;
  const auto command = connect::CreateProfile({
      .task_cpus = double(task.gang->cores_per_worker),
      .task_gpus = double(task.gang->gpus_per_worker),
      .executor = {own.cores, own.memory_mib, own.gpus, own.discovery},
  });
  PT_LET(const CommandResult result, engine.session.Command(command, engine.options, call));
  admitted.profile = result.profile_id;
  return admitted;
}

// Decides how rows reach the ranks: `input` has files afterwards unless its rows are few enough to
// stream. A lease reads files: a stream cannot be repeated.
Status Gather(const GangEngine& engine, bool lease, GangInput& input, const Call& call) {
  const int columns = input.table.schema->num_fields();
  const RowsBy by = ChooseRowsBy(engine.settings.rows, input.rows_below, columns);
  if (by == RowsBy::kStream && !lease) {
    input.files.reset();
    return Status::OK();
  }
  if (input.files) return Status::OK();
  ExecuteOptions options = engine.options;
  options.name = "rows for the gang";
  PT_LET(input.files,
         WriteRows(engine.session, input.table, engine.folder, "rows", std::move(options), call));
  return Status::OK();
}

GangOutcome Attempt(const GangEngine& engine, const MapTask& task, const GangInput& input,
                    const Admitted& admitted, LeftOut& left_out, int32_t number, const Call& call) {
  const GangSpec& gang = *task.gang;
  GangAttempt attempt{.command = {.task = task.task,
                                  .role = task.role,
                                  .torch = RunsInLibrary(task),
                                  .config = task.config,
                                  .output = task.output,
                                  .gang = true,
                                  .world = gang.workers.max,
                                  .attempt = number,
                                  .deadline = gang.deadline,
                                  .plaintext = engine.settings.plaintext,
                                  .events = engine.folder.New("events-" + task.task).string(),
                                  .log = engine.logs.string()},
                      .options = engine.options,
                      .replaces_hung = gang.replace_hung};
  if (const RunTransit* const transit = engine.folder.transit()) {
    attempt.command.transit = transit->terms();
    attempt.meeting = transit->Meet(attempt.command);
  }
  if (input.files) {
    attempt.command.rows = input.files->files;
  } else {
    attempt.observed = kStreamed;
  }
  attempt.relation = [&](const SparkCommand& command) {
    const std::string version = engine.session.version();
    if (input.files) return MapOverFiles(command, version, admitted.profile);
    // One partition per rank. Spark's count is taken before the shuffle, so it counts what was
    // sent.
    return MapOver(connect::Repartition(Counted(input.table), gang.workers.max),
                   *input.table.schema, command, version, admitted.profile);
  };
  if (!admitted.lease) return RunGangAttempt(engine.session, attempt, call);
  attempt.command.lease = LeaseTerms{
      .bends = gang.workers.bends(), .patience = gang.patience, .rebalances = gang.rebalance};
  attempt.send_missing = [&](const Status& failure) {
    return engine.deployment.SendMissing(failure, engine.deployment.sends(), call).status();
  };
  LeaseSpec lease{.gang = gang, .left_out = &left_out};
  if (!engine.logs.empty()) lease.wish = engine.logs.parent_path() / kWorkersWanted;
  lease.run_job = [&](const SparkCommand& command, const std::stop_token& stop) {
    return RunLeaseJob(engine.session, attempt, command, stop);
  };
  return RunGangLease(attempt, lease, call);
}

}  // namespace

Result<arrow::RecordBatchVector> RunGang(const GangEngine& engine, const MapTask& task,
                                         const std::function<Result<GangInput>()>& make_input,
                                         const Call& call) {
  PT_LET(const Admitted admitted, Admit(engine, task, call));
  PT_LET(GangInput input, make_input());
  PT_TRY(Gather(engine, admitted.lease, input, call));
  // Jobs that made the rows may have run tasks that need a different program.
  PT_TRY(engine.deployment.Use(task.needs.torch, call));
  if (!engine.logs.empty()) PT_TRY(MakeFolder(engine.logs));
  arrow::RecordBatchVector batches;
  LeftOut left_out(*task.gang);
  PT_TRY(RunAttempts(*task.gang, call, [&](int32_t number, const Call& call) {
    // An executor that lacks the program reports that instead of running the task. That is not the
    // attempt's fault: the program is sent, and the attempt runs again under the same number.
    while (true) {
      const int64_t sends = engine.deployment.sends();
      GangOutcome outcome = Attempt(engine, task, input, admitted, left_out, number, call);
      const auto again = engine.deployment.SendMissing(outcome.result.status, sends, call);
      if (!again.ok()) return AttemptResult{again.status(), false};
      if (*again) continue;
      batches = std::move(outcome.batches);
      return outcome.result;
    }
  }));
  return batches;
}

}  // namespace protium
