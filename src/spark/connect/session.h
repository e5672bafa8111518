// SPDX-License-Identifier: Apache-2.0
// A session on a Spark server, over Spark Connect. Needs nothing on the cluster but the server.
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
#include "spark/connect/address.h"
#include "spark/connect/error.h"
#include "spark/connect/relations.h"
#include "spark/connect/retry.h"

namespace protium {

// By the name given to connect::Observe: {"rows": 12, ...}.
using ObservedMetrics = std::map<std::string, Json>;

// Turns the server's error into what the user is told.
using ExplainSparkError = std::function<Status(const SparkError&)>;

struct ExecuteOptions {
  std::string name = "query";                 // Of what runs, for progress and messages.
  std::vector<std::string> tags;              // For Interrupt; without commas.
  std::shared_ptr<ObservedMetrics> observed;  // Filled by the time the result ended; may be null.
  ExplainSparkError explain;                  // Of this operation's own failure; may be empty.
};

struct CommandResult {
  std::optional<int32_t> profile_id;
  std::optional<connect::Relation> relation;  // What a statement of SQL gave.
  ObservedMetrics observed;
  // The sums of the values of each name over the plan's nodes, as Spark counts them:
  // "number of output rows", "number of written files" ...
  std::map<std::string, int64_t> metrics;
};

// A file for the executors or the server: "files/x", "archives/x.tar.gz#folder", "cache/<sha256>".
struct Artifact {
  std::string name;
  std::variant<std::filesystem::path, std::string> content;  // A file's path, or the bytes.
};

struct SparkSessionOptions {
  connect::RetryPolicy retry;
  // Until the first answer; a wrong address is told soon.
  connect::RetryPolicy connect_retry{.tries = 5};
  std::chrono::milliseconds stream_limit{240'000};  // See ExecutionRequest.
  int64_t chunk_bytes = 1 << 20;                    // Of artifacts.
};

// Any thread; each stream it gives has one of its own at a time.
class SparkSession {
 public:
  // Reaches the server and asks its version, within seconds. With a session id in the address that
  // session is used, and left as it is at the end, but for what ran here.
  static Result<std::unique_ptr<SparkSession>> Open(SparkAddress address, const Call& call,
                                                    SparkSessionOptions options = {});
  // Ends what a driver that died left on the server: the session `id` with all that runs in it,
  // which would otherwise hold its slots for minutes. One that is gone already is no error.
  static Status EndLeftover(SparkAddress address, const std::string& id, const Call& call);
  // Interrupts what still runs and releases the session, within seconds.
  ~SparkSession();

  const std::string& id() const;
  const std::string& version() const;  // Of the server: "4.2.1".
  std::string address() const;         // "sc://host:15002", for messages.

  using Settings = std::map<std::string, std::string>;
  Status SetConf(const Settings& settings, const Call& call);
  // Unset ones without a default have no value.
  Result<std::map<std::string, std::optional<std::string>>> GetConf(
      const std::vector<std::string>& keys, const Call& call);
  Result<bool> IsModifiable(const std::string& key, const Call& call);

  // The schema of the batches that Execute would give. Reads no rows.
  Result<SchemaPtr> Schema(const connect::Relation& relation, const Call& call);
  // Streams the rows. Returns once the schema is there.
  Result<BatchStreamPtr> Execute(const connect::Relation& relation, ExecuteOptions options,
                                 const Call& call);
  // Runs for effect, to the end.
  Result<CommandResult> Command(const connect::Command& command, ExecuteOptions options,
                                const Call& call);

  // Uploads; equal content under the same name is no error. Tells
  // {"event": "upload", "name", "bytes", "of_bytes"} on the way.
  Status AddArtifacts(const std::vector<Artifact>& artifacts, const Call& call);
  // Which of the names the session has.
  Result<std::map<std::string, bool>> ArtifactStatuses(const std::vector<std::string>& names,
                                                       const Call& call);
  // Rows of this process as a relation: inside of the plan when few, else as a cached artifact.
  Result<connect::Relation> LocalTable(const SchemaPtr& schema,
                                       const arrow::RecordBatchVector& batches, const Call& call);

  // Each gives the ids of the operations that were ended.
  Result<std::vector<std::string>> InterruptTag(const std::string& tag, const Call& call);
  Result<std::vector<std::string>> InterruptAll(const Call& call);

 private:
  struct State;
  explicit SparkSession(std::unique_ptr<State> state);
  Result<std::string> Zone(const Call& call);

  std::unique_ptr<State> state_;
};

}  // namespace protium
