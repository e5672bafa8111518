// SPDX-License-Identifier: Apache-2.0
#include "local/plain_types.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/fault.h"
#include "engine/result_columns.h"
#include "sql/dialect.h"

namespace protium {
namespace {

// Escapes braces for fmt::format, which treats them as placeholders.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped.append(c == '{' || c == '}' ? 2 : 1, c);
  return escaped;
}

// Returns what converts a value to a type that our tables carry (engine/result_columns.h), {} being
// the value: "" if none is needed, nothing if it is impossible. `name` is the column's.
std::optional<std::string> FindConversion(duckdb_logical_type type, const std::string& name);

// Items are converted one by one; each level of nesting has its own parameter.
std::optional<std::string> FindItemConversion(duckdb_logical_type list, const std::string& name) {
  const duck::Type items(duckdb_list_type_child_type(list));
  const std::optional<std::string> item = FindConversion(items.get(), name);
  if (!item || item->empty()) return item;
  const std::string parameter = fmt::format("pt_item_{}", item->size());
  const std::string converted = fmt::format(fmt::runtime(*item), parameter);
  return "list_transform({}, lambda " + parameter + ": " + Escaped(converted) + ")";
}

// Structs and maps are carried if all their parts are: they are not taken apart.
std::optional<std::string> FindPartsConversion(duckdb_logical_type type, const std::string& name) {
  std::vector<duck::Type> parts;
  if (duckdb_get_type_id(type) == DUCKDB_TYPE_MAP) {
    parts.emplace_back(duckdb_map_type_key_type(type));
    parts.emplace_back(duckdb_map_type_value_type(type));
  } else {
    for (idx_t i = 0; i < duckdb_struct_type_child_count(type); ++i) {
      parts.emplace_back(duckdb_struct_type_child_type(type, i));
    }
  }
  for (const duck::Type& part : parts) {
    if (FindConversion(part.get(), name) != "") return std::nullopt;
  }
  return "";
}

std::optional<std::string> FindConversion(duckdb_logical_type type, const std::string& name) {
  switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB:
    case DUCKDB_TYPE_DATE:
    case DUCKDB_TYPE_DECIMAL:
    case DUCKDB_TYPE_TIMESTAMP:
      return "";
    case DUCKDB_TYPE_LIST:
      return FindItemConversion(type, name);
    case DUCKDB_TYPE_MAP:
    case DUCKDB_TYPE_STRUCT:
      return FindPartsConversion(type, name);
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT:
      return "pt_narrow_column({}, " + Escaped(QuoteText(name, DuckDbDialect())) + ")";
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return "pt_micros_column({}, " + Escaped(QuoteText(name, DuckDbDialect())) + ")";
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return "CAST({} AS TIMESTAMP)";
    case DUCKDB_TYPE_ENUM:
    case DUCKDB_TYPE_UUID:
    case DUCKDB_TYPE_SQLNULL:
      return "CAST({} AS VARCHAR)";
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<std::string> WithPlainTypes(const duck::Connection& connection, const std::string& select) {
  PT_LET(const duck::Prepared prepared, duck::Prepare(connection, select));
  std::vector<ResultColumn> columns;
  for (const duck::Column& column : duck::DescribeColumns(prepared)) {
    const auto conversion = FindConversion(column.type.get(), column.name);
    if (!conversion) {
      return Fail({.exit = Exit::kUsage,
                   .what = "column \"" + column.name + "\" has a type that tables do not support",
                   .fix = "cast it in the SQL, to a number or to text"});
    }
    columns.push_back({column.name, QuoteName(column.name, DuckDbDialect()), *conversion});
  }
  PT_LET(const std::string list, ConvertedColumns(columns));
  return list.empty() ? select : "SELECT " + list + " FROM (" + select + ")";
}

}  // namespace protium
