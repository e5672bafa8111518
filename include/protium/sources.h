// SPDX-License-Identifier: Apache-2.0
// Tables that lie in databases, spreadsheets and lakes. A source says where a table is; the engine
// reads it there, and only the columns and rows that a query needs. Implemented by the rooms
// sources and local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protium/fields.h"
#include "protium/status.h"

namespace protium {

enum class SourceKind {
  kDuckDb,
  kSqlite,
  kExcel,
  kDelta,
  kIceberg,
  kParquet,    // At an object store; Parquet files of this machine are files (Reader::Parquet).
  kCsv,        // The same for CSV.
  kJsonLines,  // The same for JSON lines.
  kPostgres,
  kMysql
};
inline EnumNames<SourceKind> Names(SourceKind) {
  return {{{SourceKind::kDuckDb, "duckdb"},
           {SourceKind::kSqlite, "sqlite"},
           {SourceKind::kExcel, "excel"},
           {SourceKind::kDelta, "delta"},
           {SourceKind::kIceberg, "iceberg"},
           {SourceKind::kParquet, "parquet"},
           {SourceKind::kCsv, "csv"},
           {SourceKind::kJsonLines, "jsonl"},
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

// A database server, an object store, or a catalogue of Iceberg tables.
struct Connection {
  // "postgresql://reader@db.example:5432/shop?sslmode=verify-full" or "mysql://reader@host/crm",
  // without a password; of an object store the beginning of its places, "s3://lake"; of a catalogue
  // "https://catalogue.example/iceberg?warehouse=sales".
  std::string url;
  // Of an object store: of the secret that belongs to `key`; of a catalogue: of a token.
  PasswordPlace password;
  std::string key;       // Of an object store: the public half of an access key.
  std::string endpoint;  // Of an object store that is not its provider's own.
  std::string region;    // Of an object store.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("url", url,
          {.help = "\"postgresql://user@host:5432/database\" or \"mysql://user@host/database\", "
                   "without the password; or the beginning of places, \"s3://lake\"; or a "
                   "catalogue of Iceberg tables, \"https://host/path?warehouse=NAME\""});
    visit("password", password,
          {.help = "where the password, the secret half of key, or a catalogue's token is: { env = "
                   "\"NAME\" }"});
    visit("key", key,
          {.help = "the public half of the access key to an object store; unless set, the "
                   "provider's environment variables and files say who asks"});
    visit("endpoint", endpoint,
          {.help = "where an object store answers that is not its provider's own: "
                   "\"http://127.0.0.1:9000\""});
    visit("region", region, {.help = "the region of an object store"});
  }
};

// A file of a table at an object store, as it was listed.
struct SourceObject {
  std::string place;  // "s3://lake/trips/day=1/p0.parquet"
  int64_t bytes = 0;
  std::string changed;  // When it was written, as the store says.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("place", place);
    visit("bytes", bytes);
    visit("changed", changed);
  }
};

// A table where it lies.
struct Source {
  SourceKind kind = SourceKind::kDuckDb;
  // A file, the folder of a Delta or Iceberg table, or one of them at an object store,
  // "s3://lake/events"; of Parquet, CSV and JSON lines there a pattern,
  // "s3://lake/trips/*/*.parquet". Empty for a server.
  std::string file;
  Connection connection;  // Of a server; of an Iceberg table without `file`, its catalogue.
  // Object stores that may hold the table. The one with the longest URL that begins its place says
  // who asks; without one, the environment does.
  std::vector<Connection> stores;
  std::string table;  // Its name there, which a schema may qualify; of a spreadsheet, the sheet.
  std::string query;  // Instead of `table`: a SELECT in the server's own SQL, which runs there.
  std::optional<int64_t>
      version;  // Of a Delta table; of an Iceberg table, the number of a snapshot.
  // Instead of `version`: the newest at this time of UTC, "2026-11-01" or "2026-11-01 12:30:00".
  std::string as_of;
  // Of files at an object store: columns whose values are in the names of folders.
  std::vector<std::string> partitions;
  // Of files at an object store: what they are. Found by the engine.
  std::vector<SourceObject> objects;
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
