// SPDX-License-Identifier: Apache-2.0
// Places of tables as they are typed on the command line: files, folders, and the sources of
// docs/sources.md. Every verb reads them here.
//
//   postgres://reader@host/shop#public.orders    mysql://... likewise
//   shop.db#orders                               SQLite or DuckDB, by the first bytes
//   plan.xlsx#2026                               a sheet; unless said, the first
//   lake/events#12                               a folder with a Delta log; a version
//   s3://lake/trips/*.parquet                    files at an object store: Parquet, CSV, JSON lines
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "engine/engine.h"
#include "protium/session.h"
#include "protium/sources.h"
#include "terminal/arguments.h"

namespace protium {

struct SessionOptions;

// Where a table lies: a file or a folder with files of one format at `path`, or a source.
struct TypedPlace {
  TypedPlace() = default;
  TypedPlace(std::filesystem::path at) : path(std::move(at)) {}  // NOLINT(*-explicit-*): it is one.
  std::filesystem::path path;  // Of a source: its file; empty for a server and an object store.
  std::optional<Source> source;

  // A server or an object store: there is no file on this machine.
  bool elsewhere() const { return source && path.empty(); }
  // A database that may hold several tables, none of which is named.
  bool is_database() const;
  // As people type it, without a password; two places that read the same have the same text.
  std::string text() const;
  // What a table there is called: the table, or the file without its ending.
  std::string name() const;
};

// What flags say of a place, beside the text that names it.
struct PlaceGiven {
  std::string table;       // --table or --sheet; empty: what the text says.
  PasswordPlace password;  // --password-env or --password-file.
};

// --password-env and --password-file.
std::vector<Flag> PasswordFlags();
Result<PasswordPlace> ReadPasswordFlags(const Arguments& arguments);

// Reads a place; what is there decides what it is, and a text that is no source is a path, which
// need not exist. With `to_write` the ending says what a file will be that does not exist yet.
// Refuses (kUsage) a URL that is wrong or holds a password, a table where there are none, and a
// version that is no number.
Result<TypedPlace> ReadPlace(const std::string& typed, const PlaceGiven& given = {},
                             bool to_write = false);

// For a session that looks at a table and leaves no run. Copies of what lies at an object store are
// kept, so that several looks read it there once.
SessionOptions LookOptions(const TypedPlace& place);

// The tables of a database, as Engine::ListTables() has them, by a session of the embedded engine.
Result<std::vector<DatabaseTable>> TablesOf(const Source& database);

// Makes a session that leaves no run take no notes of sources.
Status TakeNoNotes(Session& session);

// Names the only table of a database. Refuses (kUsage) one with several, and lists them.
Result<TypedPlace> WithTable(TypedPlace place);

}  // namespace protium
