// SPDX-License-Identifier: Apache-2.0
#include "inspect/place.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <string_view>

#include "base/fault.h"
#include "base/text.h"
#include "format/file_form.h"
#include "format/object_files.h"
#include "frame/named_tables.h"
#include "frame/open.h"
#include "frame/session_state.h"
#include "sources/object_store.h"
#include "sources/server_url.h"
#include "sources/source.h"
#include "sources/source_name.h"
#include "store/store_folder.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostNames = 300;  // Bytes of a list of tables in a message.

bool IsServer(std::string_view text) {
  return text.starts_with("postgres://") || text.starts_with("postgresql://") ||
         text.starts_with("mysql://");
}

std::optional<SourceKind> KindOfFile(const fs::path& path) {
  if (Lower(path.extension().string()) == ".xlsx") return SourceKind::kExcel;
  std::ifstream file(path, std::ios::binary);
  char first[16] = {};
  if (!file.read(first, sizeof(first))) return std::nullopt;
  const std::string_view bytes(first, sizeof(first));
  if (bytes.starts_with("SQLite format 3")) return SourceKind::kSqlite;
  if (bytes.substr(8, 4) == "DUCK") return SourceKind::kDuckDb;
  return std::nullopt;
}

// Of a file that is yet to be made, by its ending.
std::optional<SourceKind> KindOfNewFile(const fs::path& path) {
  const std::string ending = Lower(path.extension().string());
  if (ending == ".db" || ending == ".sqlite" || ending == ".sqlite3") return SourceKind::kSqlite;
  if (ending == ".duckdb" || ending == ".ddb") return SourceKind::kDuckDb;
  return std::nullopt;
}

std::optional<SourceKind> KindAt(const fs::path& path, bool to_write) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const bool delta = fs::is_directory(path / "_delta_log", error);
    return delta ? std::optional(SourceKind::kDelta) : std::nullopt;
  }
  if (fs::exists(path, error)) return KindOfFile(path);
  return to_write ? KindOfNewFile(path) : std::nullopt;
}

Status RefusePlace(std::string what, std::string where, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = std::move(where),
               .fix = std::move(fix)});
}

// Takes what follows the last # off the text.
std::string TakeTable(std::string& text) {
  const size_t at = text.rfind('#');
  if (at == text.npos) return {};
  std::string table = text.substr(at + 1);
  text.resize(at);
  return table;
}

Status SetTable(std::string table, Source& source) {
  if (source.kind != SourceKind::kDelta) {
    source.table = std::move(table);
    return Status::OK();
  }
  if (table.empty()) return Status::OK();
  int64_t version = -1;
  const auto [end, error] = std::from_chars(table.data(), table.data() + table.size(), version);
  if (error != std::errc() || end != table.data() + table.size() || version < 0) {
    return RefusePlace(fmt::format("\"{}\" is not a version of a Delta table", table), source.file,
                       "a Delta folder is one table; FOLDER#12 is its version 12");
  }
  source.version = version;
  return Status::OK();
}

Result<TypedPlace> ServerAt(std::string text, const PlaceGiven& given) {
  TypedPlace place;
  Source& source = place.source.emplace();
  std::string table = TakeTable(text);
  PT_LET(const ServerUrl url, ReadServerUrl(text));
  source.kind = url.scheme == "mysql" ? SourceKind::kMysql : SourceKind::kPostgres;
  source.connection = {std::move(text), given.password};
  PT_TRY(SetTable(given.table.empty() ? std::move(table) : given.table, source));
  return place;
}

// "s3://lake/trips/*/*.parquet" is "trips", and "s3://lake/trips.csv.gz" too.
std::string NameAtStore(const std::string& place) {
  const fs::path plain =
      place.substr(place.find("://") + 3, place.find_first_of("*?[") - place.find("://") - 3);
  return TableNameOf((plain.has_filename() ? plain : plain.parent_path()).string());
}

// A table in a lake at a store cannot be told from a folder of files by its place alone.
Result<TypedPlace> ObjectsAt(const std::string& typed, const PlaceGiven& given, bool to_write) {
  PT_TRY(CheckNoKeyIn(typed));
  if (to_write) {
    return RefusePlace("rows are not written to object stores", typed,
                       "name a file of this machine, or a table of a database");
  }
  const auto form = FormOfName(typed);
  const auto kind = form ? KindOfFiles(form->format) : std::nullopt;
  if (!kind) {
    return RefusePlace("at object stores, only tables in Parquet, CSV and JSON lines are read here",
                       typed,
                       "write FOLDER/*.parquet or *.csv; Delta and Iceberg are named in a job "
                       "file, delta = \"...\" or iceberg = \"...\"");
  }
  if (!given.table.empty() || !given.password.env.empty() || !given.password.file.empty()) {
    return RefusePlace("files at an object store have neither a table nor a password", typed,
                       "credentials come from the environment: docs/sources.md");
  }
  TypedPlace place;
  place.source = Source{.kind = *kind, .file = typed};
  return place;
}

// A file without a source's contents may have a # in its name.
Result<TypedPlace> FileAt(const std::string& typed, const PlaceGiven& given, bool to_write) {
  std::string text = typed, table;
  std::optional<SourceKind> kind = KindAt(text, to_write);
  if (!kind) {
    table = TakeTable(text);
    if (text != typed) kind = KindAt(text, to_write);
    if (!kind && !given.table.empty()) {
      return RefusePlace(fmt::format("{} is not a database, which --table needs", typed), "",
                         "leave --table out");
    }
  }
  if (!kind) return TypedPlace(fs::path(typed));
  if (!given.password.env.empty() || !given.password.file.empty()) {
    return RefusePlace("a file needs no password", text, "leave --password-env or -file out");
  }
  TypedPlace place{fs::path(text)};
  Source& source = place.source.emplace();
  source.kind = *kind;
  // Sessions have other folders that their paths are relative to.
  source.file = fs::absolute(text).lexically_normal().string();
  PT_TRY(SetTable(given.table.empty() ? std::move(table) : given.table, source));
  return place;
}

std::string NamesOfTables(const std::vector<DatabaseTable>& tables) {
  std::string names;
  for (const DatabaseTable& each : tables) {
    names += (names.empty() ? "" : ", ") + each.name;
    if (names.size() > kMostNames) return names.substr(0, names.rfind(',', kMostNames)) + ", ...";
  }
  return names;
}

}  // namespace

bool TypedPlace::is_database() const {
  return source && source->table.empty() && source->query.empty() &&
         source->kind != SourceKind::kExcel && !RowOf(source->kind).folder;
}

std::string TypedPlace::text() const {
  if (!source) return path.string();
  const std::string at = elsewhere() ? PlaceOf(*source) : path.string();
  if (source->version) return fmt::format("{}#{}", at, *source->version);
  return source->table.empty() ? at : at + "#" + source->table;
}

std::string TypedPlace::name() const {
  const bool of_table = source && source->kind != SourceKind::kExcel && !source->table.empty();
  if (of_table) return NameParts(source->table).back();
  if (source && IsObjectPlace(source->file)) return NameAtStore(source->file);
  if (path.empty()) return {};
  if (IsKeptPlace(path.string())) return path.string().substr(kKeptPlace.size());
  const fs::path whole = fs::absolute(path).lexically_normal();
  if (source && whole.has_filename()) return whole.stem().string();
  return whole.has_filename() ? TableNameOf(whole.string())
                              : whole.parent_path().filename().string();
}

SessionOptions LookOptions(const TypedPlace& place) {
  SessionOptions options;
  options.base = fs::current_path();
  if (place.source && IsObjectPlace(place.source->file)) options.store = DefaultStoreFolder();
  return options;
}

std::vector<Flag> PasswordFlags() {
  return {{"--password-env", "NAME", "the environment variable with a server's password", ""},
          {"--password-file", "FILE", "a file with that password, which only you may read", ""}};
}

Result<PasswordPlace> ReadPasswordFlags(const Arguments& arguments) {
  PasswordPlace place{.env = arguments.Value("--password-env")};
  // A job that is written elsewhere must find it, too.
  const std::string file = arguments.Value("--password-file");
  if (!file.empty()) place.file = fs::absolute(file).lexically_normal();
  if (place.env.empty() || place.file.empty()) return place;
  return RefusePlace("two places are given for the password", "",
                     "leave out one of --password-env and --password-file");
}

Result<TypedPlace> ReadPlace(const std::string& typed, const PlaceGiven& given, bool to_write) {
  if (IsObjectPlace(typed)) return ObjectsAt(typed, given, to_write);
  return IsServer(typed) ? ServerAt(typed, given) : FileAt(typed, given, to_write);
}

Result<std::vector<DatabaseTable>> TablesOf(const Source& database) {
  SessionOptions options;
  options.base = fs::current_path();
  PT_LET(const std::unique_ptr<Session> session, OpenSession(options));
  SessionState& state = StateOf(*session);
  return state.engine().ListTables(database, state.call());
}

Status TakeNoNotes(Session& session) {
  PT_LET(StateOf(session).sources(), SourceRecord::Open({}, false));
  return Status::OK();
}

Result<TypedPlace> WithTable(TypedPlace place) {
  if (!place.is_database()) return place;
  PT_LET(const auto tables, TablesOf(*place.source));
  if (tables.size() == 1) {
    place.source->table = tables[0].name;
    return place;
  }
  return RefusePlace(tables.empty() ? "the database has no tables"
                                    : "say which table of the database with --table NAME",
                     place.text(), tables.empty() ? "" : "its tables are " + NamesOfTables(tables));
}

}  // namespace protium
