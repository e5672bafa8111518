// SPDX-License-Identifier: Apache-2.0
#include "stream/event_shape.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "avro/schema.h"
#include "base/fault.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "column/schema.h"
#include "job/saved_etl.h"
#include "os/file.h"
#include "records/avro_rows.h"
#include "records/record_rows.h"

namespace protium {
namespace {

constexpr int64_t kMostSchemaBytes = 4 << 20;

std::vector<std::string> TablesOf(const Json& etl) {
  std::vector<std::string> names;
  if (!etl.is_object()) return names;
  const Json tables = etl.value("tables", Json::object());
  for (const auto& [name, table] : tables.items()) names.push_back(name);
  return names;
}

// The columns of a table when the model was trained; null if they are unknown.
SchemaPtr TrainedColumns(const Json& etl, const std::string& table) {
  if (!etl.is_object()) return nullptr;
  const Json columns = etl.value("columns", Json::object());
  if (!columns.contains(table)) return nullptr;
  return SchemaFromJson(columns[table]).ValueOr(nullptr);
}

// `columns` (may be null) and those that the job declares, whose types count.
Result<SchemaPtr> WithDeclared(const SchemaPtr& columns, const ColumnTypes& declared) {
  arrow::FieldVector fields;
  if (columns != nullptr) fields = EventColumns(*columns)->fields();
  for (const auto& [name, text] : declared.all) {
    PT_LET(const auto type, TypeNamed(text));
    const auto same = [&, name = name](const auto& field) { return field->name() == name; };
    const auto at = std::ranges::find_if(fields, same);
    if (at == fields.end()) {
      fields.push_back(arrow::field(name, type));
    } else {
      *at = arrow::field(name, type);
    }
  }
  return EventColumns(*arrow::schema(std::move(fields)));
}

// All columns of the schema's file, and of `known` (may be null), whose types count. Null without
// such a file.
Result<SchemaPtr> ColumnsOfSchema(const JobFile& job, const StreamSourceOptions& source,
                                  const std::string& where, const SchemaPtr& known) {
  if (source.schema.empty()) return SchemaPtr();
  PT_LET(const std::string text, ReadSchemaFile(job, source, where));
  const auto columns = [&]() -> Result<SchemaPtr> {
    PT_LET(const AvroSchema schema, AvroSchema::Parse(text));
    return AvroColumns(schema);
  }();
  if (!columns.ok()) {
    Fault fault = FaultOf(columns.status());
    fault.exit = Exit::kUsage;
    fault.where = where + ".schema" + (fault.where.empty() ? "" : ": " + fault.where);
    fault.kept = "nothing was started";
    return Fail(std::move(fault));
  }
  arrow::FieldVector fields = (*columns)->fields();
  if (known == nullptr) return arrow::schema(std::move(fields));
  for (const auto& field : EventColumns(*known)->fields()) {
    const int at = (*columns)->GetFieldIndex(field->name());
    if (at < 0) fields.push_back(field);
    if (at >= 0) fields[size_t(at)] = field;
  }
  return arrow::schema(std::move(fields));
}

// Whether the model's SQL reads the events' table; sets its name.
Result<bool> TakesModelsSql(const LoadedModel* model, std::string& table) {
  if (model == nullptr) return false;
  const std::vector<std::string> tables = TablesOf(model->etl);
  if (tables.empty()) return false;
  if (table.empty() && tables.size() == 1) table = tables.front();
  if (std::ranges::count(tables, table) > 0) return true;
  if (!table.empty()) {
    return UnknownName("table of the model's SQL", table, tables, "stream.table");
  }
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the model's SQL reads the tables {}, and the job does not say "
                                   "which of them the events are",
                                   fmt::join(tables, ", ")),
               .where = "stream.table",
               .fix = fmt::format("table = \"{}\"; the others belong in [tables]", tables[0])});
}

Status UseModelsSql(const LoadedModel& model, EventShape& shape) {
  shape.own_sql = true;
  shape.sql = TextAt(model.etl, "sql");
  shape.known = TrainedColumns(model.etl, shape.table);
  for (const std::string& each : TablesOf(model.etl)) {
    if (each != shape.table) shape.other_tables.push_back(each);
  }
  if (shape.known == nullptr) return Status::OK();
  for (const std::string& label : model.labels) {
    for (const std::string& name : NamesOfLabel(shape.sql, label)) {
      for (const auto& field : shape.known->fields()) {
        if (Lower(field->name()) == Lower(name)) shape.optional.push_back(field->name());
      }
    }
  }
  return Status::OK();
}

}  // namespace

Result<std::string> ReadSchemaFile(const JobFile& job, const StreamSourceOptions& source,
                                   const std::string& where) {
  const auto file = std::filesystem::path(job.data) / source.schema;
  const auto text = ReadFile(file, kMostSchemaBytes);
  if (text.ok()) return text;
  Fault fault = FaultOf(text.status());
  fault.exit = Exit::kUsage;
  fault.where = where + ".schema";
  fault.kept = "nothing was started";
  return Fail(std::move(fault));
}

Result<EventShape> ShapeOf(const JobFile& job, const LoadedModel* model) {
  const StreamOptions& stream = *job.stream;
  EventShape shape{.table = stream.table, .sql = job.etl.sql};
  if (!shape.sql.empty()) {
    if (shape.table.empty()) shape.table = "events";
    if (model != nullptr) shape.known = TrainedColumns(model->etl, shape.table);
  } else {
    PT_LET(const bool models, TakesModelsSql(model, shape.table));
    if (models) {
      PT_TRY(UseModelsSql(*model, shape));
    } else if (model != nullptr) {
      shape.known = model->scorer.input();
    }
  }
  const bool complete =
      !stream.columns.all.empty() || (!shape.sql.empty() && shape.known != nullptr);
  if (complete) {
    PT_LET(shape.columns, WithDeclared(shape.known, stream.columns));
  } else {
    PT_LET(shape.columns, ColumnsOfSchema(job, stream.source, "stream.source", shape.known));
  }
  return shape;
}

Result<EventShape> ShapeOfOther(const JobFile& job) {
  const EventJoinOptions& join = *job.stream->join;
  EventShape shape{.table = join.table};
  if (join.columns.all.empty()) {
    PT_LET(shape.columns, ColumnsOfSchema(job, join.source, "stream.join.source", nullptr));
    return shape;
  }
  PT_LET(shape.columns, WithDeclared(nullptr, join.columns));
  return shape;
}

}  // namespace protium
