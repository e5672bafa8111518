// SPDX-License-Identifier: Apache-2.0
#include "connect/relations.h"

#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>

#include "connect/types.h"

namespace protium::connect {

namespace {

// PythonEvalType.SQL_MAP_ARROW_ITER_UDF of PySpark.
constexpr int32_t kMapInArrow = 207;

void SetExpression(std::string text, proto::Expression* expression) {
  expression->mutable_expression_string()->set_expression(std::move(text));
}

// Most messages are one step over another relation: sets `input` and returns the message.
template <class Message>
Message* SetInput(Relation input, Message* message) {
  *message->mutable_input() = std::move(input);
  return message;
}

proto::WriteOperation::SaveMode ToSaveMode(SaveMode mode) {
  switch (mode) {
    case SaveMode::kReplace:
      return proto::WriteOperation::SAVE_MODE_OVERWRITE;
    case SaveMode::kAppend:
      return proto::WriteOperation::SAVE_MODE_APPEND;
    default:
      return proto::WriteOperation::SAVE_MODE_ERROR_IF_EXISTS;
  }
}

void AddTaskResource(const std::string& name, double amount, proto::ResourceProfile* profile) {
  auto& request = (*profile->mutable_task_resources())[name];
  request.set_resource_name(name);
  request.set_amount(amount);
}

// `amount` 0 leaves it to the server's settings.
void AddExecutorResource(const std::string& name, int64_t amount, const std::string& discovery,
                         proto::ResourceProfile* profile) {
  if (amount == 0) return;
  auto& request = (*profile->mutable_executor_resources())[name];
  request.set_resource_name(name);
  request.set_amount(amount);
  if (!discovery.empty()) request.set_discovery_script(discovery);
}

}  // namespace

Relation Sql(std::string query, std::vector<NamedRelation> tables) {
  Relation sql;
  sql.mutable_sql()->set_query(std::move(query));
  if (tables.empty()) return sql;
  // The names are valid for this query alone, like those of a WITH clause: the session gets no
  // views that another query could see.
  Relation with;
  *with.mutable_with_relations()->mutable_root() = std::move(sql);
  for (NamedRelation& table : tables) {
    auto* alias = with.mutable_with_relations()->add_references()->mutable_subquery_alias();
    SetInput(std::move(table.relation), alias)->set_alias(std::move(table.name));
  }
  return with;
}

Command SqlCommand(std::string statement, std::vector<NamedRelation> tables) {
  Command command;
  *command.mutable_sql_command()->mutable_input() = Sql(std::move(statement), std::move(tables));
  return command;
}

Result<Relation> Read(std::string format, std::vector<std::string> paths, const SchemaPtr& schema,
                      Options options) {
  Relation read;
  auto* source = read.mutable_read()->mutable_data_source();
  source->set_format(std::move(format));
  if (schema != nullptr) {
    PT_LET(std::string ddl, SparkDdl(*schema));
    source->set_schema(std::move(ddl));
  }
  source->mutable_options()->insert(options.begin(), options.end());
  for (std::string& path : paths) source->add_paths(std::move(path));
  return read;
}

Result<Relation> ReadParquet(std::vector<std::string> paths, const SchemaPtr& schema) {
  return Read("parquet", std::move(paths), schema, {});
}

Result<Relation> ReadCsv(std::vector<std::string> paths, const SchemaPtr& schema,
                         const CsvOptions& options, bool rows_are_lines) {
  return Read("csv", std::move(paths), schema,
              {{"header", options.header ? "true" : "false"},
               {"sep", options.delimiter},
               // At most one text: engines do not read files that need more (IsPlainCsv()).
               {"nullValue", options.null.empty() ? "" : options.null.all.front()},
               // A doubled quote within quotes, as in RFC 4180; Spark's default escape is a
               // backslash.
               {"quote", "\""},
               {"escape", "\""},
               {"multiLine", rows_are_lines ? "false" : "true"},
               {"mode", "FAILFAST"}});
}

Result<Relation> ReadJsonLines(std::vector<std::string> paths, const SchemaPtr& schema) {
  return Read("json", std::move(paths), schema, {{"mode", "FAILFAST"}});
}

Relation WithFolders(Relation read, const std::string& base) {
  // Spark looks for columns in the names of folders below this one.
  (*read.mutable_read()->mutable_data_source()->mutable_options())["basePath"] = base;
  return read;
}

Relation Table(std::string name) {
  Relation read;
  read.mutable_read()->mutable_named_table()->set_unparsed_identifier(std::move(name));
  return read;
}

Result<Relation> LocalTable(const SchemaPtr& schema, const arrow::RecordBatchVector& batches) {
  PT_LET(const auto out, arrow::io::BufferOutputStream::Create());
  PT_LET(const auto writer, arrow::ipc::MakeStreamWriter(out, schema));
  for (const auto& batch : batches) PT_TRY(writer->WriteRecordBatch(*batch));
  PT_TRY(writer->Close());
  PT_LET(const auto bytes, out->Finish());
  PT_LET(std::string ddl, SparkDdl(*schema));
  Relation relation;
  auto* local = relation.mutable_local_relation();
  local->set_data(bytes->data(), static_cast<size_t>(bytes->size()));
  local->set_schema(std::move(ddl));
  return relation;
}

Relation Range(int64_t begin, int64_t end, int32_t partitions) {
  Relation relation;
  auto* range = relation.mutable_range();
  range->set_start(begin);
  range->set_end(end);
  range->set_step(1);
  range->set_num_partitions(partitions);
  return relation;
}

Relation Repartition(Relation input, int32_t partitions, bool shuffle) {
  Relation relation;
  auto* message = SetInput(std::move(input), relation.mutable_repartition());
  message->set_num_partitions(partitions);
  message->set_shuffle(shuffle);
  return relation;
}

Relation SelectColumns(Relation input, const std::vector<std::string>& columns) {
  Relation relation;
  auto* project = SetInput(std::move(input), relation.mutable_project());
  for (const std::string& column : columns) {
    // The server parses names: only in backticks is one with a dot a single column.
    project->add_expressions()->mutable_unresolved_attribute()->set_unparsed_identifier(
        SparkName(column));
  }
  return relation;
}

Relation Project(Relation input, const std::vector<std::string>& expressions) {
  Relation relation;
  auto* project = SetInput(std::move(input), relation.mutable_project());
  for (const std::string& text : expressions) SetExpression(text, project->add_expressions());
  return relation;
}

Relation Filter(Relation input, const std::string& condition) {
  Relation relation;
  SetExpression(condition,
                SetInput(std::move(input), relation.mutable_filter())->mutable_condition());
  return relation;
}

Relation Limit(Relation input, int32_t rows) {
  Relation relation;
  SetInput(std::move(input), relation.mutable_limit())->set_limit(rows);
  return relation;
}

Relation Observe(Relation input, std::string name, const std::vector<std::string>& aggregates) {
  Relation relation;
  auto* observe = SetInput(std::move(input), relation.mutable_collect_metrics());
  observe->set_name(std::move(name));
  for (const std::string& text : aggregates) SetExpression(text, observe->add_metrics());
  return relation;
}

Result<Relation> MapPartitions(Relation input, const MapTaskSpec& task) {
  Relation relation;
  auto* map = SetInput(std::move(input), relation.mutable_map_partitions());
  auto* function = map->mutable_func();
  function->set_function_name(task.function_name);
  function->set_deterministic(true);
  for (const std::string& column : task.columns) {
    function->add_arguments()->mutable_unresolved_attribute()->set_unparsed_identifier(
        SparkName(column));
  }
  // The columns are sent as DDL text of one struct, which the server parses.
  PT_LET(const std::string output, SparkType(*arrow::struct_(task.output->fields())));
  auto* udf = function->mutable_python_udf();
  udf->mutable_output_type()->mutable_unparsed()->set_data_type_string(output);
  udf->set_eval_type(kMapInArrow);
  udf->set_command(task.command);
  udf->set_python_ver(task.version);
  map->set_is_barrier(task.barrier);
  if (task.profile_id) map->set_profile_id(*task.profile_id);
  return relation;
}

Command Write(Relation input, const WriteSpec& spec) {
  Command command;
  auto* write = SetInput(std::move(input), command.mutable_write_operation());
  write->set_source(spec.format);
  if (spec.table.empty()) {
    write->set_path(spec.path);
  } else {
    write->mutable_table()->set_table_name(spec.table);
    write->mutable_table()->set_save_method(
        proto::WriteOperation::SaveTable::TABLE_SAVE_METHOD_SAVE_AS_TABLE);
  }
  write->set_mode(ToSaveMode(spec.mode));
  write->mutable_options()->insert(spec.options.begin(), spec.options.end());
  return command;
}

Command CreateView(Relation input, std::string name) {
  Command command;
  auto* view = SetInput(std::move(input), command.mutable_create_dataframe_view());
  view->set_name(std::move(name));
  view->set_replace(true);
  return command;
}

Command CreateProfile(const ProfileSpec& spec) {
  Command command;
  auto* profile = command.mutable_create_resource_profile_command()->mutable_profile();
  // Spark's own names of resources; it counts memory in MiB.
  AddTaskResource("cpus", spec.task_cpus, profile);
  if (spec.task_gpus > 0) AddTaskResource("gpu", spec.task_gpus, profile);
  AddExecutorResource("cores", spec.executor.cores, "", profile);
  AddExecutorResource("memory", spec.executor.memory_mib, "", profile);
  AddExecutorResource("gpu", spec.executor.gpus, spec.executor.discovery, profile);
  return command;
}

}  // namespace protium::connect
