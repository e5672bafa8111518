// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "base/text.h"
#include "connect/types.h"
#include "sources/server_url.h"
#include "sources/source.h"
#include "sources/source_name.h"
#include "spark/sources/table_read.h"

namespace protium {
namespace {

// Larger tables are read by several tasks.
constexpr int64_t kBytesPerPart = 16 << 20;
constexpr int64_t kMostParts = 32;

std::string Name(const std::string& name) { return InQuotes(name, '`'); }
std::string Text(const std::string& text) { return SqlText(text, true); }

enum class MysqlKind {
  kBool,
  kTiny,
  kSmall,
  kInt,
  kBigint,
  kUnsignedBigint,
  kDecimal,
  kFloat,
  kDouble,
  kDate,
  kMoment,
  kTime,
  kText,
  kBytes
};

struct MysqlType {
  MysqlKind kind = MysqlKind::kText;
  int64_t digits = 0, scale = 0;  // Of a decimal.
};

// A time as MySQL writes it, without the zeros at the end of a fraction.
std::string TimeText(const std::string& name) {
  return fmt::format(
      "CASE WHEN CAST({0} AS CHAR) LIKE '%.%' THEN TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM "
      "CAST({0} AS CHAR))) ELSE CAST({0} AS CHAR) END",
      name);
}

// As bytes, so that texts compare byte by byte and not in the order of the table's collation.
std::string TextBytes(const std::string& text) {
  return "CAST(CONVERT(" + text + " USING utf8mb4) AS BINARY)";
}

Result<ColumnRead> ReadDecimal(const Source& source, const std::string& column,
                               const MysqlType& type) {
  if (type.digits > 38) {
    return NoColumn(source, column, fmt::format("decimal({},{})", type.digits, type.scale));
  }
  return ColumnRead{column, Name(column), fmt::format("DECIMAL({},{})", type.digits, type.scale)};
}

Result<ColumnRead> ReadColumn(const Source& source, const std::string& column,
                              const MysqlType& type) {
  const std::string name = Name(column);
  switch (type.kind) {
    case MysqlKind::kBool:
      return ColumnRead{column, name, "BOOLEAN"};
    case MysqlKind::kTiny:
      return ColumnRead{column, name, "TINYINT"};
    case MysqlKind::kSmall:
      return ColumnRead{column, name, "SMALLINT"};
    case MysqlKind::kInt:
      return ColumnRead{column, name, "INT"};
    case MysqlKind::kBigint:
      return ColumnRead{column, name, "BIGINT"};
    case MysqlKind::kUnsignedBigint: {
      const std::string too_large =
          SqlText(fmt::format("column {} holds a number above 9223372036854775807", column));
      return ColumnRead{column, name, "DECIMAL(20,0)",
                        "if({0} > 9223372036854775807BD, raise_error(" + Escaped(too_large) +
                            "), CAST({0} AS BIGINT))"};
    }
    case MysqlKind::kDecimal:
      return ReadDecimal(source, column, type);
    case MysqlKind::kFloat:
      return ColumnRead{column, name, "FLOAT"};
    case MysqlKind::kDouble:
      return ColumnRead{column, name, "DOUBLE"};
    case MysqlKind::kDate:
      return ColumnRead{column, name, "DATE"};
    // In the session's zone, UTC, whatever the zone of the server's Java.
    case MysqlKind::kMoment:
      return ColumnRead{column, "CAST(" + name + " AS CHAR)", "STRING",
                        "CAST({} AS TIMESTAMP_NTZ)"};
    case MysqlKind::kTime:
      return ColumnRead{column, TextBytes(TimeText(name)), "STRING"};
    // A bit(n), too: by itself it would come as the text of its digits.
    case MysqlKind::kBytes:
      return ColumnRead{column, "CAST(" + name + " AS BINARY)", "BINARY"};
    case MysqlKind::kText:
      break;
  }
  return ColumnRead{column, TextBytes(name), "STRING"};
}

// By the words of the catalogue: "int" and "int(10) unsigned".
MysqlType TypeNamed(const std::string& type, const std::string& whole) {
  const bool is_unsigned = whole.find("unsigned") != std::string::npos;
  if (whole.starts_with("tinyint(1)") && !is_unsigned) return {MysqlKind::kBool};
  if (type == "bigint") return {is_unsigned ? MysqlKind::kUnsignedBigint : MysqlKind::kBigint};
  if (type.ends_with("int") && is_unsigned) return {MysqlKind::kBigint};
  if (type == "tinyint") return {MysqlKind::kTiny};
  if (type == "smallint") return {MysqlKind::kSmall};
  if (type.ends_with("int")) return {MysqlKind::kInt};
  static const std::vector<std::pair<std::string_view, MysqlKind>> kKinds = {
      {"year", MysqlKind::kInt},         {"decimal", MysqlKind::kDecimal},
      {"float", MysqlKind::kFloat},      {"double", MysqlKind::kDouble},
      {"date", MysqlKind::kDate},        {"datetime", MysqlKind::kMoment},
      {"timestamp", MysqlKind::kMoment}, {"time", MysqlKind::kTime},
      {"bit", MysqlKind::kBytes},        {"binary", MysqlKind::kBytes},
      {"varbinary", MysqlKind::kBytes},  {"geometry", MysqlKind::kBytes},
      {"point", MysqlKind::kBytes},      {"linestring", MysqlKind::kBytes},
      {"polygon", MysqlKind::kBytes}};
  for (const auto& [name, kind] : kKinds) {
    if (type == name) return {kind};
  }
  const bool bytes =
      type.ends_with("blob") || type.starts_with("multi") || type.starts_with("geom");
  return {bytes ? MysqlKind::kBytes : MysqlKind::kText};
}

// By what the driver says of a query's column.
MysqlType TypeDelivered(const arrow::Field& field) {
  const bool is_unsigned = connect::NoteOf(field, "isSigned") == "false";
  switch (field.type()->id()) {
    case arrow::Type::BOOL:
      return {MysqlKind::kBool};
    case arrow::Type::INT8:
      return {is_unsigned ? MysqlKind::kBigint : MysqlKind::kTiny};
    case arrow::Type::INT16:
      return {is_unsigned ? MysqlKind::kBigint : MysqlKind::kSmall};
    case arrow::Type::INT32:
      return {is_unsigned ? MysqlKind::kBigint : MysqlKind::kInt};
    case arrow::Type::INT64:
      return {MysqlKind::kBigint};
    case arrow::Type::DECIMAL128: {
      const auto& type = static_cast<const arrow::DecimalType&>(*field.type());
      if (is_unsigned && type.precision() == 20 && type.scale() == 0) {
        return {MysqlKind::kUnsignedBigint};
      }
      return {MysqlKind::kDecimal, type.precision(), type.scale()};
    }
    case arrow::Type::FLOAT:
      return {MysqlKind::kFloat};
    case arrow::Type::DOUBLE:
      return {MysqlKind::kDouble};
    case arrow::Type::DATE32:
      return {MysqlKind::kDate};
    case arrow::Type::TIMESTAMP:
      return {connect::NoteOf(field, "logical_time_type") == "true" ? MysqlKind::kTime
                                                                    : MysqlKind::kMoment};
    case arrow::Type::BINARY:
      return {MysqlKind::kBytes};
    default:
      return {MysqlKind::kText};
  }
}

// The database and the name of a table.
Result<std::pair<std::string, std::string>> PlaceOfTable(const Source& source) {
  const std::vector<std::string> parts = NameParts(source.table);
  if (parts.size() > 1) return std::pair(parts[parts.size() - 2], parts.back());
  PT_LET(const ServerUrl url, ReadServerUrl(source.connection.url));
  return std::pair(url.database, parts.empty() ? "" : parts.back());
}

Status Divide(const AskedDatabase& database, int64_t bytes, TableRead& table) {
  const int64_t parts = std::min(bytes / kBytesPerPart + 1, kMostParts);
  if (table.key.empty() || parts < 2) return Status::OK();
  PT_LET(const TextRows bounds,
         database.ask(fmt::format(
             "SELECT CAST(min({0}) AS CHAR) AS first, CAST(max({0}) AS CHAR) AS last FROM {1}",
             Name(table.key), table.from)));
  if (bounds.size() != 1 || !bounds[0][0]) return Status::OK();
  table.first = NumberIn(bounds[0][0]);
  table.last = NumberIn(bounds[0][1]);
  table.parts = static_cast<int32_t>(parts);
  return Status::OK();
}

Status AddColumn(const Source& source, const std::string& name, const MysqlType& type,
                 TableRead& table) {
  PT_LET(ColumnRead column, ReadColumn(source, name, type));
  column.read += " AS " + Name(name);
  table.columns.push_back(std::move(column));
  return Status::OK();
}

Result<TableRead> ReadTable(const Source& source, const AskedDatabase& database) {
  PT_LET(const auto place, PlaceOfTable(source));
  PT_LET(TextRows rows,
         database.ask(fmt::format(
             "SELECT CAST(c.ordinal_position AS CHAR) AS n, c.column_name AS name, "
             "CAST(c.data_type AS CHAR) AS type, CAST(c.column_type AS CHAR) AS whole, "
             "CAST(c.numeric_precision AS CHAR) AS digits, CAST(c.numeric_scale AS CHAR) AS "
             "scale, CASE WHEN c.column_key = 'PRI' THEN 'key' ELSE '' END AS pri, "
             "CAST(coalesce(t.data_length, 0) AS CHAR) AS size FROM information_schema.columns c "
             "JOIN information_schema.tables t ON t.table_schema = c.table_schema AND "
             "t.table_name = c.table_name WHERE c.table_schema = {} AND c.table_name = {}",
             Text(place.first), Text(place.second))));
  if (rows.empty()) return NoTable(source);
  std::ranges::sort(rows, {}, [](const auto& row) { return NumberIn(row[0]); });
  TableRead table{.from = Name(place.first) + "." + Name(place.second)};
  const auto keys = std::ranges::count_if(rows, [](const auto& row) { return row[6] == "key"; });
  for (const auto& row : rows) {
    const std::string name = row[1].value_or("");
    MysqlType type = TypeNamed(Lower(row[2].value_or("")), Lower(row[3].value_or("")));
    type.digits = NumberIn(row[4]);
    type.scale = NumberIn(row[5]);
    PT_TRY(AddColumn(source, name, type, table));
    const bool whole = type.kind == MysqlKind::kInt || type.kind == MysqlKind::kBigint;
    if (row[6] == "key" && keys == 1 && whole) table.key = name;
  }
  PT_TRY(Divide(database, NumberIn(rows[0][7]), table));
  return table;
}

}  // namespace

Result<TableRead> ReadMysql(const Source& source, const AskedDatabase& database) {
  if (source.query.empty()) return ReadTable(source, database);
  PT_LET(const SchemaPtr delivered, database.describe(source.query));
  TableRead table{.from = Nested(source.query) + " q"};
  for (const auto& field : delivered->fields()) {
    PT_TRY(AddColumn(source, field->name(), TypeDelivered(*field), table));
  }
  return table;
}

}  // namespace protium
