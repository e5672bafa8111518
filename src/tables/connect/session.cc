// SPDX-License-Identifier: Apache-2.0
#include "connect/session.h"

#include <charconv>
#include <mutex>

#include "base/digest.h"
#include "connect/artifacts.h"
#include "connect/result.h"
#include "connect/types.h"

namespace protium {

namespace {

using connect::Milliseconds;
using connect::Operations;
using connect::Wire;
namespace proto = connect::proto;

// For one try of a call that runs no plan.
constexpr Milliseconds kQuickLimit{60'000};
// For one try; analysis may list and open many files.
constexpr Milliseconds kAnalyzeLimit{600'000};
// For one try. The first response of a server takes about half a second.
constexpr Milliseconds kConnectLimit{20'000};
constexpr connect::RetryPolicy kConnectRetry{.tries = 5};
constexpr const char* kZoneKey = "spark.sql.session.timeZone";
// The worker protocol (spark_worker/wire.h) and several messages that are sent here exist from 4.0
// on.
constexpr int32_t kOldestMajor = 4;
// Larger local tables are sent as artifacts: the plan is sent, stored and logged with every
// operation that uses the table, an artifact only once.
constexpr size_t kLargestInline = 1 << 20;
// Protobuf refuses messages of 2 GiB or more; the rest is room for the schema beside the rows.
constexpr size_t kLargestCached = (size_t{2} << 30) - (64 << 20);

Result<std::string> AskVersion(Wire& wire, const Call& call, const connect::RetryPolicy& retry) {
  proto::AnalyzePlanRequest request;
  request.mutable_spark_version();
  proto::AnalyzePlanResponse response;
  PT_TRY(wire.Ask("", &Wire::Stub::AnalyzePlan, request, &response, call, kConnectLimit, retry));
  return response.spark_version().version();
}

Status CheckVersion(const std::string& version, const std::string& address) {
  int32_t major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  if (major >= kOldestMajor) return Status::OK();
  return Fail({.exit = Exit::kRemote,
               .what = "the server at " + address + " runs Spark " + version,
               .why = "Spark 4.0 or newer is needed"});
}

}  // namespace

struct SparkSession::State {
  std::shared_ptr<Wire> wire;
  std::shared_ptr<Operations> operations;
  SparkSessionOptions options;
  std::string version;
  bool is_own = true;  // Made by this object, and so released by it.
  std::mutex mutex;
  // The session's time zone; empty: not requested yet.
  std::string zone;
};

SparkSession::SparkSession(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<SparkSession>> SparkSession::Open(SparkAddress address, const Call& call,
                                                         SparkSessionOptions options) {
  auto state = std::make_unique<State>();
  state->is_own = address.session_id.empty();
  state->options = options;
  PT_LET(state->wire, Wire::Open(std::move(address), options.retry));
  PT_LET(state->version, AskVersion(*state->wire, call, options.connect_retry));
  PT_TRY(CheckVersion(state->version, state->wire->shown()));
  state->operations = std::make_shared<Operations>(state->wire);
  return std::unique_ptr<SparkSession>(new SparkSession(std::move(state)));
}

// Deliberately not the session's own retries: this runs before a job and must not delay it for
// long.
Status SparkSession::EndLeftover(SparkAddress address, const std::string& id, const Call& call) {
  address.session_id = id;
  PT_LET(const auto wire, Wire::Open(std::move(address), kConnectRetry));
  proto::ReleaseSessionResponse response;
  return wire->Ask("release an earlier session", &Wire::Stub::ReleaseSession,
                   proto::ReleaseSessionRequest(), &response, call, kQuickLimit, kConnectRetry);
}

SparkSession::~SparkSession() {
  Operations& operations = *state_->operations;
  if (operations.any()) {
    const auto interrupted = operations.InterruptTag(operations.tag(), Call{});
    (void)interrupted;  // Then the server is gone, with everything that ran.
  }
  // A session that the address named belongs to someone else, who may continue to use it.
  if (!state_->is_own) return;
  operations.EndAll();
  proto::ReleaseSessionResponse response;
  const Status released = state_->wire->Ask("release the session", &Wire::Stub::ReleaseSession,
                                            proto::ReleaseSessionRequest(), &response, Call{},
                                            connect::kPartingLimit, {.tries = 1});
  (void)released;  // A server that does not respond drops the session later by itself.
}

const std::string& SparkSession::id() const { return state_->wire->session_id(); }
const std::string& SparkSession::version() const { return state_->version; }
std::string SparkSession::address() const { return state_->wire->shown(); }

Status SparkSession::SetConf(const Settings& settings, const Call& call) {
  if (settings.empty()) return Status::OK();
  proto::ConfigRequest request;
  auto* set = request.mutable_operation()->mutable_set();
  for (const auto& [key, value] : settings) {
    auto* pair = set->add_pairs();
    pair->set_key(key);
    pair->set_value(value);
  }
  proto::ConfigResponse response;
  {
    // Before the call, not after: a concurrent Zone() must not store the old zone.
    const std::lock_guard lock(state_->mutex);
    if (settings.count(kZoneKey) > 0) state_->zone.clear();
  }
  return state_->wire->Ask("set the session's settings", &Wire::Stub::Config, request, &response,
                           call, kQuickLimit, state_->options.retry);
}

Result<std::map<std::string, std::optional<std::string>>> SparkSession::GetConf(
    const std::vector<std::string>& keys, const Call& call) {
  proto::ConfigRequest request;
  auto* get = request.mutable_operation()->mutable_get_option();
  for (const std::string& key : keys) get->add_keys(key);
  proto::ConfigResponse response;
  PT_TRY(state_->wire->Ask("read the session's settings", &Wire::Stub::Config, request, &response,
                           call, kQuickLimit, state_->options.retry));
  std::map<std::string, std::optional<std::string>> values;
  for (const auto& pair : response.pairs()) {
    values[pair.key()] = pair.has_value() ? std::optional(pair.value()) : std::nullopt;
  }
  return values;
}

Result<bool> SparkSession::IsModifiable(const std::string& key, const Call& call) {
  proto::ConfigRequest request;
  request.mutable_operation()->mutable_is_modifiable()->add_keys(key);
  proto::ConfigResponse response;
  PT_TRY(state_->wire->Ask("ask about a setting", &Wire::Stub::Config, request, &response, call,
                           kQuickLimit, state_->options.retry));
  return response.pairs_size() == 1 && response.pairs(0).value() == "true";
}

Result<std::string> SparkSession::Zone(const Call& call) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->zone.empty()) return state_->zone;
  }
  PT_LET(const auto values, GetConf({kZoneKey}, call));
  const auto found = values.find(kZoneKey);
  const std::lock_guard lock(state_->mutex);
  // Timestamps with a zone come in the session's zone, which Spark's messages do not repeat.
  // Requested once and stored, since each result's schema needs it.
  state_->zone = found != values.end() && found->second ? *found->second : "UTC";
  return state_->zone;
}

Result<SchemaPtr> SparkSession::Schema(const connect::Relation& relation, const Call& call) {
  PT_LET(const std::string zone, Zone(call));
  proto::AnalyzePlanRequest request;
  *request.mutable_schema()->mutable_plan()->mutable_root() = relation;
  proto::AnalyzePlanResponse response;
  PT_TRY(state_->wire->Ask("", &Wire::Stub::AnalyzePlan, std::move(request), &response, call,
                           kAnalyzeLimit, state_->options.retry));
  return connect::ArrowSchema(response.schema().schema(), zone);
}

Result<std::string> SparkSession::Explain(const connect::Relation& relation, const Call& call) {
  proto::AnalyzePlanRequest request;
  *request.mutable_explain()->mutable_plan()->mutable_root() = relation;
  request.mutable_explain()->set_explain_mode(
      proto::AnalyzePlanRequest::Explain::EXPLAIN_MODE_SIMPLE);
  proto::AnalyzePlanResponse response;
  PT_TRY(state_->wire->Ask("", &Wire::Stub::AnalyzePlan, std::move(request), &response, call,
                           kAnalyzeLimit, state_->options.retry));
  return response.explain().explain_string();
}

Result<BatchStreamPtr> SparkSession::Execute(const connect::Relation& relation,
                                             ExecuteOptions options, const Call& call) {
  PT_LET(std::string zone, Zone(call));
  connect::ExecutionRequest request{.name = options.name,
                                    .tags = options.tags,
                                    .explain = options.explain,
                                    .stream_limit = state_->options.stream_limit};
  *request.plan.mutable_root() = relation;
  auto execution =
      std::make_unique<connect::Execution>(state_->operations, std::move(request), call);
  connect::Alongside alongside(options, execution->id(), call);
  auto stream = std::make_unique<connect::ResultStream>(std::move(execution), std::move(alongside),
                                                        options.name, std::move(zone));
  PT_TRY(stream->Start());
  return stream;
}

Result<CommandResult> SparkSession::Command(const connect::Command& command, ExecuteOptions options,
                                            const Call& call) {
  connect::ExecutionRequest request{.name = options.name,
                                    .tags = options.tags,
                                    .explain = options.explain,
                                    .stream_limit = state_->options.stream_limit};
  *request.plan.mutable_command() = command;
  connect::Execution execution(state_->operations, std::move(request), call);
  if (!options.observed) options.observed = std::make_shared<ObservedMetrics>();
  connect::Alongside alongside(options, execution.id(), call);
  CommandResult result;
  proto::ExecutePlanResponse response;
  while (true) {
    PT_LET(const bool more, execution.Next(&response));
    if (!more) break;
    PT_TRY(alongside.Take(response));
    if (response.has_create_resource_profile_command_result()) {
      result.profile_id = response.create_resource_profile_command_result().profile_id();
    }
    if (response.has_sql_command_result()) {
      result.relation = response.sql_command_result().relation();
    }
    if (response.has_write_stream_operation_start_result()) {
      result.query = response.write_stream_operation_start_result().query_id();
    }
    if (response.has_streaming_query_command_result()) {
      result.about_query = response.streaming_query_command_result();
    }
  }
  if (command.has_write_operation()) alongside.ReportWrite();
  result.observed = *options.observed;
  return result;
}

Status SparkSession::AddArtifacts(const std::vector<Artifact>& artifacts, const Call& call) {
  return connect::Upload(*state_->wire, artifacts, state_->options.chunk_bytes, call);
}

Result<std::map<std::string, bool>> SparkSession::ArtifactStatuses(
    const std::vector<std::string>& names, const Call& call) {
  proto::ArtifactStatusesRequest request;
  for (const std::string& name : names) request.add_names(name);
  proto::ArtifactStatusesResponse response;
  PT_TRY(state_->wire->Ask("ask for files", &Wire::Stub::ArtifactStatus, request, &response, call,
                           kQuickLimit, state_->options.retry));
  std::map<std::string, bool> exists;
  for (const std::string& name : names) exists[name] = false;
  for (const auto& [name, status] : response.statuses()) exists[name] = status.exists();
  return exists;
}

Result<connect::Relation> SparkSession::LocalTable(const SchemaPtr& schema,
                                                   const arrow::RecordBatchVector& batches,
                                                   const Call& call) {
  PT_LET(connect::Relation relation, connect::LocalTable(schema, batches));
  const auto& local = relation.local_relation();
  if (local.data().size() <= kLargestInline) return relation;
  if (local.data().size() > kLargestCached) {
    return Fail({.exit = Exit::kNoRoom,
                 .what = "a table of " + std::to_string(local.data().size()) +
                         " bytes in memory is too large to be sent to Spark",
                 .fix = "write it to a file that the cluster reaches, and read that"});
  }
  std::string bytes = local.SerializeAsString();
  const std::string hash = Sha256Hex(bytes);
  const std::string name = "cache/" + hash;
  // The name is the content's hash, so a table that was sent before is not sent again.
  PT_LET(const auto known, ArtifactStatuses({name}, call));
  if (!known.at(name)) PT_TRY(AddArtifacts({{.name = name, .content = std::move(bytes)}}, call));
  connect::Relation cached;
  cached.mutable_cached_local_relation()->set_hash(hash);
  return cached;
}

Result<std::vector<std::string>> SparkSession::InterruptTag(const std::string& tag,
                                                            const Call& call) {
  return state_->operations->InterruptTag(tag, call);
}

Result<std::vector<std::string>> SparkSession::InterruptAll(const Call& call) {
  return state_->operations->InterruptAll(call);
}

}  // namespace protium
