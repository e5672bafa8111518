// SPDX-License-Identifier: Apache-2.0
#include "spark/sources/jdbc.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/mentions.h"
#include "base/text.h"
#include "sources/password.h"
#include "sources/server_url.h"
#include "sources/source.h"

namespace protium {
namespace {

// MariaDB's driver reads MySQL, too, and takes MySQL's scheme, by which Spark knows the dialect.
constexpr JdbcDriver kDrivers[] = {
    {SourceKind::kPostgres, "jdbc:postgresql", "org.postgresql.Driver",
     "org.postgresql:postgresql:42.7.14"},
    {SourceKind::kMysql, "jdbc:mysql", "org.mariadb.jdbc.Driver",
     "org.mariadb.jdbc:mariadb-java-client:3.5.11"},
    {SourceKind::kMysql, "jdbc:mysql", "com.mysql.cj.jdbc.Driver",
     "com.mysql:mysql-connector-j:9.4.0"},
    {SourceKind::kSqlite, "jdbc:sqlite", "org.sqlite.JDBC", "org.xerial:sqlite-jdbc:3.54.1.0"}};

// A server that does not answer is given up after this, unless its URL says otherwise.
constexpr int kConnectSeconds = 10;

// A value in a URL's query.
std::string Encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_./:").find(c) != std::string_view::npos;
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

// PostgreSQL's driver has libpq's own words; MySQL's drivers have words of their own.
Result<std::pair<std::string, std::string>> DriverOption(const Source& source,
                                                         const std::string& name,
                                                         const std::string& value) {
  const bool mysql = source.kind == SourceKind::kMysql;
  if (name == "connect_timeout") {
    return mysql ? std::pair("connectTimeout", value + "000") : std::pair("connectTimeout", value);
  }
  if (!mysql) return std::pair(name, value);
  if (name == "sslmode") {
    std::string mode = Upper(value);
    std::replace(mode.begin(), mode.end(), '-', '_');
    return std::pair(std::string("sslMode"), mode == "VERIFY_FULL" ? "VERIFY_IDENTITY" : mode);
  }
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the URL of a connection has the option \"{}\", which Spark's "
                                   "reader of MySQL does not take",
                                   name),
               .where = PlaceOf(source),
               .fix = "put the certificates into the Java trust store of the Spark server"});
}

Result<Pairs> DriverOptions(const Source& source, const ServerUrl& url) {
  Pairs options;
  bool timeout = false;
  for (const auto& [name, value] : url.options) {
    PT_LET(auto pair, DriverOption(source, name, value));
    options.push_back(std::move(pair));
    timeout = timeout || name == "connect_timeout";
  }
  if (!timeout) {
    PT_LET(auto pair, DriverOption(source, "connect_timeout", std::to_string(kConnectSeconds)));
    options.push_back(std::move(pair));
  }
  if (source.kind == SourceKind::kMysql) {
    // Years are numbers, and moments come in UTC.
    options.insert(options.end(), {{"permitMysqlScheme", ""},
                                   {"yearIsDateType", "false"},
                                   {"connectionTimeZone", "UTC"},
                                   {"forceConnectionTimeZoneToSession", "true"}});
  }
  return options;
}

Result<std::string> UrlOfServer(const Source& source, const JdbcDriver& driver,
                                const ServerUrl& url) {
  if (url.host.starts_with('/')) {
    return Fail({.exit = Exit::kUsage,
                 .what = "Spark does not reach a server by a socket of this machine",
                 .where = PlaceOf(source),
                 .fix = "name the host in the URL of the connection"});
  }
  const bool six = url.host.find(':') != std::string::npos;
  std::string text =
      fmt::format("{}://{}:{}/{}", driver.scheme, six ? "[" + url.host + "]" : Encoded(url.host),
                  url.port == 0 ? RowOf(source.kind).port : url.port, Encoded(url.database));
  PT_LET(const Pairs options, DriverOptions(source, url));
  char between = '?';
  for (const auto& [name, value] : options) {
    text += between + name + (value.empty() ? "" : "=" + Encoded(value));
    between = '&';
  }
  return text;
}

std::string AllOf(const Fault& fault) { return fault.what + "\n" + fault.why; }

}  // namespace

std::vector<JdbcDriver> JdbcDriversFor(SourceKind kind) {
  std::vector<JdbcDriver> drivers;
  for (const JdbcDriver& each : kDrivers) {
    if (each.kind == kind) drivers.push_back(each);
  }
  return drivers;
}

Result<connect::Options> JdbcOptions(const Source& source, const JdbcDriver& driver,
                                     const std::string& password) {
  connect::Options options = {{"driver", std::string(driver.name)}};
  if (!RowOf(source.kind).server) {
    options["url"] = fmt::format("{}:file:{}?mode=ro", driver.scheme, Encoded(source.file));
    return options;
  }
  PT_LET(const ServerUrl url, ReadServerUrl(source.connection.url));
  PT_LET(options["url"], UrlOfServer(source, driver, url));
  if (!url.user.empty()) options["user"] = url.user;
  if (!password.empty()) options["password"] = password;
  return options;
}

std::string PasswordPattern() { return R"re((?<=key: "password"\s{1,99}value: ")[^\n]*)re"; }

bool LacksDriver(const Status& status) {
  if (status.ok()) return false;
  const std::string text = AllOf(FaultOf(status));
  return Mentions(text, {"ClassNotFoundException", "ClassNotFound"}) ||
         std::ranges::any_of(kDrivers, [&](const JdbcDriver& each) {
           return FaultOf(status).what.ends_with(each.name);
         });
}

Status NoDriver(const Source& source, const std::vector<JdbcDriver>& drivers) {
  return Fail({.exit = Exit::kEnvironment,
               .what = fmt::format("the Spark server has no JDBC driver for tables of {}",
                                   RowOf(source.kind).title),
               .where = DescribeSource(source),
               .fix = fmt::format("start the server with --conf spark.jars.packages={}",
                                  drivers.front().package)});
}

Status JdbcFault(const Source& source, const Status& status) {
  if (status.ok()) return status;
  Fault said = FaultOf(status);
  const std::string text = AllOf(said);
  const SourceKindRow& row = RowOf(source.kind);
  Fault fault{.exit = Exit::kRemote, .where = DescribeSource(source), .why = said.what};
  if (Mentions(text,
               {"password authentication failed", "Access denied", "no password was provided"})) {
    fault.what = fmt::format("{} refuses the user or the password", row.title);
    fault.fix = "the password is taken from " + DescribePlace(source.connection.password);
  } else if (Mentions(text, {"refused", "UnknownHost", "timed out", "Socket fail to connect",
                             "Communications link failure", "connection attempt failed",
                             "unable to open database file"})) {
    fault.what = row.server ? fmt::format("no {} server answers Spark", row.title)
                            : fmt::format("Spark cannot open the {} database", row.title);
    fault.fix = row.server ? "start it, or correct the URL of the connection: it is the Spark "
                             "server that calls it"
                           : "Spark reads the file itself: its server and executors must reach it "
                             "at this path";
  } else if (Mentions(text, {"does not exist", "doesn't exist", "no such table"})) {
    fault.exit = Exit::kInput;
    fault.what = fmt::format("there is no table \"{}\"", source.table);
  } else {
    return status;
  }
  return Fail(std::move(fault));
}

}  // namespace protium
