// SPDX-License-Identifier: Apache-2.0
// How Spark's own reader calls a database: its options, and what to say when it cannot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "connect/relations.h"
#include "protium/sources.h"

namespace protium {

// A JDBC driver that a server may have.
struct JdbcDriver {
  SourceKind kind;
  std::string_view scheme;   // Of its URLs: "jdbc:postgresql".
  std::string_view name;     // Its class.
  std::string_view package;  // For spark.jars.packages.
};

// The drivers for databases of this kind, in the order in which they are tried; empty: Spark reads
// none.
std::vector<JdbcDriver> JdbcDriversFor(SourceKind kind);

// Returns the options for the database of `source`, without what is read there. They hold
// `password`: they may go into a message to the server, and nowhere else. Faults are kUsage.
Result<connect::Options> JdbcOptions(const Source& source, const JdbcDriver& driver,
                                     const std::string& password);

// A pattern for spark.sql.redaction.string.regex: passwords in the texts of plans, which Spark
// would show on its page and keep in its event log.
std::string PasswordPattern();

// Whether the server lacks the driver's class.
bool LacksDriver(const Status& status);
// The fault for a server that has none of `drivers`, with the line that adds the first.
Status NoDriver(const Source& source, const std::vector<JdbcDriver>& drivers);
// Turns Spark's words about a database into ours.
Status JdbcFault(const Source& source, const Status& status);

}  // namespace protium
