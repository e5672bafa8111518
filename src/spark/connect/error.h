// SPDX-License-Identifier: Apache-2.0
// What a Spark server says went wrong, and the one readable cause that is made of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "spark/connect/messages.h"
#include "spark/connect/retry.h"

namespace protium {

// One exception of the server.
struct SparkCause {
  std::string type;  // "org.apache.spark.api.python.PythonException"
  std::string message;
  std::string error_class;  // "UNRESOLVED_COLUMN.WITH_SUGGESTION"; may be empty.
  std::string sql_state;
  std::string query;  // Where in the SQL, as the server shows it; may be empty.
  std::map<std::string, std::string> parameters;
};

struct SparkError {
  int32_t code = 0;  // gRPC's.
  std::string message;
  std::string type;  // The exception's class without its package: "AnalysisException".
  std::string error_class;
  std::string sql_state;
  std::string error_id;  // For asking more about it.
  std::optional<std::chrono::milliseconds> retry_after;
  std::vector<SparkCause> causes;  // The outermost first; empty when the server told no more.

  // What the worker itself said (the text after its marker -2); empty when no worker spoke.
  std::string WorkerText() const;
  // The place in the SQL, or the task and its host; may be empty.
  std::string Where() const;
  bool Has(std::string_view error_class_or_text) const;
};

namespace connect {

// The way on when a server, or what it knew of the job, is gone.
inline constexpr char kStartAgain[] =
    "start the job again; a training goes on from its last checkpoint with resume";

// `details` is the trailer grpc-status-details-bin, or empty.
SparkError ReadError(int32_t code, std::string message, const std::string& details);

// Adds the chain of causes that FetchErrorDetails gave.
void AddCauses(const proto::FetchErrorDetailsResponse& response, SparkError& error);

// Whether the same call may succeed a little later.
bool MayPass(const SparkError& error);

// Whether the server no longer knows the session, or another server answers.
bool IsSessionLost(const SparkError& error);

// Whether the server ended while it ran the operation.
bool IsServerStopped(const SparkError& error);

// The error as one cause: the worker's own text first, else the exception nearest to the root that
// says something of its own.
Fault FaultOf(const SparkError& error, std::string_view doing, std::string_view address);

}  // namespace connect
}  // namespace protium
