// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "sources/source_name.h"
#include "spark/sources/table_read.h"

// SQLite's values have types of their own, whatever a column declares; its driver takes a text for
// the number 0. Such a value ends the read, as it does on the embedded engine.

namespace protium {
namespace {

std::string Name(const std::string& name) { return InQuotes(name, '"'); }

bool Holds(const std::string& text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text.find(word) != text.npos) return true;
  }
  return false;
}

// SQLite has no word for an error: the absolute value of the smallest number is one.
std::string Numbers(const std::string& name, const std::string& types) {
  return fmt::format(
      "CASE WHEN typeof({0}) IN ({1}, 'null') THEN {0} ELSE abs(-9223372036854775807 - ({0} IS NOT "
      "NULL)) END",
      name, types);
}

// The rules of DuckDB, by the declared type.
ColumnRead ReadColumn(const std::string& column, const std::string& declared) {
  const std::string name = Name(column);
  const std::string text = "CAST(" + name + " AS TEXT)";
  if (Holds(declared, {"int", "bool"})) return {column, Numbers(name, "'integer'"), "BIGINT"};
  if (Holds(declared, {"char", "clob", "text"})) return {column, text, "STRING"};
  if (declared.empty() || Holds(declared, {"blob"})) return {column, name, "BINARY"};
  if (Holds(declared, {"real", "floa", "doub", "dec", "num"})) {
    return {column, Numbers(name, "'integer', 'real'"), "DOUBLE"};
  }
  if (declared == "date") return {column, text, "STRING", "CAST({} AS DATE)"};
  if (declared.starts_with("timestamp") || declared.starts_with("datetime")) {
    return {column, text, "STRING", "CAST({} AS TIMESTAMP_NTZ)"};
  }
  return {column, text, "STRING"};
}

}  // namespace

Result<TableRead> ReadSqlite(const Source& source, const AskedDatabase& database) {
  const std::vector<std::string> parts = NameParts(source.table);
  const std::string own = parts.empty() ? "" : parts.back();
  PT_LET(const TextRows rows,
         database.ask("SELECT CAST(name AS TEXT) AS name, CAST(type AS TEXT) AS type FROM "
                      "pragma_table_info(" +
                      SqlText(own) + ") ORDER BY cid"));
  if (rows.empty()) return NoTable(source);
  TableRead table{.from = Name(own)};
  for (const auto& row : rows) {
    const std::string name = row[0].value_or("");
    ColumnRead column = ReadColumn(name, Lower(row[1].value_or("")));
    column.read += " AS " + Name(name);
    table.columns.push_back(std::move(column));
  }
  return table;
}

}  // namespace protium
