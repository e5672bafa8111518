// SPDX-License-Identifier: Apache-2.0
#include "connect/error.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utf8.h"
#include "connect/job_failure.h"
#include "connect/rpc_status.pb.h"

namespace protium {

namespace {

// The codes of grpc::StatusCode that have a meaning of their own here.
enum Code : int32_t {
  kCancelled = 1,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kUnauthenticated = 16,
};

std::string Last(const std::string& name) {
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

std::string At(const google::protobuf::Map<std::string, std::string>& map, const char* key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string() : found->second;
}

}  // namespace

std::string SparkError::WorkerText() const {
  for (const SparkCause& cause : causes) {
    if (Last(cause.type) == "PythonException") {
      return std::string(connect::WorkerPart(cause.message));
    }
  }
  if (type == "PythonException") return std::string(connect::WorkerPart(message));
  for (const SparkCause& cause : causes) {
    const connect::JobFailure failure = connect::ReadJobFailure(cause.message);
    if (failure.from_worker) return failure.text;
  }
  const connect::JobFailure failure = connect::ReadJobFailure(message);
  return failure.from_worker ? failure.text : std::string();
}

std::string SparkError::Where() const {
  for (const SparkCause& cause : causes) {
    if (!cause.query.empty()) return std::string(Trimmed(cause.query));
    std::string where = connect::ReadJobFailure(cause.message).where;
    if (!where.empty()) return where;
  }
  return connect::ReadJobFailure(message).where;
}

bool SparkError::Has(std::string_view text) const {
  return error_class.find(text) != std::string::npos || message.find(text) != std::string::npos;
}

namespace connect {

namespace {

using rpc::Detail;

void ReadInfo(const rpc::ErrorInfo& info, SparkError& error) {
  error.type = Last(info.reason());
  error.error_class = At(info.metadata(), "errorClass");
  error.sql_state = At(info.metadata(), "sqlState");
  error.error_id = At(info.metadata(), "errorId");
}

void ReadDetail(const Detail& detail, SparkError& error) {
  const std::string_view url = detail.type_url();
  rpc::ErrorInfo info;
  rpc::RetryInfo retry;
  if (url.ends_with("/google.rpc.ErrorInfo") && info.ParseFromString(detail.value())) {
    ReadInfo(info, error);
  } else if (url.ends_with("/google.rpc.RetryInfo") && retry.ParseFromString(detail.value())) {
    const int64_t seconds = std::clamp<int64_t>(retry.retry_delay().seconds(), 0, 86400);
    error.retry_after = std::chrono::milliseconds(
        seconds * 1000 + std::clamp(retry.retry_delay().nanos() / 1000000, 0, 999));
  }
}

SparkCause ReadCause(const proto::FetchErrorDetailsResponse::Error& error) {
  SparkCause cause;
  if (error.error_type_hierarchy_size() > 0) cause.type = error.error_type_hierarchy(0);
  cause.message = error.message();
  const auto& spark = error.spark_throwable();
  cause.error_class = spark.error_class();
  cause.sql_state = spark.sql_state();
  cause.parameters.insert(spark.message_parameters().begin(), spark.message_parameters().end());
  if (spark.query_contexts_size() > 0) cause.query = spark.query_contexts(0).summary();
  return cause;
}

// Error classes decide first, then the exception's type, then gRPC's code.
Exit ChooseExit(const SparkError& error) {
  constexpr std::array<std::string_view, 4> kUsageTypes = {"AnalysisException", "ParseException",
                                                           "ExtendedAnalysisException",
                                                           "SparkIllegalArgumentException"};
  if (error.Has("PATH_NOT_FOUND") || error.Has("FAILED_READ_FILE")) return Exit::kInput;
  // A row that a stage refuses (error() of expressions): as on the embedded engine.
  if (error.Has("USER_RAISED_EXCEPTION")) return Exit::kInput;
  if (error.Has("OutOfMemoryError")) return Exit::kNoRoom;
  if (std::find(kUsageTypes.begin(), kUsageTypes.end(), error.type) != kUsageTypes.end()) {
    return Exit::kUsage;
  }
  switch (error.code) {
    case kUnavailable:
    case kUnauthenticated:
    case kPermissionDenied:
    case kUnimplemented:
      return Exit::kRemote;
    case kDeadlineExceeded:
      return Exit::kStalled;
    default:
      return Exit::kFailed;
  }
}

// Returns the server's message without the plan and the stack traces after it, at most 4000 bytes.
std::string ShortMessage(std::string_view message) {
  for (const std::string_view end :
       {"\n\tat ", "\nDriver stacktrace:", ";\n'", ";\n+", "\n\nJVM"}) {
    message = message.substr(0, message.find(end));
  }
  constexpr size_t kLongest = 4000;
  std::string text(Bare(CutText(message, kLongest)));
  return text;
}

// Returns the first line and the text after it.
std::pair<std::string, std::string> Split(const std::string& text) {
  const size_t end = text.find('\n');
  if (end == std::string::npos) return {text, ""};
  return {std::string(Trimmed(text.substr(0, end))), std::string(Trimmed(text.substr(end)))};
}

// The outer exceptions of a failed job only say that tasks failed, and those of a database only
// that it was called. The reason is inside their text, or else in the innermost exception.
std::string RootMessage(const SparkError& error) {
  const JobFailure failure = ReadJobFailure(error.message);
  if (!failure.text.empty()) return failure.text;
  std::string message = ShortMessage(error.message);
  const bool wrapped = message.empty() || error.message.find("Job aborted") != std::string::npos ||
                       error.error_class.starts_with("FAILED_JDBC");
  if (!wrapped) return message;
  for (auto cause = error.causes.rbegin(); cause != error.causes.rend(); ++cause) {
    std::string text = ShortMessage(cause->message);
    if (!text.empty()) return text;
  }
  return message;
}

// Advice for failures that the cluster's settings or disks cause: errno 13 is EACCES, 8 is ENOEXEC,
// of the program that Spark tried to run.
std::string FixFor(const SparkError& error) {
  if (error.Has("error=13") && error.Has("Cannot run program")) {
    return "the executors' PATH must hold chmod, and their local folders must not be mounted "
           "noexec";
  }
  if (error.Has("error=8") && error.Has("Cannot run program")) {
    return "the executors have a different kind of processor than this program was built for";
  }
  if (error.Has("TaskResourceProfiles are only supported")) {
    return "run gangs on a cluster (standalone, YARN, Kubernetes), not on a server with master "
           "local[N]";
  }
  if (error.Has("PATH_NOT_FOUND")) {
    return "Spark reads files itself: its server and executors must reach them at this path; a "
           "table that was brought lies in the run folder: --runs-dir DIR with a shared folder";
  }
  return {};
}

std::string TypeLine(const SparkError& error) {
  std::string line = error.type;
  if (!error.error_class.empty()) line += (line.empty() ? "" : " ") + error.error_class;
  return line;
}

Fault Unreachable(const SparkError& error, std::string_view address) {
  return {.exit = Exit::kRemote,
          .what = "no Spark Connect server answers at " + std::string(address),
          .why = error.message,
          .fix = "check host and port, and use_ssl=true if the server speaks TLS"};
}

Fault NotAdmitted(const SparkError& error, std::string_view address) {
  return {.exit = Exit::kRemote,
          .what = "the Spark server at " + std::string(address) + " refused the call",
          .why = error.message,
          .fix =
              "give a valid token: sc://host:15002/;token=..., or the environment variable "
              "SPARK_CONNECT_AUTHENTICATE_TOKEN"};
}

Fault SessionLost(const SparkError& error, std::string_view address) {
  return {.exit = Exit::kRemote,
          .what = "the Spark server at " + std::string(address) + " no longer knows this session",
          .why = "it was restarted, or it dropped the session: " + ShortMessage(error.message),
          .fix = kStartAgain};
}

Fault ServerStopped(std::string_view doing, std::string_view address) {
  return {.exit = Exit::kRemote,
          .what = std::string(doing) + ": the Spark server at " + std::string(address) +
                  " was stopped in the meantime",
          .fix = kStartAgain};
}

}  // namespace

SparkError ReadError(int32_t code, std::string message, const std::string& details) {
  SparkError error{.code = code, .message = std::move(message)};
  rpc::Status status;
  if (!details.empty() && status.ParseFromString(details)) {
    for (const Detail& detail : status.details()) ReadDetail(detail, error);
  }
  return error;
}

void AddCauses(const proto::FetchErrorDetailsResponse& response, SparkError& error) {
  int index = response.has_root_error_idx() ? response.root_error_idx() : -1;
  // The indices may be wrong and form a cycle: takes at most as many steps as there are errors.
  for (int step = 0; step < response.errors_size(); ++step) {
    if (index < 0 || index >= response.errors_size()) return;
    const auto& each = response.errors(index);
    error.causes.push_back(ReadCause(each));
    // The server truncates long messages of gRPC; the details have the whole text.
    if (step == 0 && each.message().size() > error.message.size()) error.message = each.message();
    index = each.has_cause_idx() ? each.cause_idx() : -1;
  }
}

bool MayPass(const SparkError& error) {
  if (error.code == kUnavailable || error.retry_after.has_value()) return true;
  return error.code == kInternal && error.Has("INVALID_CURSOR.DISCONNECTED");
}

bool IsSessionLost(const SparkError& error) {
  return error.Has("INVALID_HANDLE.SESSION_NOT_FOUND") ||
         error.Has("INVALID_HANDLE.SESSION_CHANGED") || error.Has("INVALID_HANDLE.SESSION_CLOSED");
}

// Spark reports this with a page of stack traces.
bool IsServerStopped(const SparkError& error) {
  return error.Has("stopped SparkContext") || error.Has("SparkContext was shut down");
}

Fault SparkFault(const SparkError& error, std::string_view doing, std::string_view address) {
  if (IsSessionLost(error)) return SessionLost(error, address);
  if (error.code == kUnauthenticated || error.code == kPermissionDenied) {
    return NotAdmitted(error, address);
  }
  if (error.code == kUnavailable) return Unreachable(error, address);
  if (IsServerStopped(error)) return ServerStopped(doing, address);
  Fault fault{.exit = ChooseExit(error)};
  const std::string worker = error.WorkerText();
  const auto [first, rest] = Split(worker.empty() ? RootMessage(error) : worker);
  fault.what = (doing.empty() ? "" : std::string(doing) + ": ") +
               (first.empty() ? "Spark gave error " + std::to_string(error.code) : first);
  fault.why = rest;
  fault.where = error.Where();
  fault.fix = FixFor(error);
  const std::string line = TypeLine(error);
  if (!line.empty()) fault.why += (fault.why.empty() ? "Spark: " : "\nSpark: ") + line;
  return fault;
}

}  // namespace connect
}  // namespace protium
