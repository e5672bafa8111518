// SPDX-License-Identifier: Apache-2.0
#include "delta/columns.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "base/text.h"

namespace protium {
namespace {

constexpr std::string_view kBadInNames = " ,;{}()\n\t=";

// Delta's names of types, and DuckDB's.
struct PlainType {
  std::string_view delta;
  std::string_view duckdb;
  int bytes = 0;  // Of numbers: a narrower one of the same kind fits.
  bool whole = false;
};
constexpr PlainType kPlain[] = {{"boolean", "BOOLEAN"},
                                {"byte", "TINYINT", 1, true},
                                {"short", "SMALLINT", 2, true},
                                {"integer", "INTEGER", 4, true},
                                {"long", "BIGINT", 8, true},
                                {"float", "FLOAT", 4},
                                {"double", "DOUBLE", 8},
                                {"string", "VARCHAR"},
                                {"binary", "BLOB"},
                                {"date", "DATE"},
                                {"timestamp", "TIMESTAMP WITH TIME ZONE"},
                                {"timestamp_ntz", "TIMESTAMP"}};

const PlainType* FindPlain(const Json& type) {
  if (!type.is_string()) return nullptr;
  const auto* const found = std::ranges::find(kPlain, type.get<std::string>(), &PlainType::delta);
  return found == std::end(kPlain) ? nullptr : found;
}

std::string_view PlainName(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return "boolean";
    case arrow::Type::INT8:
      return "byte";
    case arrow::Type::INT16:
      return "short";
    case arrow::Type::INT32:
      return "integer";
    case arrow::Type::INT64:
      return "long";
    case arrow::Type::FLOAT:
      return "float";
    case arrow::Type::DOUBLE:
      return "double";
    case arrow::Type::STRING:
      return "string";
    case arrow::Type::BINARY:
      return "binary";
    case arrow::Type::DATE32:
      return "date";
    case arrow::Type::TIMESTAMP:
      return "timestamp";
    default:
      return {};
  }
}

Result<Json> DeltaType(const arrow::DataType& type, const std::string& column);

Result<Json> StructType(const arrow::FieldVector& fields) {
  Json list = Json::array();
  for (const auto& field : fields) {
    PT_LET(Json type, DeltaType(*field->type(), field->name()));
    list.push_back({{"name", field->name()},
                    {"type", std::move(type)},
                    {"nullable", true},
                    {"metadata", Json::object()}});
  }
  return Json{{"type", "struct"}, {"fields", std::move(list)}};
}

Result<Json> DeltaType(const arrow::DataType& type, const std::string& column) {
  const std::string_view plain = PlainName(type);
  if (!plain.empty()) return Json(plain);
  if (type.id() == arrow::Type::DECIMAL128) {
    const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
    return Json(fmt::format("decimal({},{})", decimal.precision(), decimal.scale()));
  }
  if (type.id() == arrow::Type::LIST) {
    PT_LET(Json item, DeltaType(*static_cast<const arrow::ListType&>(type).value_type(), column));
    return Json{{"type", "array"}, {"elementType", std::move(item)}, {"containsNull", true}};
  }
  if (type.id() == arrow::Type::STRUCT) return StructType(type.fields());
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("column \"{}\" is of type {}, which tables of Delta do not have",
                                   column, type.ToString()),
               .fix = "leave it out with columns = [...], or cast it in the SQL"});
}

// "decimal(38,10)" is DuckDB's type, too.
Result<std::string> DuckDbType(const Json& type, const std::string& column) {
  if (const PlainType* const plain = FindPlain(type)) return std::string(plain->duckdb);
  if (type.is_string() && type.get<std::string>().starts_with("decimal(")) {
    return type.get<std::string>();
  }
  const std::string& kind = TextAt(type, "type");
  if (kind == "array") {
    PT_LET(const std::string item, DuckDbType(MemberOf(type, "elementType"), column));
    return item + "[]";
  }
  if (kind == "struct") {
    std::string list;
    for (const Json& field : MemberOf(type, "fields")) {
      PT_LET(const std::string item, DuckDbType(MemberOf(field, "type"), column));
      list += (list.empty() ? "" : ", ") + InQuotes(TextAt(field, "name"), '"') + " " + item;
    }
    return "STRUCT(" + list + ")";
  }
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("column \"{}\" of the Delta table is of type {}, which is not "
                                   "written here",
                                   column, Dump(type))});
}

// What decides whether values fit: without what Delta says about NULL and of fields.
Json Shape(const Json& type) {
  if (type.is_string()) return type == "timestamp_ntz" ? Json("timestamp") : type;
  if (TextAt(type, "type") == "array") return {{"array", Shape(MemberOf(type, "elementType"))}};
  Json fields = Json::object();
  for (const Json& field : MemberOf(type, "fields")) {
    fields[TextAt(field, "name")] = Shape(MemberOf(field, "type"));
  }
  return fields;
}

bool Fits(const Json& rows, const Json& table) {
  if (Shape(rows) == Shape(table)) return true;
  const PlainType *const from = FindPlain(rows), *const to = FindPlain(table);
  return from != nullptr && to != nullptr && from->bytes > 0 && from->bytes < to->bytes &&
         from->whole == to->whole;
}

Status Misfit(const std::string& place, std::string what, std::string fix) {
  return Fail({.exit = Exit::kInput,
               .what = std::move(what),
               .where = place,
               .fix = std::move(fix),
               .kept = "the table as it was"});
}

Result<LakeColumn> FitColumn(const Json& field, const arrow::Schema& rows,
                             const std::string& place) {
  LakeColumn column{.name = TextAt(field, "name"),
                    .nullable = MemberOf(field, "nullable") != false};
  const auto given = rows.GetFieldByName(column.name);
  if (given == nullptr) {
    return Misfit(place,
                  fmt::format("the rows have no column \"{}\", which the table has", column.name),
                  "make it in the SQL");
  }
  const Json& type = MemberOf(field, "type");
  PT_LET(const Json own, DeltaType(*given->type(), column.name));
  if (!Fits(own, type)) {
    return Misfit(place,
                  fmt::format("column \"{}\" is {} in the rows, and {} in the table", column.name,
                              Dump(own), Dump(type)),
                  "cast it in the SQL");
  }
  PT_LET(column.type, DuckDbType(type, column.name));
  return column;
}

}  // namespace

Result<Json> DeltaSchema(const arrow::Schema& rows) {
  for (const auto& field : rows.fields()) {
    if (field->name().find_first_of(kBadInNames) == std::string::npos) continue;
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("a table of Delta has no columns with names such as \"{}\"",
                                     field->name()),
                 .why = "blanks and , ; { } ( ) = are not for names there",
                 .fix = "rename it in the SQL"});
  }
  return StructType(rows.fields());
}

Result<std::vector<LakeColumn>> FitColumns(const Json& schema, const arrow::Schema& rows,
                                           const std::string& place) {
  std::vector<LakeColumn> columns;
  for (const Json& field : MemberOf(schema, "fields")) {
    PT_LET(LakeColumn column, FitColumn(field, rows, place));
    columns.push_back(std::move(column));
  }
  for (const std::string& name : rows.field_names()) {
    if (std::ranges::count(columns, name, &LakeColumn::name) > 0) continue;
    return Misfit(place, fmt::format("the table has no column \"{}\", which the rows have", name),
                  "leave it out with columns = [...], or name another folder");
  }
  return columns;
}

}  // namespace protium
