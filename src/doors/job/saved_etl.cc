// SPDX-License-Identifier: Apache-2.0
#include "job/saved_etl.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

#include "base/fault.h"
#include "base/unknown_name.h"
#include "column/cells.h"
#include "column/schema.h"
#include "job/model_tables.h"
#include "model/model_state.h"
#include "model/score_in_sql.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Scoring new tables: each table of the saved job is read from the new folder under its old file
// name and with its old types, missing columns of the label are added as NULLs, and the saved SQL
// runs over them. Other missing columns are reported only if it fails: the SQL may not read them at
// all.

// Engines ignore the case of names.
bool SameColumn(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// Returns a typed NULL; none for types without a cast, such as dates.
std::optional<Expr> MakeNull(const arrow::DataType& type) {
  const Expr null = Lit({});
  if (arrow::is_integer(type.id())) return MakeCall("cast_int64", {null});
  if (type.id() == arrow::Type::BOOL) return MakeCall("cast_bool", {null});
  if (type.id() == arrow::Type::STRING) return MakeCall("cast_string", {null});
  if (IsNumber(type)) return MakeCall("cast_double", {null});
  return std::nullopt;
}

// Returns `table` plus the label as a column of NULLs, if the model's table had the label and this
// one does not; adds its name to `lacks`.
Result<DataFrame> WithLabel(const DataFrame& table, const arrow::Schema& known,
                            const std::vector<std::string>& names, std::string& lacks) {
  PT_LET(const SchemaPtr schema, table.Schema());
  const auto is_label = [&](const auto& field) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return SameColumn(field->name(), name); });
  };
  const auto had = std::find_if(known.fields().begin(), known.fields().end(), is_label);
  if (had == known.fields().end()) return table;
  const auto& there = schema->fields();
  if (std::any_of(there.begin(), there.end(), is_label)) return table;
  const std::optional<Expr> empty = MakeNull(*(*had)->type());
  if (!empty) return table;
  std::vector<NamedExpr> columns;
  for (const auto& field : there) columns.push_back({field->name(), Col(field->name())});
  columns.push_back({(*had)->name(), *empty});
  lacks = (*had)->name();
  return table.Project(std::move(columns));
}

// Adds "sales.price" to `missing` for each column that the model's table had and this one lacks.
Status AddMissing(const std::string& name, const DataFrame& table, const arrow::Schema& known,
                  std::string& missing) {
  PT_LET(const SchemaPtr schema, table.Schema());
  for (const auto& field : known.fields()) {
    const auto& there = schema->fields();
    const bool found = std::any_of(there.begin(), there.end(), [&](const auto& each) {
      return SameColumn(each->name(), field->name());
    });
    if (!found) missing += (missing.empty() ? "" : ", ") + name + "." + field->name();
  }
  return Status::OK();
}

// Explains failing SQL by the missing columns: an engine names only the first one.
Status ReportMissing(const Status& status, const std::string& missing) {
  if (status.ok() || missing.empty()) return status;
  Fault fault = FaultOf(status);
  fault.exit = Exit::kInput;
  fault.why = "the tables lack columns that they had when the model was made: " + missing;
  fault.fix = "add the columns that the SQL reads; those that only the label needs may be empty";
  return Fail(std::move(fault));
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

// The columns of a table; null for one whose schema only Spark knows.
Result<SchemaPtr> ColumnsOf(Session& session, const std::string& name) {
  const DataFrame table = session.Table(name);
  if (const auto* const scan = std::get_if<Scan>(&table.plan()->verb)) return scan->schema;
  const auto* const named = std::get_if<NamedTable>(&table.plan()->verb);
  if (named == nullptr || !named->source) return SchemaPtr();
  return table.Schema();
}

Result<DataFrame> Read(Session& session, const std::string& name, const JobTable& table,
                       const NewPlaces& places, const SchemaPtr& known) {
  const auto own = places.own.find(name);
  if (own != places.own.end()) return own->second(known);
  if (places.data.empty()) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = fmt::format("the model's SQL reads the table {}, which is given no place", name),
         .fix = fmt::format("--table {}=PLACE, or --data DIR", name)});
  }
  PT_LET(const fs::path path, TableBelow(places.data, name, table));
  const Reader reader = session.Read().Partitions(table.partitions);
  return OpenTable(reader, table, path.string(), {}, known);
}

// A place for a table that the model does not have would be ignored.
Status CheckNames(const NewPlaces& places, const ByName<JobTable>& tables) {
  std::vector<std::string> known;
  for (const auto& [name, table] : tables.all) known.push_back(name);
  for (const auto& [name, open] : places.own) {
    if (std::ranges::count(known, name) == 0) return UnknownName("table", name, known, "--table");
  }
  return Status::OK();
}

}  // namespace

std::vector<std::string> LabelsOf(const ModelState& model) {
  std::vector<std::string> labels;
  for (const Json& stage : PipelineToJson(model)) {
    const std::string label = stage.value("label", "");
    if (!label.empty()) labels.push_back(label);
    for (const Json& each : stage.value("labels", Json::array())) labels.push_back(each);
  }
  return labels;
}

// A computed label is not found; then its columns must exist.
std::vector<std::string> NamesOfLabel(const std::string& sql, const std::string& label) {
  std::vector<std::string> names = {label};
  std::string escaped;
  for (const char c : label) {
    if (c != '_' && std::ispunct(static_cast<unsigned char>(c)) != 0) escaped += '\\';
    escaped += c;
  }
  // std::regex throws, also while matching. libstdc++ matches by recursion, whose depth the bounded
  // repeats limit: the SQL comes with the model, which may be a stranger's.
  try {
    const std::string name = R"re(("[^"]{1,99}"|[a-z_][a-z_0-9]{0,99}))re";
    const std::regex renamed(R"re((?:,|\bselect\b|\bdistinct\b)\s*(?:)re" + name + R"re(\.)?)re" +
                                 name + R"re(\s+(?:as\s+)?("?))re" + escaped +
                                 R"re("?(?![a-z_0-9]))re",
                             std::regex::icase);
    for (std::sregex_iterator each(sql.begin(), sql.end(), renamed), end; each != end; ++each) {
      std::string found = (*each)[2];
      if (found.starts_with('"')) found = found.substr(1, found.size() - 2);
      names.push_back(std::move(found));
    }
  } catch (const std::regex_error&) {
    return {label};
  }
  return names;
}

Result<Json> SavedEtl(Session& session, const Job& job) {
  Json saved = {{"tables", Json::object()}, {"columns", Json::object()}, {"sql", job.file.etl.sql}};
  for (const auto& [name, table] : job.file.tables.all) {
    saved["tables"][name] = FieldsToJson(table);
    PT_LET(const SchemaPtr schema, ColumnsOf(session, name));
    if (schema == nullptr) continue;
    // A type that schema.json cannot express is omitted, and inferred again from the new table.
    Result<Json> columns = SchemaToJson(*schema);
    if (columns.ok()) saved["columns"][name] = *std::move(columns);
  }
  return saved;
}

Result<NewTables> TablesFromSavedEtl(Session& session, const Json& saved,
                                     const std::vector<std::string>& labels,
                                     const NewPlaces& places) {
  if (!saved.is_object() || !saved.contains("sql") || !saved["sql"].is_string() ||
      !saved.contains("tables")) {
    return Fail({.exit = Exit::kInput,
                 .what = "this model has no SQL that makes its input table",
                 .fix = "give the table itself: --input FILE"});
  }
  ByName<JobTable> tables;
  PT_TRY(FieldsFromJson(saved["tables"], "tables", tables));
  PT_TRY(CheckNames(places, tables));
  const std::string sql = saved["sql"].get<std::string>();
  NewTables made{.etl = session.Sql("")};
  std::string missing;
  for (const auto& [name, table] : tables.all) {
    PT_LET(const SchemaPtr known, KnownColumns(saved, name));
    PT_LET(DataFrame frame, Read(session, name, table, places, known));
    for (const std::string& label : labels) {
      std::string lacks;
      PT_LET(frame, WithLabel(frame, *known, NamesOfLabel(sql, label), lacks));
      if (lacks.empty()) continue;
      made.notes.push_back(
          fmt::format("table {} has no column {}: the label is left empty", name, lacks));
    }
    PT_TRY(AddMissing(name, frame, *known, missing));
    session.Table(name, frame);
    made.tables.emplace_back(name, frame);
  }
  made.etl = SqlWithModels(session, sql);
  PT_TRY(ReportMissing(made.etl.Schema().status(), missing));
  return made;
}

}  // namespace protium
