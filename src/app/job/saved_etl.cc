// SPDX-License-Identifier: Apache-2.0
#include "app/job/saved_etl.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/job/model_tables.h"
#include "base/fault.h"
#include "column/schema.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

bool SameColumn(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

std::optional<Expr> EmptyOf(const arrow::DataType& type) {
  const Expr null = Lit({});
  if (arrow::is_integer(type.id())) return CallOf("cast_int64", {null});
  if (type.id() == arrow::Type::BOOL) return CallOf("cast_bool", {null});
  if (type.id() == arrow::Type::STRING) return CallOf("cast_string", {null});
  if (arrow::is_floating(type.id())) return CallOf("cast_double", {null});
  return std::nullopt;
}

// `table` with the label as an empty column where the table had one and now lacks it.
Result<DataFrame> WithLabel(const DataFrame& table, const arrow::Schema& known,
                            const std::string& label, std::string& lacks) {
  PT_LET(const SchemaPtr schema, table.Schema());
  const auto is_label = [&](const auto& field) { return SameColumn(field->name(), label); };
  const auto had = std::find_if(known.fields().begin(), known.fields().end(), is_label);
  if (had == known.fields().end()) return table;
  const auto& there = schema->fields();
  if (std::any_of(there.begin(), there.end(), is_label)) return table;
  const std::optional<Expr> empty = EmptyOf(*(*had)->type());
  if (!empty) return table;
  std::vector<NamedExpr> columns;
  for (const auto& field : there) columns.push_back({field->name(), Col(field->name())});
  columns.push_back({(*had)->name(), *empty});
  lacks = (*had)->name();
  return table.Project(std::move(columns));
}

Result<SchemaPtr> KnownColumns(const Json& saved, const std::string& table) {
  const Json all = saved.value("columns", Json::object());
  const auto found = all.find(table);
  if (found == all.end()) return arrow::schema(arrow::FieldVector());
  Result<SchemaPtr> columns = SchemaFromJson(*found);
  if (columns.ok()) return columns;
  return Fail({.exit = Exit::kInput,
               .what = "the model's etl.json is damaged: columns of table \"" + table + "\"",
               .why = FaultOf(columns.status()).what});
}

Result<DataFrame> Read(Session& session, const std::string& name, const JobTable& table,
                       const fs::path& data, const SchemaPtr& known) {
  PT_LET(const fs::path path, TableBelow(data, name, table));
  if (table.csv) return session.Read().Csv(path.string(), table.options, known);
  return session.Read().Parquet(path.string());
}

}  // namespace

Result<Json> SavedEtl(Session& session, const Job& job) {
  Json saved = {{"tables", Json::object()}, {"columns", Json::object()}, {"sql", job.file.etl.sql}};
  for (const auto& [name, table] : job.file.tables.all) {
    saved["tables"][name] = FieldsToJson(table);
    const Plan plan = session.Table(name).plan();
    const auto* const scan = std::get_if<Scan>(&plan->verb);
    if (scan == nullptr || !scan->schema) continue;
    // Types that models do not carry are found again in the new table.
    Result<Json> columns = SchemaToJson(*scan->schema);
    if (columns.ok()) saved["columns"][name] = *std::move(columns);
  }
  return saved;
}

Result<NewTables> TablesFromSavedEtl(Session& session, const Json& saved, const std::string& label,
                                     const fs::path& data) {
  if (!saved.is_object() || !saved.contains("sql") || !saved["sql"].is_string() ||
      !saved.contains("tables")) {
    return Fail({.exit = Exit::kInput,
                 .what = "this model does not know how its input table is made",
                 .fix = "give the table itself: --input FILE"});
  }
  ByName<JobTable> tables;
  PT_TRY(FieldsFromJson(saved["tables"], "tables", tables));
  NewTables made{.etl = session.Sql("")};
  for (const auto& [name, table] : tables.all) {
    PT_LET(const SchemaPtr known, KnownColumns(saved, name));
    PT_LET(DataFrame frame, Read(session, name, table, data, known));
    std::string lacks;
    if (!label.empty()) {
      PT_LET(frame, WithLabel(frame, *known, label, lacks));
    }
    if (!lacks.empty()) {
      made.notes.push_back(
          fmt::format("table {} has no column {}: the label is left empty", name, lacks));
    }
    session.Table(name, frame);
    made.tables.emplace_back(name, frame);
  }
  made.etl = session.Sql(saved["sql"].get<std::string>());
  return made;
}

}  // namespace protium
