// SPDX-License-Identifier: Apache-2.0
#include "local/sources.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/fault.h"
#include "local/iceberg_pin.h"
#include "local/plain_types.h"
#include "local/secrets.h"
#include "local/source_faults.h"
#include "local/source_listing.h"
#include "local/source_pin.h"
#include "sources/catalog.h"
#include "sources/object_store.h"
#include "sources/password.h"
#include "sources/server_url.h"
#include "sources/source.h"
#include "sources/source_name.h"
#include "sql/dialect.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

// Databases are attached; tables of the other kinds are read by functions. Views over both give
// types that tables carry; DuckDB merges them into the queries over them, so columns and filters
// still reach the source.

namespace protium {
namespace {

// DuckDB 1.5.5 plans aggregates that it sends to MySQL with types other than those of the result,
// an internal error; MySQL sorts texts in an order of its own; and it would end each query after
// five minutes.
constexpr const char* kMysqlSettings[] = {"SET GLOBAL mysql_aggregate_pushdown_enabled = false",
                                          "SET GLOBAL mysql_order_pushdown_enabled = false",
                                          "SET GLOBAL mysql_query_timeout_enabled = false"};

// The columns that folders give, with the types that they have in local files.
Result<std::string> HiveOptions(const Source& source) {
  if (source.partitions.empty()) return std::string("hive_partitioning = false");
  PT_LET(const Partitions folders, FoldersOf(source));
  std::string types;
  for (const auto& field : folders.columns->fields()) {
    PT_LET(const std::string type, TypeText(*field->type(), DuckDbDialect()));
    types += (types.empty() ? "" : ", ") + DuckDbName(field->name()) + ": " + type;
  }
  return "hive_partitioning = true, hive_types = {" + types + "}";
}

// What the view reads.
Result<std::string> ReadText(const Source& source) {
  if (source.kind == SourceKind::kParquet) {
    PT_LET(const std::string folders, HiveOptions(source));
    return fmt::format("SELECT * FROM read_parquet({}, {})", ObjectList(source), folders);
  }
  if (source.kind == SourceKind::kIceberg) {
    return fmt::format(
        "SELECT * FROM iceberg_scan({}{})", DuckDbText(source.file),
        source.version ? fmt::format(", snapshot_from_id = {}", *source.version) : std::string());
  }
  const std::string attached = DuckDbName(AttachedName(source));
  if (source.kind == SourceKind::kExcel) {
    return fmt::format("SELECT * FROM read_xlsx({}{})", DuckDbText(source.file),
                       source.table.empty() ? "" : ", sheet = " + DuckDbText(source.table));
  }
  if (!source.query.empty()) {
    return fmt::format("SELECT * FROM {}({}, {})", RowOf(source.kind).query,
                       DuckDbText(AttachedName(source)), DuckDbText(source.query));
  }
  std::string text = "SELECT * FROM " + attached;
  // DuckDB gives the only table of a Delta folder the name of its database.
  if (source.kind == SourceKind::kDelta) return text + "." + attached;
  for (const std::string& part : NameParts(source.table)) text += "." + DuckDbName(part);
  return text;
}

// Times of day, spans and strings of bits become their text.
bool BecomesText(duckdb_type type) {
  return type == DUCKDB_TYPE_TIME || type == DUCKDB_TYPE_TIME_TZ || type == DUCKDB_TYPE_TIME_NS ||
         type == DUCKDB_TYPE_INTERVAL || type == DUCKDB_TYPE_BIT;
}

Result<std::string> ViewText(const duck::Connection& connection, const Source& source) {
  PT_LET(const std::string text, ReadText(source));
  PT_LET(const duck::Prepared prepared, duck::Prepare(connection, text));
  std::string list;
  for (const duck::Column& column : duck::DescribeColumns(prepared)) {
    const std::string name = DuckDbName(column.name);
    const duckdb_type type = duckdb_get_type_id(column.type.get());
    // MySQL compares texts without regard to case and blanks at their ends; DuckDB sends it no
    // comparison of an expression.
    const bool here = source.kind == SourceKind::kMysql && type == DUCKDB_TYPE_VARCHAR;
    list += list.empty() ? "" : ", ";
    list += BecomesText(type) ? fmt::format("CAST({0} AS VARCHAR) AS {0}", name)
            : here            ? fmt::format("{0} || '' AS {0}", name)
                              : name;
  }
  return WithPlainTypes(connection, "SELECT " + list + text.substr(std::string("SELECT *").size()));
}

// Whether DuckDB opens it as a database; others are read by a function.
bool IsAttached(SourceKind kind) {
  return kind != SourceKind::kExcel && kind != SourceKind::kParquet && kind != SourceKind::kIceberg;
}

// The folder of DuckDB's extensions; empty if the loader cannot say where DuckDB is.
std::filesystem::path ExtensionFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&duckdb_open_ext), &info) == 0) return {};
  std::error_code ignored;
  const std::filesystem::path library(info.dli_fname);
  return std::filesystem::absolute(library, ignored).parent_path() / "extensions";
}

// What the catalogue says is opened with the keys of the object stores, not with its own.
Result<Source> Locate(Source source) {
  PT_LET(source.file, FindInCatalog(source));
  return source;
}

}  // namespace

bool OpenSources::Has(const Source& source) const { return views_.contains(SourceView(source)); }

Status OpenSources::Load(const duck::Connection& connection, const Source& source,
                         const SourceExtensions& needed) {
  for (const std::string& extension : needed.names) {
    if (loaded_.contains(extension)) continue;
    const std::filesystem::path file = ExtensionFolder() / (extension + ".duckdb_extension");
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
      return Fail({.exit = Exit::kEnvironment,
                   .what = fmt::format("tables of {} need DuckDB's extension {}, which is not here",
                                       RowOf(source.kind).title, extension),
                   .where = file.string(),
                   .fix = "./dev setup --sources " + needed.set_up});
    }
    const Status loaded = duck::Do(connection, "LOAD " + DuckDbText(file.string()));
    if (!loaded.ok()) {
      return Fail({.exit = Exit::kEnvironment,
                   .what = fmt::format("DuckDB's extension {} cannot be loaded", extension),
                   .where = file.string(),
                   .why = FaultOf(loaded).what});
    }
    loaded_.insert(extension);
    if (source.kind != SourceKind::kMysql) continue;
    for (const char* setting : kMysqlSettings) PT_TRY(duck::Do(connection, setting));
  }
  return Status::OK();
}

// One secret serves all places of a store.
Status OpenSources::AskStore(const duck::Connection& connection, const Source& source) {
  if (!IsObjectPlace(source.file)) return Status::OK();
  PT_LET(const StoreAccess access, ReadStoreAccess(source));
  if (!attached_.insert(access.scope).second) return Status::OK();
  const Status made = duck::Do(connection, StoreSecret(access, "pt_" + access.scope));
  if (!made.ok()) attached_.erase(access.scope);
  return WithoutPassword(StoreFault(source, access, made), access.secret);
}

Status OpenSources::AttachServer(const duck::Connection& connection, const Source& source,
                                 const std::string& access) {
  PT_LET(const ServerUrl url, ReadServerUrl(source.connection.url));
  PT_LET(const std::string password, ReadPassword(source.connection.password));
  const std::string name = DuckDbName(AttachedName(source));
  Status opened = duck::Do(connection, ServerSecret(source, url, password, AttachedName(source)));
  if (opened.ok()) {
    opened = duck::Do(connection,
                      fmt::format("ATTACH {} AS {} (TYPE {}, SECRET {}{})",
                                  DuckDbText(ClientOptions(source, url)), name,
                                  FieldsToJson(source.kind).get<std::string>(), name, access));
  }
  return WithoutPassword(OpenFault(source, opened), password);
}

Status OpenSources::Attach(const duck::Connection& connection, const Source& source,
                           Access access) {
  const std::string name = AttachedName(source);
  if (!IsAttached(source.kind) || attached_.contains(name)) return Status::OK();
  // Tables of Delta are read-only by themselves, and refuse the word.
  const bool read_only = access == Access::kRead && source.kind != SourceKind::kDelta;
  const std::string options = (source.version ? fmt::format(", VERSION {}", *source.version) : "") +
                              (read_only ? ", READ_ONLY" : "");
  if (RowOf(source.kind).server) {
    PT_TRY(AttachServer(connection, source, options));
  } else {
    const std::string attach =
        fmt::format("ATTACH {} AS {} (TYPE {}{})", DuckDbText(source.file), DuckDbName(name),
                    FieldsToJson(source.kind).get<std::string>(), options);
    PT_TRY(OpenFault(source, duck::Do(connection, attach)));
  }
  attached_.insert(name);
  return Status::OK();
}

Result<std::string> OpenSources::OpenToWrite(const duck::Connection& connection,
                                             const Source& source) {
  PT_TRY(CheckSource(source));
  if (RowOf(source.kind).folder || source.kind == SourceKind::kExcel) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the embedded engine does not write tables of {}",
                                     RowOf(source.kind).title),
                 .where = PlaceOf(source),
                 .fix = "write a file, or a table of a database"});
  }
  PT_TRY(Load(connection, source, ExtensionsOf(source)));
  PT_TRY(Attach(connection, source, Access::kWrite));
  return DuckDbName(AttachedName(source));
}

Result<std::string> OpenSources::OpenToRead(const duck::Connection& connection,
                                            const Source& source) {
  PT_TRY(Load(connection, source, ExtensionsOf(source)));
  PT_TRY(Attach(connection, source, Access::kRead));
  return DuckDbName(AttachedName(source));
}

Status OpenSources::Prepare(const duck::Connection& connection, const Source& source) {
  PT_TRY(CheckSource(source));
  PT_TRY(Load(connection, source, ExtensionsOf(source)));
  return AskStore(connection, source);
}

Status OpenSources::OpenPlace(const duck::Connection& connection, const Source& source) {
  PT_TRY(CheckSource(source));
  PT_TRY(Load(connection, source, ExtensionsOfPlace(source)));
  return AskStore(connection, source);
}

Result<Source> OpenSources::Pin(const duck::Connection& connection, const Source& source) {
  if (!NeedsPin(source)) return source;
  PT_TRY(Prepare(connection, source));
  if (!IsOfCatalog(source)) return FindPin(connection, source);
  PT_LET(const Source located, Locate(source));
  PT_TRY(Prepare(connection, located));
  return FindPin(connection, located);
}

Status OpenSources::Open(const duck::Connection& connection, const Source& source) {
  if (Has(source)) return Status::OK();
  PT_TRY(Prepare(connection, source));
  PT_TRY(Attach(connection, source, Access::kRead));
  const Result<std::string> text = ViewText(connection, source);
  if (!text.ok()) return TableFault(connection, source, text.status());
  const std::string view = SourceView(source);
  PT_TRY(duck::Do(connection, "CREATE VIEW " + DuckDbName(view) + " AS " + *text));
  views_.insert(view);
  return Status::OK();
}

}  // namespace protium
