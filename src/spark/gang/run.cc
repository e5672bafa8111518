// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/run.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "os/file.h"
#include "spark/gang/attempt.h"
#include "spark/gang/capacity.h"
#include "spark/ship/map_over.h"

namespace protium {
namespace {

// The name under which Spark adds up the rows that it streams to the ranks.
constexpr const char* kStreamed = "pt_streamed";

connect::Relation Counted(const SparkTable& table) {
  return connect::Observe(table.relation, kStreamed, RowSumsInSql(*table.schema));
}

// Refuses a gang that can never fit, before any rows are made. Returns the profile that asks for
// its ranks' cores and devices; without it ranks would take spark.task.cpus, and with fractional
// GPUs would share one. None on a local master, which accepts no profiles. A range of workers
// becomes a number.
Result<std::optional<int32_t>> Admit(const GangEngine& engine, MapTask& task, const Call& call) {
  PT_LET(const Capacity capacity, ReadCapacity(engine.session, call));
  PT_TRY(CheckFits(*task.gang, capacity));
  if (task.gang->workers.bends()) {
    task.gang = FixSize(*task.gang, capacity);
    call.Tell(
        {{"event", "note"},
         {"message", fmt::format("on Spark a gang keeps the size that it starts with: {} "
                                 "worker{}",
                                 task.gang->workers.max, task.gang->workers.max == 1 ? "" : "s")}});
  }
  PT_TRY(engine.deployment.Use(NeedsTorch(task.task), call));
  if (capacity.local()) return std::nullopt;
  const auto command =
      connect::CreateProfile(task.gang->cores_per_worker, task.gang->gpus_per_worker);
  PT_LET(const CommandResult result, engine.session.Command(command, engine.options, call));
  return result.profile_id;
}

// Decides how rows reach the ranks: `input` has files afterwards unless its rows are few enough to
// be streamed.
Status Gather(const GangEngine& engine, GangInput& input, const Call& call) {
  const int columns = input.table.schema->num_fields();
  if (ChooseRowsBy(engine.settings.rows, input.rows_below, columns) == RowsBy::kStream) {
    input.files.reset();
    return Status::OK();
  }
  if (input.files) return Status::OK();
  PT_LET(input.files, WriteRows(engine.session, input.table, engine.folder.New("rows"),
                                "rows for the gang", engine.options, call));
  return Status::OK();
}

GangOutcome Attempt(const GangEngine& engine, const MapTask& task, const GangInput& input,
                    std::optional<int32_t> profile, int32_t number, const Call& call) {
  const GangSpec& gang = *task.gang;
  GangAttempt attempt{.command = {.task = task.task,
                                  .config = task.config,
                                  .output = task.output,
                                  .gang = true,
                                  .world = gang.workers,
                                  .attempt = number,
                                  .deadline = gang.deadline,
                                  .plaintext = engine.settings.plaintext,
                                  .events = engine.folder.New("events-" + task.task).string(),
                                  .log = engine.logs.string()},
                      .options = engine.options};
  if (input.files) {
    attempt.command.rows = input.files->files;
  } else {
    attempt.observed = kStreamed;
  }
  attempt.relation = [&](const SparkCommand& command) {
    const std::string version = engine.session.version();
    if (input.files) return MapOverFiles(command, version, profile);
    // One partition per rank. Spark's count is taken before the shuffle, so it is of what was sent.
    return MapOver(connect::Repartition(Counted(input.table), gang.workers), *input.table.schema,
                   command, version, profile);
  };
  return RunGangAttempt(engine.session, attempt, call);
}

}  // namespace

Result<arrow::RecordBatchVector> RunGang(const GangEngine& engine, const MapTask& wanted,
                                         const std::function<Result<GangInput>()>& make_input,
                                         const Call& call) {
  MapTask task = wanted;
  PT_LET(const std::optional<int32_t> profile, Admit(engine, task, call));
  PT_LET(GangInput input, make_input());
  PT_TRY(Gather(engine, input, call));
  // Jobs that made the rows may have run tasks that need another program than the gang does.
  PT_TRY(engine.deployment.Use(NeedsTorch(task.task), call));
  if (!engine.logs.empty()) PT_TRY(MakeFolder(engine.logs));
  arrow::RecordBatchVector batches;
  PT_TRY(RunAttempts(*task.gang, call, [&](int32_t number) {
    GangOutcome outcome = Attempt(engine, task, input, profile, number, call);
    // An executor that lacks the program says so instead of running the task. That is not the
    // attempt's fault: it is sent, and the attempt runs once more under its number.
    if (!outcome.result.status.ok()) {
      const auto sent = engine.deployment.SendMissing(outcome.result.status, call);
      if (!sent.ok()) return AttemptResult{sent.status(), false};
      if (*sent) outcome = Attempt(engine, task, input, profile, number, call);
    }
    batches = std::move(outcome.batches);
    return outcome.result;
  }));
  return batches;
}

}  // namespace protium
