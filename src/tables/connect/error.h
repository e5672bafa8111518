// SPDX-License-Identifier: Apache-2.0
// Errors that a Spark server reports, and the one readable cause that is made of them.
//
// An error arrives in three layers: gRPC's code and text; the trailer grpc-status-details-bin with
// google.rpc.ErrorInfo (the exception's class, its error class and an errorId) and RetryInfo; and
// the chain of exceptions, requested by errorId with FetchErrorDetails. A worker's message is in
// that chain, or inside the text of a failed job (connect/job_failure.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "connect/messages.h"
#include "connect/retry.h"

namespace protium {

// One exception of the server, as FetchErrorDetails describes it.
struct SparkCause {
  std::string type;  // "org.apache.spark.api.python.PythonException"
  // The server's text; may hold class names, plans and stack traces.
  std::string message;
  std::string error_class;  // "UNRESOLVED_COLUMN.WITH_SUGGESTION"; may be empty.
  std::string sql_state;
  // Its position in the SQL text, as the server shows it; may be empty.
  std::string query;
  // Parameters of the error class: {"objectName": "`x`", ...}.
  std::map<std::string, std::string> parameters;
};

struct SparkError {
  int32_t code = 0;  // grpc::StatusCode.
  std::string message;
  std::string type;  // The exception's class without its package: "AnalysisException".
  std::string error_class;
  std::string sql_state;
  std::string error_id;  // The key for FetchErrorDetails; may be empty.
  // The wait that the server asks for before the next try.
  std::optional<std::chrono::milliseconds> retry_after;
  std::vector<SparkCause> causes;  // Outermost first; empty if the server sent none.

  // Returns what the worker itself sent after its marker -2 (spark_worker/error_text.h); empty if
  // no worker sent anything.
  std::string WorkerText() const;
  // Returns the position in the SQL, or the task and its host; may be empty.
  std::string Where() const;
  // Whether the error class or the message contains the text.
  bool Has(std::string_view error_class_or_text) const;
};

namespace connect {

// The advice for when a server, or its state of the job, is gone.
inline constexpr char kStartAgain[] =
    "start the job again; resume continues a training from its last checkpoint";

// Reads a call's final status. `details` is the trailer grpc-status-details-bin, or empty.
SparkError ReadError(int32_t code, std::string message, const std::string& details);

// Adds the chain of causes from FetchErrorDetails.
void AddCauses(const proto::FetchErrorDetailsResponse& response, SparkError& error);

// Whether the same call may succeed a little later: the connection broke, the server said when to
// retry, or the server lost the cursor of a stream (INVALID_CURSOR.DISCONNECTED).
bool MayPass(const SparkError& error);

// Whether the server no longer knows the session, or another server responds.
bool IsSessionLost(const SparkError& error);

// Whether Spark itself was shut down while it ran the operation.
bool IsServerStopped(const SparkError& error);

// Returns the error as one cause: the worker's own text if there is one, else the exception nearest
// to the root that has a message of its own. `doing` is the phrase in front ("the flights query");
// may be empty. Exit kRemote: the server or the connection to it; kUsage: the plan; kInput: a file;
// kNoRoom: Spark's memory; kStalled: a deadline; else kFailed.
Fault SparkFault(const SparkError& error, std::string_view doing, std::string_view address);

}  // namespace connect
}  // namespace protium
