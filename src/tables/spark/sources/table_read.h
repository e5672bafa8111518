// SPDX-License-Identifier: Apache-2.0
// How a table of a database is read through JDBC so that its columns have the types of the table in
// docs/sources.md, which are those of the embedded engine: what a column becomes is said in the
// server's own SQL, since Spark's reader cannot tell, for example, a uuid from a text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "column/source.h"
#include "column/stream.h"
#include "protium/sources.h"
#include "protium/status.h"

namespace protium {

// One column.
struct ColumnRead {
  std::string name;
  std::string read;       // In the server's SQL; ends with AS and the name.
  std::string type;       // In Spark's, as JDBC delivers it.
  std::string made = {};  // In Spark's SQL, {0} being what was delivered; empty: that itself.
};

struct TableRead {
  std::string from;  // What the server's SELECT reads, after FROM.
  std::vector<ColumnRead> columns;
  // A whole number that no two rows share, by which several tasks divide the table, and its bounds;
  // empty: one task reads it all.
  std::string key;
  int64_t first = 0, last = 0;
  int32_t parts = 1;
};

// The cells of a query's result as texts; nothing for NULL.
using TextRows = std::vector<std::vector<std::optional<std::string>>>;
Result<TextRows> TextsOf(BatchStream& stream);

// A database as Spark reaches it.
struct AskedDatabase {
  // Runs a query in the server's own SQL, all columns of which are texts.
  std::function<Result<TextRows>(const std::string& query)> ask;
  // Returns the columns of a query as JDBC would deliver them; does not run it.
  std::function<Result<SchemaPtr>(const std::string& query)> describe;
};

// Each asks the database which columns there are. A column whose type cannot be made equal to the
// embedded engine's is a fault that names it (kUsage); a table that is not there is one of kInput.
Result<TableRead> ReadPostgres(const Source& source, const AskedDatabase& database);
Result<TableRead> ReadMysql(const Source& source, const AskedDatabase& database);
Result<TableRead> ReadSqlite(const Source& source, const AskedDatabase& database);

// For these: the faults of a table that is not there, and of a column that cannot be read; and a
// query as it may stand in parentheses.
Status NoTable(const Source& source);
Status NoColumn(const Source& source, const std::string& column, const std::string& type);
std::string Nested(const std::string& query);
// The number in a cell; 0 without one.
int64_t NumberIn(const std::optional<std::string>& cell);
// A text in which fmt::format finds no place to fill.
std::string Escaped(const std::string& text);
// A text between single quotes; MySQL needs its backslashes doubled.
std::string SqlText(const std::string& text, bool backslashes = false);

}  // namespace protium
