// SPDX-License-Identifier: Apache-2.0
#include "local/source_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/mentions.h"
#include "base/nearest.h"
#include "sources/password.h"
#include "sources/source.h"
#include "sources/source_name.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

namespace protium {
namespace {

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
  if (Mentions(said.what,
               {"password authentication failed", "Access denied", "no password supplied"})) {
    fault.what = fmt::format("{} refuses the user or the password", row.title);
    fault.fix = "the password is taken from " + DescribePlace(source.connection.password);
  } else if (Mentions(said.what, {"SSL was required", "SSL error", "certificate"})) {
    fault.what =
        fmt::format("{} is not reached over TLS as the URL of the connection asks", row.title);
    fault.fix = "name the authority in the URL: sslrootcert=FILE; or correct its sslmode";
  } else if (Mentions(said.what, {"refused", "could not translate", "timeout", "timed out",
                                  "Can't connect", "Unknown MySQL server host", "No route"})) {
    fault.what = fmt::format("no {} server answers", row.title);
    fault.fix = "start it, or correct the URL of the connection";
  } else {
    fault.what = fmt::format("{} cannot be read", row.title);
  }
  return Fail(std::move(fault));
}

// The tables of the source's database; empty if they cannot be listed.
std::vector<std::string> TablesBeside(const duck::Connection& connection, const Source& source) {
  // Unqualified names for those who gave one.
  const bool qualified = NameParts(source.table).size() > 1;
  const auto text = duck::AskText(
      connection,
      fmt::format("SELECT coalesce(string_agg({}table_name, chr(10)), '') FROM "
                  "duckdb_tables() WHERE database_name = {}",
                  qualified ? "schema_name || '.' || " : "", DuckDbText(AttachedName(source))));
  std::vector<std::string> names;
  std::istringstream lines(text.ok() ? *text : "");
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  return names;
}

// The first line: the others quote the statement.
std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

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

Status StoreFault(const Source& source, const StoreAccess& access, const Status& status) {
  if (status.ok() || FaultOf(status).exit == Exit::kStopped) return status;
  const std::string said = FaultOf(status).what;
  Fault fault{.exit = Exit::kRemote, .where = source.file, .why = FirstLine(said)};
  if (Mentions(said, {"ecret Validation Failure"})) {
    fault.what = "nothing says who asks for " + access.scope;
    fault.why = "neither the connection, nor the environment, nor the provider's files have a key";
    fault.fix =
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write a connection with url = "
        "\"" +
        access.scope + "\"; of a public place with key = \"anonymous\"";
  } else if (Mentions(said, {"HTTP 403", "AccessDenied", "HTTP 401", "InvalidAccessKeyId",
                             "Forbidden", "AuthenticationFailed", "AuthorizationFailure"})) {
    fault.what = "the object store refuses the key, or what it asks for";
    fault.fix = "the key is taken from " + access.found +
                "; a clock that is minutes off is refused, too, since requests are signed with the "
                "time";
  } else if (Mentions(said, {"HTTP 404", "NoSuchBucket", "NoSuchKey", "ContainerNotFound"})) {
    fault.exit = Exit::kInput;
    fault.what = "there is no such place at the object store";
  } else if (Mentions(said, {"ertificate", "SSL"})) {
    fault.what = "the certificate of the object store is not trusted";
    fault.fix = "install the certificate of its authority on this machine";
  } else if (Mentions(said, {"ould not connect", "ould not establish", "resolve", "timed out",
                             "imeout"})) {
    fault.what = "no object store answers" +
                 (access.endpoint.empty() ? std::string() : " at " + access.endpoint);
    fault.fix = "correct the endpoint or the region of the connection";
  } else {
    fault.what = "the object store cannot be read";
  }
  return Fail(std::move(fault));
}

Status PlaceFault(const Source& source, const Status& status) {
  if (status.ok() || !IsObjectPlace(source.file)) return OpenFault(source, status);
  PT_LET(const StoreAccess access, ReadStoreAccess(source));
  return WithoutPassword(StoreFault(source, access, status), access.secret);
}

Status ExplainStore(const std::vector<Source>& sources, const Status& status) {
  const std::string said = FaultOf(status).what;
  if (!Mentions(said, {"HTTP", "ETag", "object store", "Azure"})) return status;
  for (const Source& source : sources) {
    if (!IsObjectPlace(source.file)) continue;
    const Result<StoreAccess> access = ReadStoreAccess(source);
    if (!access.ok()) continue;
    const bool named = said.find(access->scope) != said.npos ||
                       (!access->endpoint.empty() && said.find(access->endpoint) != said.npos);
    if (named) return WithoutPassword(StoreFault(source, *access, status), access->secret);
  }
  return status;
}

Status TableFault(const duck::Connection& connection, const Source& source, const Status& status) {
  const Status of_store = ExplainStore({source}, status);
  Fault fault = FaultOf(of_store);
  if (fault.what != FaultOf(status).what) return of_store;
  fault.where = DescribeSource(source);
  fault.fix.clear();
  if (fault.what.ends_with("has a type that tables do not support")) {
    fault.fix = RowOf(source.kind).query.empty() ? "leave the column out of the table"
                                                 : "say query = \"SELECT ...\" without it";
  } else if (Mentions(fault.what, {"file is not a database"})) {
    fault.what = fmt::format("the file is not a {} database", RowOf(source.kind).title);
  } else if (Mentions(fault.what, {"does not exist"}) && !source.table.empty()) {
    fault.exit = Exit::kInput;
    fault.what = fmt::format("there is no table \"{}\"", source.table);
    fault.fix = Suggest(source.table, TablesBeside(connection, source));
  }
  return Fail(std::move(fault));
}

}  // namespace protium
