// SPDX-License-Identifier: Apache-2.0
#include "stream/plan_stream.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "column/cells.h"
#include "engine/address.h"
#include "job/model_tables.h"
#include "run/printable.h"
#include "run/terminal.h"
#include "sources/source.h"
#include "stream/engine_limits.h"
#include "stream/engine_stream.h"

namespace protium {
namespace {

Json ColumnsJson(const arrow::Schema& schema, const Columns& optional) {
  Json columns = Json::array();
  for (const auto& field : schema.fields()) {
    Json column = {{"name", field->name()}, {"type", TypeText(*field->type())}};
    if (std::ranges::count(optional, field->name()) > 0) column["optional"] = true;
    columns.push_back(std::move(column));
  }
  return columns;
}

std::string ColumnsText(const Json& columns) {
  std::string text;
  for (const Json& each : columns) {
    text +=
        fmt::format("{}{} {}{}", text.empty() ? "" : ", ", Printable(TextAt(each, "name")),
                    TextAt(each, "type"), each.value("optional", false) ? " (may be missing)" : "");
  }
  return text;
}

template <class Options>
std::string PlaceText(const Options& options) {
  return options.folder ? *options.folder : options.topic + " at " + *options.kafka;
}

Result<std::string> SinkText(const JobFile& job) {
  const StreamSinkOptions& sink = job.stream->sink;
  if (sink.tables() == 0) return PlaceText(sink);
  PT_LET(const Source target, TargetOf(OutputOf(sink), job.data, job.connections));
  return DescribeSource(target);
}

std::string TrainText(const StreamTrainOptions& train) {
  const std::string after =
      train.rows > 0 ? Grouped(train.rows) + " rows" : fmt::format("{:g} minutes", train.minutes);
  return fmt::format("after every {} by {}, on the newest {} events, of which {:g} judge", after,
                     train.job, Grouped(train.newest), train.held_out);
}

std::string JoinText(const EventJoinOptions& join) {
  return fmt::format("{} from {}, {} before to {} after an event", join.table,
                     PlaceText(join.source), join.before, join.after);
}

// The columns that are written; null: only a first event of the other stream can tell them.
Result<SchemaPtr> OutputOf(const StreamRequest& request, const EventShape& shape,
                           const LoadedModel* model) {
  const StreamOptions& options = *request.job.file.stream;
  SideTables tables(request.job, shape.other_tables);
  PT_TRY(tables.Check());
  SchemaPtr events = shape.columns;
  if (options.window) {
    PT_LET(const EventWindows windows, EventWindows::Make(*options.window, events));
    events = windows.schema();
  }
  StreamSteps steps(StepsOf(shape, options, std::move(events)));
  PT_LET(auto read, tables.Read());
  if (options.join) {
    PT_LET(const EventShape other, ShapeOfOther(request.job.file));
    if (other.columns == nullptr) return nullptr;
    PT_LET(const EventJoin join, EventJoin::Make(*options.join, shape.columns, other.columns));
    PT_LET(auto none, arrow::RecordBatch::MakeEmpty(join.other_schema()));
    read.push_back({.name = options.join->table, .rows = std::move(none)});
  }
  PT_TRY(steps.UseTables(std::move(read)));
  return steps.Check(model);
}

std::string BatchesText(const Json& plan) {
  const int64_t ms = WholeAt(plan, "ms_of_a_batch");
  if (plan.contains("engine")) return fmt::format("batches begin {} ms apart or more", ms);
  return fmt::format("in batches of up to {} rows or {} ms",
                     Grouped(WholeAt(plan, "rows_of_a_batch")), ms);
}

// A heading, and below it what is promised there.
std::string EnginePlanText(const Json& plan) {
  std::string text =
      fmt::format("engine   {}: a query of Spark's own\n", Printable(TextAt(plan, "engine")));
  for (const Json& each : plan["promises"]) {
    text += "         " + Printable(each.get<std::string>()) + "\n";
  }
  return text;
}

}  // namespace

Result<Json> PlanStream(const StreamRequest& request) {
  const StreamOptions& options = *request.job.file.stream;
  if (EngineRunsStream(request.job.file)) PT_TRY(CheckEngineStream(request.job.file));
  std::optional<NamedModel> model;
  if (!options.model.empty()) PT_TRY(model.emplace(options.model, request.find_model).Load());
  const LoadedModel* const loaded = model ? model->now().get() : nullptr;
  PT_LET(const EventShape shape, ShapeOf(request.job.file, loaded));
  PT_LET(const std::string sink, SinkText(request.job.file));
  Json plan = {{"name", request.job.file.name},
               {"source", PlaceText(options.source)},
               {"sink", sink},
               {"table", shape.table},
               {"sql", shape.sql},
               {"own_sql", shape.own_sql},
               {"rows_of_a_batch", options.batch.rows},
               {"ms_of_a_batch", options.batch.ms}};
  plan["columns_of"] = options.source.registry.empty()
                           ? "the columns of the first file"
                           : "those of the topic's schema at " + options.source.registry;
  if (EngineRunsStream(request.job.file)) {
    PT_TRY(CheckSameEngine(request.job.file, request.folder));
    plan["engine"] = WithoutSecrets(request.job.file.engine.address);
    plan["promises"] = EnginePromises(request.job.file);
  }
  if (options.join) plan["join"] = JoinText(*options.join);
  if (options.train) plan["train"] = TrainText(*options.train);
  if (model) plan["model"] = {{"name", options.model}, {"folder", loaded->folder.string()}};
  if (shape.columns != nullptr) {
    plan["events"] = ColumnsJson(*shape.columns, shape.optional);
    PT_LET(const SchemaPtr output, OutputOf(request, shape, loaded));
    if (output != nullptr) plan["output"] = ColumnsJson(*output, {});
  }
  const auto status = ReadStreamStatus(request.folder);
  plan["batches"] = status.ok() ? WholeAt(*status, "batches") : 0;
  plan["rows"] = status.ok() ? WholeAt(*status, "rows") : 0;
  return plan;
}

std::string StreamPlanText(const Json& plan) {
  std::string text = fmt::format("stream   {}: from {} to {}, {}\n",
                                 Printable(TextAt(plan, "name")), Printable(TextAt(plan, "source")),
                                 Printable(TextAt(plan, "sink")), BatchesText(plan));
  text += fmt::format("events   {}\n", plan.contains("events") ? ColumnsText(plan["events"])
                                                               : TextAt(plan, "columns_of"));
  const std::string sql = TextAt(plan, "sql");
  if (!sql.empty()) {
    text += fmt::format("sql      {}, over the table {}\n",
                        plan.value("own_sql", false) ? "the model's own" : "that of the job",
                        Printable(TextAt(plan, "table")));
  }
  if (plan.contains("join")) text += "join     " + Printable(TextAt(plan, "join")) + "\n";
  if (plan.contains("model")) {
    text += fmt::format("model    {} in {}\n", Printable(TextAt(plan["model"], "name")),
                        Printable(TextAt(plan["model"], "folder")));
  }
  if (plan.contains("train")) text += "train    " + Printable(TextAt(plan, "train")) + "\n";
  if (plan.contains("output")) text += "output   " + ColumnsText(plan["output"]) + "\n";
  if (plan.contains("engine")) text += EnginePlanText(plan);
  if (WholeAt(plan, "batches") > 0) {
    text += fmt::format("so far   {} rows in {} batches; it continues after them\n",
                        Grouped(WholeAt(plan, "rows")), Grouped(WholeAt(plan, "batches")));
  }
  return text + "\nnothing was run\n";
}

}  // namespace protium
