// SPDX-License-Identifier: Apache-2.0
// DataFrames: building verbs wrap the plan in a node and cannot fail; the acting ones (Schema,
// Stream, Run, Count, Write) first report what failed while building, then settings that nothing
// asked for, and then call the engine.
#include <arrow/api.h>

#include <filesystem>
#include <utility>

#include "base/unknown_name.h"
#include "events/events.h"
#include "frame/outputs.h"
#include "frame/session_state.h"
#include "frame/table_writer.h"
#include "frame/verbs.h"
#include "plan/time_cut.h"
#include "protium/events.h"
#include "protium/frame.h"
#include "run/terminal.h"
#include "sources/source.h"

namespace protium {
namespace {

// Whether running `plan` scores rows: then its seconds count as "score".
bool Scores(const Plan& plan) {
  const auto* const task = std::get_if<MapTask>(&plan->verb);
  if (task != nullptr && task->role == MapTask::Role::kScore) return true;
  for (const Plan& input : plan->inputs) {
    if (Scores(input)) return true;
  }
  return false;
}

// Metrics of an earlier scoring are dropped, since those of two tables must not be merged.
void BeginScoring(SessionState& session) {
  session.record().BeginScoring();
  session.call().Send(ScoringStarted{});
}

// Reports the rows of unlearned classes, which have no metric, after all are scored.
void ReportUnseen(SessionState& session) {
  const Json results = session.record().results();
  const auto rows = results.find("unseen_test_rows");
  if (rows == results.end()) return;
  session.call().Send(
      Note{Grouped(rows->get<int64_t>()) +
           " scored rows have classes that no training row has: metrics leave them out"});
}

}  // namespace

DataFrame DataFrame::Filter(Expr predicate) const {
  return {*session_, MakePlan(protium::Filter{std::move(predicate)}, {plan_})};
}

DataFrame DataFrame::Project(std::vector<NamedExpr> columns) const {
  return {*session_, MakePlan(protium::Project{std::move(columns)}, {plan_})};
}

DataFrame DataFrame::Limit(int64_t rows) const {
  return {*session_, MakePlan(protium::Limit{rows}, {plan_})};
}

DataFrame DataFrame::Materialize(std::string name) const {
  return {*session_, MakePlan(protium::Materialize{std::move(name)}, {plan_})};
}

MapTask WithOutput(MapTask task, const arrow::Schema& input) {
  if (task.output != nullptr) return task;
  arrow::FieldVector fields = input.fields();
  if (task.adds != nullptr) {
    fields.insert(fields.end(), task.adds->fields().begin(), task.adds->fields().end());
  }
  task.output = arrow::schema(std::move(fields));
  return task;
}

DataFrame DataFrame::Map(MapTask task) const {
  if (task.output != nullptr) return {*session_, MakePlan(std::move(task), {plan_})};
  return BuildFrame(*session_, [&]() -> Result<Plan> {
    PT_LET(const SchemaPtr schema, Schema());
    return MakePlan(WithOutput(std::move(task), *schema), {plan_});
  });
}

Sides DataFrame::Split(const SplitOptions& options) const {
  // One node for both sides: engines store a Materialize by its identity, so two would be evaluated
  // twice, and SQL that is not deterministic could put a row on both sides or on none.
  const Plan kept = MakePlan(protium::Materialize{"etl"}, {plan_});
  if (!options.by_time.empty()) {
    const TimeCut cut{.time = options.by_time, .part = options.test, .from = options.from};
    return {DataFrame(*session_, SideInTime(cut, protium::Split::Side::kRest, kept)),
            DataFrame(*session_, SideInTime(cut, protium::Split::Side::kPart, kept))};
  }
  if (!options.column.empty()) {
    const Expr is_test = MakeCall("if", {Col(options.column), Lit(true), Lit(false)});
    return {DataFrame(*session_, MakePlan(protium::Filter{!is_test}, {kept})),
            DataFrame(*session_, MakePlan(protium::Filter{is_test}, {kept}))};
  }
  protium::Split rest{.by = options.by, .part = options.test, .seed = options.seed};
  protium::Split part = rest;
  part.side = protium::Split::Side::kPart;
  return {DataFrame(*session_, MakePlan(std::move(rest), {kept})),
          DataFrame(*session_, MakePlan(std::move(part), {kept}))};
}

Result<SchemaPtr> DataFrame::Schema() const {
  PT_TRY(FirstError(plan_));
  SessionState& session = StateOf(*session_);
  return session.engine().Analyze(plan_, session.call());
}

Result<BatchStreamPtr> DataFrame::Stream() const {
  SessionState& session = StateOf(*session_);
  PT_TRY(FirstError(plan_));
  PT_TRY(session.CheckSettings());
  if (Scores(plan_)) BeginScoring(session);
  return session.engine().Execute(plan_, session.call());
}

Result<int64_t> DataFrame::Run() const {
  SessionState& session = StateOf(*session_);
  PT_TRY(FirstError(plan_));
  PT_TRY(session.CheckSettings());
  const bool scores = Scores(plan_);
  if (scores) BeginScoring(session);
  const auto since = Clock::now();
  PT_LET(const int64_t rows, session.engine().Run(plan_, session.call()));
  session.record().AddSeconds(scores ? "score" : "etl", since);
  if (scores) ReportUnseen(session);
  return rows;
}

Result<int64_t> DataFrame::Count() const {
  const Plan count =
      MakePlan(Sql{.text = "SELECT count(*) AS num_rows FROM t", .names = {"t"}}, {plan_});
  PT_LET(const BatchStreamPtr stream, DataFrame(*session_, count).Stream());
  PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, stream->Next());
  if (!batch || batch->num_rows() != 1) return Status::UnknownError("count(*) returned no row");
  PT_LET(const auto cell, batch->column(0)->GetScalar(0));
  if (cell->type->id() != arrow::Type::INT64) return Status::TypeError("a count of rows");
  return static_cast<const arrow::Int64Scalar&>(*cell).value;
}

Writer DataFrame::Write() const { return Writer(*this); }

Status Writer::Parquet(const std::string& path) const { return File(path, Format::kParquet, {}); }

Status Writer::Csv(const std::string& path) const { return File(path, Format::kCsv, {}); }

Status Writer::JsonLines(const std::string& path) const {
  return File(path, Format::kJsonLines, {});
}

Status Writer::Arrow(const std::string& path) const { return File(path, Format::kArrow, {}); }

Status Writer::File(const std::string& path, const WriteOptions& options) const {
  PT_LET(const FileForm form, FormNamed(path));
  return File(path, form.format, options);
}

Status Writer::File(const std::string& path, Format format, const WriteOptions& options) const {
  SessionState& session = StateOf(frame_.session());
  PT_TRY(FirstError(frame_.plan()));
  PT_TRY(session.CheckSettings());
  PT_TRY(session.CheckOutput(path));
  PT_LET(const FileForm form, FormToWrite(format, path));
  const std::string target = session.OutputPath(path).string();
  const bool scores = Scores(frame_.plan());
  if (scores) BeginScoring(session);
  const auto since = Clock::now();
  PT_LET(const int64_t rows, WriteFrame(session, frame_.plan(), form, target, options.partitions));
  session.record().AddSeconds(scores ? "score" : "write", since);
  if (scores) ReportUnseen(session);
  session.call().Send(OutputWritten{target, rows});
  return Status::OK();
}

namespace {

// Upserting needs keys among the columns; nothing else takes any.
Status CheckKeys(const DataFrame& frame, StoreMode mode, const Columns& keys) {
  if ((mode == StoreMode::kUpsert) == keys.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = keys.empty() ? "an upsert needs the columns that tell rows apart"
                                      : "keys are given, but rows are not upserted"});
  }
  if (keys.empty()) return Status::OK();
  PT_LET(const SchemaPtr schema, frame.Schema());
  for (const std::string& key : keys) {
    if (schema->GetFieldIndex(key) < 0) {
      return UnknownName("column", key, schema->field_names(), "the keys of the upsert");
    }
  }
  return Status::OK();
}

}  // namespace

Status Writer::Table(const Source& target, StoreMode mode, const std::string& output,
                     const Columns& keys) const {
  SessionState& session = StateOf(frame_.session());
  PT_TRY(FirstError(frame_.plan()));
  PT_TRY(session.CheckSettings());
  PT_TRY(CheckSource(target));
  PT_TRY(CheckKeys(frame_, mode, keys));
  Store store{.target = target, .mode = mode, .keys = keys, .output = output};
  store.target.file = PlaceFrom(session.options().base, target);
  if (IsHere(target)) PT_TRY(RefuseInputs(session.inputs(), store.target.file));
  PT_LET(store.run, session.sources().RunId());
  const bool scores = Scores(frame_.plan());
  if (scores) BeginScoring(session);
  const auto since = Clock::now();
  const std::string place = DescribeSource(store.target);
  const Plan plan = MakePlan(std::move(store), {frame_.plan()});
  PT_LET(const int64_t rows, session.engine().Run(plan, session.call()));
  session.record().AddSeconds(scores ? "score" : "write", since);
  if (scores) ReportUnseen(session);
  session.call().Send(OutputWritten{place, rows});
  return Status::OK();
}

}  // namespace protium
