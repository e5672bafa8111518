// SPDX-License-Identifier: Apache-2.0
#include "local/sources.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/nearest.h"
#include "local/plain_types.h"
#include "sources/password.h"
#include "sources/server_url.h"
#include "sources/source.h"
#include "sources/source_name.h"
#include "sql/dialect.h"
#include "sql/duckdb/scan.h"

// A server is attached with a secret of this process's memory, so that its password is in no text
// that DuckDB shows: neither in the names of databases nor in its messages. The views give types
// that tables carry; DuckDB merges them into the queries over them, so columns and filters still
// reach the server.

namespace protium {
namespace {

std::string Text(const std::string& text) { return QuoteText(text, DuckDbDialect()); }
std::string Name(const std::string& name) { return QuoteName(name, DuckDbDialect()); }

// A server that does not answer is given up after this, unless its URL says otherwise.
constexpr int kConnectSeconds = 10;

// DuckDB 1.5.5 plans aggregates that it sends to MySQL with types other than those of the result, an
// internal error; MySQL sorts texts in an order of its own; and it would end each query after five
// minutes.
constexpr const char* kMysqlSettings[] = {"SET GLOBAL mysql_aggregate_pushdown_enabled = false",
                                          "SET GLOBAL mysql_order_pushdown_enabled = false",
                                          "SET GLOBAL mysql_query_timeout_enabled = false"};

struct Server {
  ServerUrl url;
  std::string password;
};

std::string SecretFor(const Source& source, const Server& server) {
  const SourceKindRow& row = RowOf(source.kind);
  const ServerUrl& url = server.url;
  std::string secret =
      fmt::format("CREATE OR REPLACE TEMPORARY SECRET {} (TYPE {}, HOST {}, PORT {}, DATABASE {}",
                  Name(AttachedName(source)), FieldsToJson(source.kind).get<std::string>(),
                  Text(url.host), url.port == 0 ? row.port : url.port, Text(url.database));
  if (!url.user.empty()) secret += ", USER " + Text(url.user);
  if (!server.password.empty()) secret += ", PASSWORD " + Text(server.password);
  return secret + ")";
}

// Options in the words of the server's own client: libpq says sslmode, MySQL's ssl_mode.
std::string ClientOptions(const Source& source, const ServerUrl& url) {
  static const std::vector<std::pair<std::string, std::string>> kMysql = {{"sslmode", "ssl_mode"},
                                                                          {"sslrootcert", "ssl_ca"},
                                                                          {"sslcert", "ssl_cert"},
                                                                          {"sslkey", "ssl_key"}};
  std::string text;
  bool timeout = source.kind != SourceKind::kPostgres;
  for (const auto& [name, value] : url.options) {
    std::string own = name;
    for (const auto& [ours, theirs] : kMysql) {
      if (source.kind == SourceKind::kMysql && name == ours) own = theirs;
    }
    timeout = timeout || name == "connect_timeout";
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", own, value);
  }
  if (!timeout)
    text += fmt::format("{}connect_timeout={}", text.empty() ? "" : " ", kConnectSeconds);
  return text;
}

bool Says(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view each) { return text.find(each) != std::string::npos; });
}

// Takes the words of the server's client out of DuckDB's message, which begins with its own.
std::string ClientWords(const std::string& what) {
  const size_t at = what.find("failed: ");
  std::string words = at == what.npos ? what : what.substr(at + 8);
  if (words.starts_with("FATAL:")) words.erase(0, words.find_first_not_of(' ', 6));
  return words;
}

Status ServerFault(const Source& source, const Status& status) {
  const Fault said = FaultOf(status);
  const SourceKindRow& row = RowOf(source.kind);
  Fault fault{.exit = Exit::kRemote, .where = PlaceOf(source), .why = ClientWords(said.what)};
  if (Says(said.what,
           {"password authentication failed", "Access denied", "no password supplied"})) {
    fault.what = fmt::format("{} refuses the user or the password", row.title);
    fault.fix = "the password is taken from " + DescribePlace(source.connection.password);
  } else if (Says(said.what, {"refused", "could not translate", "timeout", "timed out",
                              "Can't connect", "Unknown MySQL server host", "No route"})) {
    fault.what = fmt::format("no {} server answers", row.title);
    fault.fix = "start it, or correct the URL of the connection";
  } else {
    fault.what = fmt::format("{} cannot be read", row.title);
  }
  return Fail(std::move(fault));
}

Status OpenFault(const Source& source, const Status& status) {
  if (status.ok()) return status;
  if (RowOf(source.kind).server) return ServerFault(source, status);
  return Fail(
      {.exit = Exit::kInput,
       .what = fmt::format("the {} {} cannot be read", RowOf(source.kind).title,
                           source.kind == SourceKind::kExcel || source.kind == SourceKind::kDelta
                               ? "table"
                               : "database"),
       .where = source.file,
       .why = FaultOf(status).what});
}

// What the view reads.
std::string ReadText(const Source& source) {
  const std::string attached = Name(AttachedName(source));
  if (source.kind == SourceKind::kExcel) {
    return fmt::format("SELECT * FROM read_xlsx({}{})", Text(source.file),
                       source.table.empty() ? "" : ", sheet = " + Text(source.table));
  }
  if (!source.query.empty()) {
    return fmt::format("SELECT * FROM {}({}, {})", RowOf(source.kind).query,
                       Text(AttachedName(source)), Text(source.query));
  }
  std::string text = "SELECT * FROM " + attached;
  // DuckDB gives the only table of a Delta folder the name of its database.
  if (source.kind == SourceKind::kDelta) return text + "." + attached;
  for (const std::string& part : NameParts(source.table)) text += "." + Name(part);
  return text;
}

// Times of day, spans and strings of bits become their text.
bool BecomesText(duckdb_type type) {
  return type == DUCKDB_TYPE_TIME || type == DUCKDB_TYPE_TIME_TZ || type == DUCKDB_TYPE_TIME_NS ||
         type == DUCKDB_TYPE_INTERVAL || type == DUCKDB_TYPE_BIT;
}

Result<std::string> ViewText(const duck::Connection& connection, const Source& source) {
  const std::string text = ReadText(source);
  PT_LET(const duck::Prepared prepared, duck::Prepare(connection, text));
  std::string list;
  for (const duck::Column& column : duck::DescribeColumns(prepared)) {
    const std::string name = Name(column.name);
    const duckdb_type type = duckdb_get_type_id(column.type.get());
    // MySQL compares texts without regard to case and blanks at their ends; DuckDB sends it no
    // comparison of an expression.
    const bool here = source.kind == SourceKind::kMysql && type == DUCKDB_TYPE_VARCHAR;
    list += (list.empty() ? "" : ", ") + (BecomesText(type)
                                              ? fmt::format("CAST({0} AS VARCHAR) AS {0}", name)
                                          : here ? fmt::format("{0} || '' AS {0}", name)
                                                 : name);
  }
  return WithPlainTypes(connection, "SELECT " + list + text.substr(std::string("SELECT *").size()));
}

// The tables of the source's database; empty if they cannot be listed.
std::vector<std::string> TablesBeside(const duck::Connection& connection, const Source& source) {
  // Unqualified names for those who gave one.
  const bool qualified = NameParts(source.table).size() > 1;
  const auto text = duck::AskText(
      connection,
      fmt::format("SELECT coalesce(string_agg({}table_name, chr(10)), '') FROM "
                  "duckdb_tables() WHERE database_name = {}",
                  qualified ? "schema_name || '.' || " : "", Text(AttachedName(source))));
  std::vector<std::string> names;
  std::istringstream lines(text.ok() ? *text : "");
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  return names;
}

// DuckDB's own suggestions are of all databases that are open.
Status TableFault(const duck::Connection& connection, const Source& source, const Status& status) {
  Fault fault = FaultOf(status);
  fault.where = DescribeSource(source);
  fault.fix.clear();
  if (fault.what.ends_with("has a type that tables do not support")) {
    fault.fix = RowOf(source.kind).query.empty() ? "leave the column out of the table"
                                                 : "say query = \"SELECT ...\" without it";
  } else if (Says(fault.what, {"file is not a database"})) {
    fault.what = fmt::format("the file is no {} database", RowOf(source.kind).title);
  } else if (Says(fault.what, {"does not exist"}) && !source.table.empty()) {
    fault.exit = Exit::kInput;
    fault.what = fmt::format("there is no table \"{}\"", source.table);
    fault.fix = Suggest(source.table, TablesBeside(connection, source));
  }
  return Fail(std::move(fault));
}

// The folder of DuckDB's extensions; empty if the loader cannot say where DuckDB is.
std::filesystem::path ExtensionFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&duckdb_open_ext), &info) == 0) return {};
  std::error_code ignored;
  const std::filesystem::path library(info.dli_fname);
  return std::filesystem::absolute(library, ignored).parent_path() / "extensions";
}

}  // namespace

bool OpenSources::Has(const Source& source) const { return views_.contains(SourceView(source)); }

Status OpenSources::Load(const duck::Connection& connection, const Source& source) {
  const SourceKindRow& row = RowOf(source.kind);
  const std::string extension(row.extension);
  if (extension.empty() || loaded_.contains(extension)) return Status::OK();
  const std::filesystem::path file = ExtensionFolder() / (extension + ".duckdb_extension");
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = fmt::format("tables of {} need DuckDB's extension {}, which is not here",
                                     row.title, extension),
                 .where = file.string(),
                 .fix = fmt::format("./dev setup --sources {}", row.set_up)});
  }
  const Status loaded = duck::Do(connection, "LOAD " + Text(file.string()));
  if (!loaded.ok()) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = fmt::format("DuckDB's extension {} cannot be loaded", extension),
                 .where = file.string(),
                 .why = FaultOf(loaded).what});
  }
  if (source.kind == SourceKind::kMysql) {
    for (const char* setting : kMysqlSettings) PT_TRY(duck::Do(connection, setting));
  }
  loaded_.insert(extension);
  return Status::OK();
}

// The secret is gone when the process ends, and no query can show its password.
Status OpenSources::AttachServer(const duck::Connection& connection, const Source& source,
                                 const std::string& access) {
  PT_LET(const ServerUrl url, ReadServerUrl(source.connection.url));
  PT_LET(std::string password, ReadPassword(source.connection.password));
  const Server server{url, std::move(password)};
  const std::string name = Name(AttachedName(source));
  Status opened = duck::Do(connection, SecretFor(source, server));
  if (opened.ok()) {
    opened = duck::Do(
        connection,
        fmt::format("ATTACH {} AS {} (TYPE {}, SECRET {}{})", Text(ClientOptions(source, url)),
                    name, FieldsToJson(source.kind).get<std::string>(), name, access));
  }
  return WithoutPassword(OpenFault(source, opened), server.password);
}

Status OpenSources::Attach(const duck::Connection& connection, const Source& source,
                           Access access) {
  const std::string name = AttachedName(source);
  if (source.kind == SourceKind::kExcel || attached_.contains(name)) return Status::OK();
  // Tables of Delta are read-only by themselves, and refuse the word.
  const bool read_only = access == Access::kRead && source.kind != SourceKind::kDelta;
  const std::string options = (source.version ? fmt::format(", VERSION {}", *source.version) : "") +
                              (read_only ? ", READ_ONLY" : "");
  if (RowOf(source.kind).server) {
    PT_TRY(AttachServer(connection, source, options));
  } else {
    const std::string attach =
        fmt::format("ATTACH {} AS {} (TYPE {}{})", Text(source.file), Name(name),
                    FieldsToJson(source.kind).get<std::string>(), options);
    PT_TRY(OpenFault(source, duck::Do(connection, attach)));
  }
  attached_.insert(name);
  return Status::OK();
}

Result<std::string> OpenSources::OpenToRead(const duck::Connection& connection,
                                            const Source& source) {
  PT_TRY(Load(connection, source));
  PT_TRY(Attach(connection, source, Access::kRead));
  return Name(AttachedName(source));
}

Result<std::string> OpenSources::OpenToWrite(const duck::Connection& connection,
                                             const Source& source) {
  PT_TRY(CheckSource(source));
  PT_TRY(Load(connection, source));
  PT_TRY(Attach(connection, source, Access::kWrite));
  return Name(AttachedName(source));
}

Status OpenSources::Open(const duck::Connection& connection, const Source& source) {
  if (Has(source)) return Status::OK();
  PT_TRY(CheckSource(source));
  PT_TRY(Load(connection, source));
  PT_TRY(Attach(connection, source, Access::kRead));
  const Result<std::string> text = ViewText(connection, source);
  if (!text.ok()) return TableFault(connection, source, text.status());
  const std::string view = SourceView(source);
  PT_TRY(duck::Do(connection, "CREATE VIEW " + Name(view) + " AS " + *text));
  views_.insert(view);
  return Status::OK();
}

}  // namespace protium
