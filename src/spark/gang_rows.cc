// SPDX-License-Identifier: Apache-2.0
#include "spark/gang_rows.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <protium/version.h>

#include <utility>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

constexpr int64_t kFewBytes = 32 << 20;
constexpr const char* kStreamed = "pt_streamed";

// Shown in Spark's plans; tells the worker which release it talks to.
std::string WorkerVersion(const std::string& spark) {
  return "protium " PROTIUM_VERSION ";spark=" + spark;
}

connect::Relation Counted(const SparkTable& table) {
  return connect::Observe(table.relation, kStreamed, RowSumsInSql(*table.schema));
}

}  // namespace

Result<connect::Relation> MapOver(connect::Relation input, const arrow::Schema& columns,
                                  const SparkCommand& command, const std::string& version,
                                  std::optional<int32_t> profile) {
  connect::MapTaskSpec spec{.function_name = command.task,
                            .version = WorkerVersion(version),
                            .output = command.output,
                            .columns = columns.field_names(),
                            .barrier = command.gang,
                            .profile_id = profile};
  PT_LET(spec.command, EncodeCommand(command));
  return connect::MapPartitions(std::move(input), spec);
}

Result<connect::Relation> MapOverFiles(const SparkCommand& command, const std::string& version,
                                       std::optional<int32_t> profile) {
  const auto ids = arrow::schema({arrow::field("id", arrow::int64())});
  return MapOver(connect::Range(0, command.world, command.world), *ids, command, version, profile);
}

RowsBy ChooseRowsBy(RowsBy wanted, int64_t rows, int columns) {
  if (wanted != RowsBy::kAuto) return wanted;
  return rows >= 0 && rows * columns * 8 < kFewBytes ? RowsBy::kStream : RowsBy::kFiles;
}

Status GangRows::Admit(const MapTask& task, const Call& call) {
  PT_LET(const SparkSlots slots, ReadSlots(session, call));
  PT_TRY(CheckFits(*task.gang, slots));
  PT_TRY(deployment.Use(NeedsTorch(task.task), call));
  if (slots.local()) return Status::OK();
  const auto command =
      connect::CreateProfile(task.gang->cores_per_worker, task.gang->gpus_per_worker);
  PT_LET(const CommandResult result, session.Command(command, options, call));
  profile = result.profile_id;
  return Status::OK();
}

Status GangRows::Gather(const SparkTable& rows, int64_t rows_below, const WrittenRows* kept,
                        const Call& call) {
  table = rows;
  const RowsBy by = ChooseRowsBy(settings.rows, rows_below, table.schema->num_fields());
  if (by == RowsBy::kStream) return Status::OK();
  if (kept != nullptr) {
    files = *kept;
    return Status::OK();
  }
  PT_LET(files, WriteRows(session, table, folder.New("rows"), "rows for the gang", options, call));
  return Status::OK();
}

GangOutcome GangRows::Attempt(const MapTask& task, int32_t attempt, const Call& call) {
  const GangSpec& gang = *task.gang;
  GangAttempt made{.command = {.task = task.task,
                               .config = task.config,
                               .output = task.output,
                               .gang = true,
                               .world = gang.workers,
                               .attempt = attempt,
                               .deadline = gang.deadline,
                               .plaintext = settings.plaintext,
                               .events = folder.New("events-" + task.task).string(),
                               .log = logs.string()},
                   .options = options};
  if (files) {
    made.command.rows = files->files;
  } else {
    made.observed = kStreamed;
  }
  made.relation = [&](const SparkCommand& command) {
    return files ? MapOverFiles(command, session.version(), profile)
                 : MapOver(connect::Repartition(Counted(table), gang.workers), *table.schema,
                           command, session.version(), profile);
  };
  return RunGangAttempt(session, made, call);
}

Result<arrow::RecordBatchVector> GangRows::Run(const MapTask& task, const Call& call) {
  // Gathering rows may have made the session start another program.
  PT_TRY(deployment.Use(NeedsTorch(task.task), call));
  if (!logs.empty()) PT_TRY(MakeFolder(logs));
  arrow::RecordBatchVector batches;
  PT_TRY(RunAttempts(*task.gang, call, [&](int32_t attempt) {
    GangOutcome outcome = Attempt(task, attempt, call);
    if (!outcome.result.status.ok()) {
      const auto sent = deployment.SendMissing(outcome.result.status, call);
      if (!sent.ok()) return AttemptResult{sent.status(), false};
      if (*sent) outcome = Attempt(task, attempt, call);
    }
    batches = std::move(outcome.batches);
    return outcome.result;
  }));
  return batches;
}

}  // namespace protium
