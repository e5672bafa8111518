// SPDX-License-Identifier: Apache-2.0
// A session on a Spark server, over Spark Connect (gRPC). Needs nothing on the cluster but the
// server.
//
// A session is settings, artifacts, resource profiles and running operations under one UUID; all of
// it is gone when the server restarts, which is checked on every response
// (connect::Wire::CheckServer). Calls that fail for a transient reason are repeated
// (connect/retry.h); everything else is returned as a Fault, with exit kRemote if the server or the
// connection to it is the cause, kUsage or kInput if the plan is (connect::SparkFault). A stopped
// call returns Status::Cancelled, one past its deadline a Fault of exit kStalled.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/call.h"
#include "column/stream.h"
#include "connect/address.h"
#include "connect/error.h"
#include "connect/relations.h"
#include "connect/retry.h"

namespace protium {

// The aggregates of connect::Observe, by the names given there: {"rows": 12, ...}.
using ObservedMetrics = std::map<std::string, Json>;

// Turns the server's error into the user's error, in place of connect::SparkFault.
using ExplainSparkError = std::function<Status(const SparkError&)>;

// Returns what to add to what the server sends of an operation, given its id: members for the event
// "engine_plan". `operators`: the server sent none, so they are wanted, too.
using TellMore = std::function<Json(const std::string& operation, bool operators)>;

struct ExecuteOptions {
  // What is run, for progress and messages.
  std::string name = "query";
  // For InterruptTag; no commas.
  std::vector<std::string> tags;
  // Filled by the time the result has ended; may be null.
  std::shared_ptr<ObservedMetrics> observed;
  // For a failure of the operation itself, not of the connection; may be empty.
  ExplainSparkError explain;
  // Called at the end of operations with rows, and of writes; may be empty.
  TellMore more;
};

// The result of a command that ran to its end; only what its kind of command produces is set.
struct CommandResult {
  // The id of the resource profile that CreateProfile made; valid until the server restarts.
  std::optional<int32_t> profile_id;
  std::optional<connect::Relation> relation;  // The rows of SqlCommand.
  // Of connect::WriteStream(), and of connect::AskQuery().
  std::optional<connect::proto::StreamingQueryInstanceId> query;
  connect::proto::StreamingQueryCommandResult about_query;
  ObservedMetrics observed;
};

// A file for the executors or the server. The prefix of its name decides where it goes: "files/x",
// "archives/x.tar.gz#folder", "cache/<sha256>". Within a session a name's first content is final,
// so names carry a hash of the content.
struct Artifact {
  std::string name;
  std::variant<std::filesystem::path, std::string> content;  // A file's path, or the bytes.
};

struct SparkSessionOptions {
  // For every call after the server has responded.
  connect::RetryPolicy retry;
  // For the first call: fewer tries, so that a wrong address fails within seconds.
  connect::RetryPolicy connect_retry{.tries = 5};
  std::chrono::milliseconds stream_limit{240'000};  // See ExecutionRequest.
  int64_t chunk_bytes = 1 << 20;                    // For artifacts.
};

// Thread-safe, but each stream that Execute returns may be used by one thread at a time. Streams
// keep alive what they need of the session, but the session's end interrupts them.
class SparkSession {
 public:
  // Connects to the server and asks its version, within seconds; a server older than Spark 4.0 is
  // refused. If the address names a session, that session is used, and is not released at the end;
  // only what this object ran is interrupted.
  static Result<std::unique_ptr<SparkSession>> Open(SparkAddress address, const Call& call,
                                                    SparkSessionOptions options = {});
  // Releases the session `id` of a driver that died, with everything that runs in it: otherwise it
  // would hold its slots for about five minutes more. A session that is gone already is no error.
  static Status EndLeftover(SparkAddress address, const std::string& id, const Call& call);
  // Interrupts what still runs and releases the session, within seconds. Errors are dropped.
  ~SparkSession();

  const std::string& id() const;
  const std::string& version() const;  // The server's: "4.2.1".
  std::string address() const;         // "sc://host:15002", for messages.

  using Settings = std::map<std::string, std::string>;
  // Sets runtime settings of this session; one that is fixed when the server starts fails the call.
  Status SetConf(const Settings& settings, const Call& call);
  // Returns nullopt for a setting that is unset and has no default.
  Result<std::map<std::string, std::optional<std::string>>> GetConf(
      const std::vector<std::string>& keys, const Call& call);
  // Whether SetConf may set `key` in a running session.
  Result<bool> IsModifiable(const std::string& key, const Call& call);

  // Returns the schema of the batches that Execute would give. Reads no rows, but may list and open
  // files.
  Result<SchemaPtr> Schema(const connect::Relation& relation, const Call& call);
  // Returns Spark's text of the plan by which it would run the relation.
  Result<std::string> Explain(const connect::Relation& relation, const Call& call);
  // Streams the rows. Returns once the schema is known; errors of the rows come with Next().
  // Dropping the stream before its end interrupts the operation.
  Result<BatchStreamPtr> Execute(const connect::Relation& relation, ExecuteOptions options,
                                 const Call& call);
  // Runs a command for its effect and returns at the end of the operation.
  Result<CommandResult> Command(const connect::Command& command, ExecuteOptions options,
                                const Call& call);

  // Uploads one after another. A name that the session already has is no error if its bytes are
  // equal, otherwise it is one. Sends Uploading on the way.
  Status AddArtifacts(const std::vector<Artifact>& artifacts, const Call& call);
  // Whether the session has each of the names, which are the keys of the result.
  Result<std::map<std::string, bool>> ArtifactStatuses(const std::vector<std::string>& names,
                                                       const Call& call);
  // Makes a relation of this process's rows: inside the plan up to 1 MiB, above that as an artifact
  // that the server caches. The limit is almost 2 GiB; a larger table is a Fault of exit kNoRoom.
  Result<connect::Relation> LocalTable(const SchemaPtr& schema,
                                       const arrow::RecordBatchVector& batches, const Call& call);

  // Each returns the ids of the operations that were interrupted.
  Result<std::vector<std::string>> InterruptTag(const std::string& tag, const Call& call);
  Result<std::vector<std::string>> InterruptAll(const Call& call);

 private:
  struct State;
  explicit SparkSession(std::unique_ptr<State> state);
  Result<std::string> Zone(const Call& call);

  std::unique_ptr<State> state_;
};

}  // namespace protium
