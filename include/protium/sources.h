// SPDX-License-Identifier: Apache-2.0
// Tables that lie in databases, spreadsheets and lakes. A source says where a table is; the engine
// reads it there, and only the columns and rows that a query needs. Implemented by the rooms
// sources and local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protium/fields.h"
#include "protium/status.h"

namespace protium {

enum class SourceKind { kDuckDb, kSqlite, kExcel, kDelta, kPostgres, kMysql };
inline EnumNames<SourceKind> Names(SourceKind) {
  return {{{SourceKind::kDuckDb, "duckdb"},
           {SourceKind::kSqlite, "sqlite"},
           {SourceKind::kExcel, "excel"},
           {SourceKind::kDelta, "delta"},
           {SourceKind::kPostgres, "postgres"},
           {SourceKind::kMysql, "mysql"}}};
}

// Where a password is kept; at most one of the two. The password itself is read when the server is
// called, and is never part of a job, a plan, a run folder or a message.
struct PasswordPlace {
  std::string env;   // An environment variable of this process.
  std::string file;  // A file whose first line is the password.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("env", env, {.help = "the environment variable that holds the password"});
    visit("file", file, {.help = "a file whose first line is the password"});
  }
};

// A database server.
struct Connection {
  // "postgresql://reader@db.example:5432/shop?sslmode=verify-full" or "mysql://reader@host/crm",
  // without a password.
  std::string url;
  PasswordPlace password;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("url", url,
          {.help = "\"postgresql://user@host:5432/database\" or \"mysql://user@host/database\", "
                   "without the password"});
    visit("password", password, {.help = "where the password is: { env = \"SHOP_PASSWORD\" }"});
  }
};

// A table where it lies.
struct Source {
  SourceKind kind = SourceKind::kDuckDb;
  std::string file;       // A file, or the folder of a Delta table; empty for a server.
  Connection connection;  // Of a server.
  std::string table;  // Its name there, which a schema may qualify; of a spreadsheet, the sheet.
  std::string query;  // Instead of `table`: a SELECT in the server's own SQL, which runs there.
  std::optional<int64_t> version;  // Of a Delta table; unless set, the newest.
};

// What becomes of rows that a table held before others are written into it. With kUpsert those go
// that have the key of a new row.
enum class StoreMode { kReplace, kAppend, kUpsert };
inline EnumNames<StoreMode> Names(StoreMode) {
  return {{{StoreMode::kReplace, "replace"},
           {StoreMode::kAppend, "append"},
           {StoreMode::kUpsert, "upsert"}}};
}

}  // namespace protium
