// SPDX-License-Identifier: Apache-2.0
#include "iceberg/columns.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "base/text.h"

namespace protium {
namespace {

// Iceberg's names of types, and DuckDB's.
struct PlainType {
  std::string_view iceberg;
  std::string_view duckdb;
  std::string_view narrower = {};  // Whose values fit, too.
};
constexpr PlainType kPlain[] = {{"boolean", "BOOLEAN"},
                                {"int", "INTEGER"},
                                {"long", "BIGINT", "int"},
                                {"float", "FLOAT"},
                                {"double", "DOUBLE", "float"},
                                {"string", "VARCHAR"},
                                {"binary", "BLOB"},
                                {"date", "DATE"},
                                {"timestamp", "TIMESTAMP", "timestamptz"},
                                {"timestamptz", "TIMESTAMP WITH TIME ZONE"}};

const PlainType* FindPlain(const Json& type) {
  if (!type.is_string()) return nullptr;
  const auto* const found = std::ranges::find(kPlain, type.get<std::string>(), &PlainType::iceberg);
  return found == std::end(kPlain) ? nullptr : found;
}

std::string_view PlainName(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return "boolean";
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
      return "int";
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
      return "timestamptz";
    default:
      return {};
  }
}

// Gives the columns of a new table their numbers, those within another one, too.
class Numbered {
 public:
  Result<Json> Struct(const arrow::FieldVector& fields) {
    Json list = Json::array();
    for (const auto& field : fields) {
      const int64_t id = ++last_;
      PT_LET(Json type, TypeOf(*field->type(), field->name()));
      list.push_back(
          {{"id", id}, {"name", field->name()}, {"required", false}, {"type", std::move(type)}});
    }
    return Json{{"type", "struct"}, {"fields", std::move(list)}};
  }

  Result<Json> TypeOf(const arrow::DataType& type, const std::string& column) {
    const std::string_view plain = PlainName(type);
    if (!plain.empty()) return Json(plain);
    if (type.id() == arrow::Type::DECIMAL128) {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
      return Json(fmt::format("decimal({}, {})", decimal.precision(), decimal.scale()));
    }
    if (type.id() == arrow::Type::LIST) {
      const int64_t id = ++last_;
      PT_LET(Json item, TypeOf(*static_cast<const arrow::ListType&>(type).value_type(), column));
      return Json{{"type", "list"},
                  {"element-id", id},
                  {"element", std::move(item)},
                  {"element-required", false}};
    }
    if (type.id() == arrow::Type::STRUCT) return Struct(type.fields());
    return Fail(
        {.exit = Exit::kInput,
         .what = fmt::format("column \"{}\" is of type {}, which tables of Iceberg do not have",
                             column, type.ToString()),
         .fix = "leave it out with columns = [...], or cast it in the SQL"});
  }

 private:
  int64_t last_ = 0;
};

std::string WithoutBlanks(const std::string& text) { return Replaced(text, " ", ""); }

// How DuckDB is told of a column of the table: its type and its numbers.
struct Told {
  std::string type;
  std::string within;  // ", element: 4" of a list, ", x: 4, y: 5" of a struct.
};

Result<Told> Tell(const Json& type, const std::string& column);

Result<Told> TellStruct(const Json& fields, const std::string& column) {
  Told told;
  for (const Json& field : fields) {
    PT_LET(const Told item, Tell(MemberOf(field, "type"), column));
    const std::string name = InQuotes(TextAt(field, "name"), '"');
    told.type += (told.type.empty() ? "" : ", ") + name + " " + item.type;
    told.within +=
        fmt::format(", {}: {{__duckdb_field_id: {}{}}}", name, WholeAt(field, "id"), item.within);
  }
  told.type = "STRUCT(" + told.type + ")";
  return told;
}

Result<Told> Tell(const Json& type, const std::string& column) {
  if (const PlainType* const plain = FindPlain(type)) return Told{std::string(plain->duckdb), {}};
  if (type.is_string() && type.get<std::string>().starts_with("decimal(")) {
    return Told{WithoutBlanks(type.get<std::string>()), {}};
  }
  const std::string& kind = TextAt(type, "type");
  if (kind == "list") {
    PT_LET(const Told item, Tell(MemberOf(type, "element"), column));
    return Told{item.type + "[]", fmt::format(", element: {{__duckdb_field_id: {}{}}}",
                                              WholeAt(type, "element-id"), item.within)};
  }
  if (kind == "struct") return TellStruct(MemberOf(type, "fields"), column);
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("column \"{}\" of the Iceberg table is of type {}, which is not "
                                   "written here",
                                   column, type.is_string() ? type.get<std::string>() : kind)});
}

// What decides whether values fit: without numbers, and without what is said about NULL.
Json Shape(const Json& type) {
  if (type.is_string()) return WithoutBlanks(type.get<std::string>());
  if (TextAt(type, "type") == "list") return {{"list", Shape(MemberOf(type, "element"))}};
  Json fields = Json::object();
  for (const Json& field : MemberOf(type, "fields")) {
    fields[TextAt(field, "name")] = Shape(MemberOf(field, "type"));
  }
  return fields;
}

bool Fits(const Json& rows, const Json& table) {
  if (Shape(rows) == Shape(table)) return true;
  const PlainType* const to = FindPlain(table);
  return to != nullptr && !to->narrower.empty() && rows == to->narrower;
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
  LakeColumn column{.name = TextAt(field, "name"), .nullable = MemberOf(field, "required") != true};
  const auto given = rows.GetFieldByName(column.name);
  if (given == nullptr) {
    return Misfit(place,
                  fmt::format("the rows have no column \"{}\", which the table has", column.name),
                  "make it in the SQL");
  }
  const Json& type = MemberOf(field, "type");
  PT_LET(const Told told, Tell(type, column.name));
  PT_LET(const Json own, Numbered().TypeOf(*given->type(), column.name));
  if (!Fits(own, type)) {
    return Misfit(place,
                  fmt::format("column \"{}\" is {} in the rows, and {} in the table", column.name,
                              Dump(Shape(own)), Dump(Shape(type))),
                  "cast it in the SQL");
  }
  column.type = told.type;
  column.field_id = fmt::format("{{__duckdb_field_id: {}{}}}", WholeAt(field, "id"), told.within);
  if (told.within.empty()) column.field_id = std::to_string(WholeAt(field, "id"));
  return column;
}

// The bytes of a number, the lowest first.
template <class T>
std::string Bytes(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

}  // namespace

Result<Json> IcebergSchema(const arrow::Schema& rows) { return Numbered().Struct(rows.fields()); }

Result<std::vector<LakeColumn>> FitIcebergColumns(const Json& schema, const arrow::Schema& rows,
                                                  const std::string& place) {
  std::vector<LakeColumn> columns;
  for (const Json& field : MemberOf(schema, "fields")) {
    PT_LET(LakeColumn column, FitColumn(field, rows, place));
    columns.push_back(std::move(column));
  }
  for (const std::string& name : rows.field_names()) {
    if (std::ranges::count(columns, name, &LakeColumn::name) > 0) continue;
    return Misfit(place, fmt::format("the table has no column \"{}\", which the rows have", name),
                  "leave it out with columns = [...], or name another table");
  }
  return columns;
}

std::map<int64_t, std::string> IcebergBounds(const Json& schema, const Json& values) {
  std::map<int64_t, std::string> bounds;
  for (const Json& field : MemberOf(schema, "fields")) {
    const Json& type = MemberOf(field, "type");
    // Texts may be long, and two values of a flag leave nothing out.
    if (type != "long" && type != "int" && type != "date") continue;
    const auto bound = IcebergValue(type, MemberOf(values, TextAt(field, "name")));
    if (bound) bounds[WholeAt(field, "id")] = *bound;
  }
  return bounds;
}

std::optional<std::string> IcebergValue(const Json& type, const Json& value) {
  if (type == "string" && value.is_string()) return value.get<std::string>();
  if (type == "boolean" && value.is_boolean()) return Bytes(char(value.get<bool>()));
  if (type == "date" && value.is_string()) {
    const auto days = IcebergDays(value.get<std::string>());
    return days ? std::optional(Bytes(*days)) : std::nullopt;
  }
  if (!value.is_number_integer()) return std::nullopt;
  if (type == "long") return Bytes(value.get<int64_t>());
  if (type == "int" || type == "date") return Bytes(value.get<int32_t>());
  return std::nullopt;
}

std::optional<int32_t> IcebergDays(const std::string& text) {
  int year = 0;
  unsigned month = 0, day = 0;
  const int read = std::sscanf(text.c_str(), "%d-%u-%u", &year, &month, &day);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (read != 3 || !date.ok()) return std::nullopt;
  return static_cast<int32_t>(std::chrono::sys_days(date).time_since_epoch().count());
}

std::map<int64_t, int64_t> IcebergCounts(const Json& schema, const Json& counts) {
  std::map<int64_t, int64_t> by_id;
  for (const Json& field : MemberOf(schema, "fields")) {
    const int64_t count = WholeAt(counts, TextAt(field, "name"), -1);
    if (count >= 0) by_id[WholeAt(field, "id")] = count;
  }
  return by_id;
}

}  // namespace protium
