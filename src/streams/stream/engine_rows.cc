// SPDX-License-Identifier: Apache-2.0
#include "stream/engine_rows.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/unknown_name.h"
#include "job/model_tables.h"
#include "protium/pipeline.h"
#include "stream/side_tables.h"

namespace protium {
namespace {

std::string InBackticks(const std::string& name) {
  std::string text = "`";
  for (const char each : name) text += each == '`' ? "``" : std::string(1, each);
  return text + "`";
}

// A type of EventColumns() in SQL.
std::string SqlTypeOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::INT64:
      return "BIGINT";
    case arrow::Type::DOUBLE:
      return "DOUBLE";
    case arrow::Type::BOOL:
      return "BOOLEAN";
    case arrow::Type::DATE32:
      return "DATE";
    case arrow::Type::TIMESTAMP:
      return "TIMESTAMP_NTZ";
    case arrow::Type::LIST:
      return "ARRAY<" + SqlTypeOf(*type.field(0)->type()) + ">";
    default:
      return "STRING";
  }
}

// Events have the columns of the shape, in its order; those that the files lack are NULL.
Plan WithShape(const Plan& files, const arrow::Schema& in_files, const arrow::Schema& columns) {
  if (in_files.field_names() == columns.field_names()) return files;
  std::string list;
  for (const auto& field : columns.fields()) {
    const bool there = in_files.GetFieldIndex(field->name()) >= 0;
    list += fmt::format("{}{}", list.empty() ? "" : ", ",
                        there ? InBackticks(field->name())
                              : fmt::format("CAST(NULL AS {}) AS {}", SqlTypeOf(*field->type()),
                                            InBackticks(field->name())));
  }
  return MakePlan(Sql{.text = "SELECT " + list + " FROM files",
                      .names = {"files"},
                      .verb = "the columns of events"},
                  {files});
}

void NameTables(Session& session, const Job& job, const Columns& names) {
  for (const auto& [name, table] : job.file.tables.all) {
    if (!names.empty() && std::ranges::count(names, name) == 0) continue;
    const Reader reader = session.Read().Partitions(table.partitions);
    session.Table(name,
                  OpenTable(reader, table, PlaceIn(job.file.data, table), job.file.connections));
  }
}

Result<DataFrame> ScoredBy(Session& session, const DataFrame& rows, const LoadedModel& model,
                           const std::string& version_column) {
  PT_LET(const PipelineModel loaded, PipelineModel::Load(session, model.folder));
  const DataFrame scored = loaded.Transform(rows);
  if (version_column.empty()) return scored;
  return scored.WithColumns({{version_column, Lit(model.sha256.substr(0, 12))}});
}

}  // namespace

Result<EngineRows> RowsOnEngine(Session& session, const Job& job, const EventShape& shape,
                                const SourceForm& form, const LoadedModel* model) {
  const StreamOptions& stream = *job.file.stream;
  std::vector<std::string> paths;
  if (!stream.source.kafka) paths.push_back(SourceFolder(job.file).string());
  // It has the table's name, or else Session::Table() would make another node of it.
  const Plan files = MakePlan(Scan{.table = shape.table.empty() ? "events" : shape.table,
                                   .format = form.format,
                                   .paths = std::move(paths),
                                   .schema = form.columns,
                                   .csv = stream.source.csv});
  const DataFrame events(session, WithShape(files, *form.columns, *shape.columns));
  DataFrame rows = events;
  if (!shape.sql.empty()) {
    PT_TRY(SideTables(job, shape.other_tables).Check());
    session.Table(shape.table, events);
    NameTables(session, job, shape.other_tables);
    rows = session.Sql(shape.sql);
  }
  if (model != nullptr) {
    PT_LET(rows, ScoredBy(session, rows, *model, stream.version_column));
  }
  if (!stream.sink.columns.empty()) {
    PT_LET(const SchemaPtr all, rows.Schema());
    for (const std::string& name : stream.sink.columns) {
      if (all->GetFieldIndex(name) >= 0) continue;
      return UnknownName("column", name, all->field_names(), "stream.sink.columns");
    }
    rows = rows.Select(stream.sink.columns);
  }
  return EngineRows{.rows = rows, .events = files.get()};
}

}  // namespace protium
