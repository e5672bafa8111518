// SPDX-License-Identifier: Apache-2.0
#include "kafka/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/fault.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "sources/password.h"

namespace protium {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;
using RdMetadata = std::unique_ptr<const rd_kafka_metadata_t, DestroyRd>;

namespace {

// How long one request may take before the stream's stop is looked at.
constexpr int kSliceMs = 250;

// Of settings whose values are secret.
bool IsSecret(std::string_view name) {
  for (const std::string_view part : {"password", "secret", "key.pem", "sasl.jaas"}) {
    if (name.find(part) != name.npos) return true;
  }
  return false;
}

Status Refuse(std::string where, std::string what, std::string fix = {}) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = std::move(where),
               .fix = std::move(fix),
               .kept = "nothing was started"});
}

// The text that a setting of the job has.
Result<std::string> SettingText(const std::string& where, const std::string& name,
                                const Json& value) {
  if (value.is_object()) {
    PasswordPlace place;
    PT_TRY(fields::Read(value, where, place));
    return ReadPassword(place);
  }
  if (IsSecret(name)) {
    return Refuse(
        where, fmt::format("{} stands in the job, where others may read it", name),
        fmt::format("\"{}\" = {{ env = \"KAFKA_SECRET\" }}, or {{ file = \"path\" }}", name));
  }
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  return Refuse(where, fmt::format("{} needs a text, a number, true or false", name));
}

Status Set(rd_kafka_conf_t* conf, const std::string& where, const std::string& name,
           const std::string& value, bool secret) {
  char why[512];
  const auto result = rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why, sizeof(why));
  if (result == RD_KAFKA_CONF_OK) return Status::OK();
  if (result == RD_KAFKA_CONF_UNKNOWN) {
    return Refuse(where, fmt::format("librdkafka has no setting \"{}\"", name),
                  "see the list of its settings: CONFIGURATION.md of librdkafka");
  }
  return Refuse(where, secret
                           ? fmt::format("librdkafka refuses the value of {}", name)
                           : fmt::format("librdkafka refuses {} = \"{}\": {}", name, value, why));
}

bool IsRefusal(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      return true;
    default:
      return false;
  }
}

// The topic's entry in what a server responded; null if there is none, or a retry may help.
const rd_kafka_metadata_topic_t* FindTopic(const rd_kafka_metadata_t& metadata,
                                           const std::string& topic) {
  for (int i = 0; i < metadata.topic_cnt; ++i) {
    if (topic == metadata.topics[i].topic) return &metadata.topics[i];
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<KafkaClient>> KafkaClient::Make(rd_kafka_type_t type,
                                                       const KafkaConnection& connection,
                                                       const Settings& ours,
                                                       const Settings& defaults) {
  std::unique_ptr<KafkaClient> client(new KafkaClient(connection));
  RdConf conf(rd_kafka_conf_new());
  PT_TRY(client->UseSettings(conf.get(), ours, defaults));
  rd_kafka_conf_set_opaque(conf.get(), client.get());
  rd_kafka_conf_set_error_cb(conf.get(), &KafkaClient::OnError);
  rd_kafka_conf_set_log_cb(conf.get(), [](const rd_kafka_t*, int, const char*, const char*) {});
  if (type == RD_KAFKA_PRODUCER) {
    rd_kafka_conf_set_dr_msg_cb(conf.get(), &KafkaClient::OnDelivered);
  }
  char why[512];
  client->handle_ = rd_kafka_new(type, conf.get(), why, sizeof(why));
  if (client->handle_ == nullptr) {
    return Refuse(connection.where + ".settings",
                  fmt::format("librdkafka refuses the settings: {}", why));
  }
  conf.release();
  return client;
}

KafkaClient::~KafkaClient() {
  if (handle_ == nullptr) return;
  // What was not delivered is made again by the stream.
  if (rd_kafka_type(handle_) == RD_KAFKA_PRODUCER) {
    rd_kafka_purge(handle_, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  }
  rd_kafka_destroy_flags(handle_, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
}

Status KafkaClient::UseSettings(rd_kafka_conf_t* conf, const Settings& ours,
                                const Settings& defaults) {
  const std::string below = connection_.where + ".settings";
  const Settings everywhere = {{"client.id", "protium"}, {"reconnect.backoff.max.ms", "1000"}};
  for (const auto& [name, value] : everywhere) PT_TRY(Set(conf, below, name, value, false));
  for (const auto& [name, value] : defaults) PT_TRY(Set(conf, below, name, value, false));
  for (const auto& [name, value] : connection_.settings.items()) {
    const std::string where = below + "." + name;
    const bool taken =
        std::ranges::any_of(ours, [&](const auto& each) { return each.first == name; });
    if (taken || name == "bootstrap.servers" || name == "metadata.broker.list") {
      return Refuse(where, fmt::format("{} is decided by the stream", name), "leave it out");
    }
    PT_LET(const std::string text, SettingText(where, name, value));
    PT_TRY(Set(conf, where, name, text, value.is_object()));
  }
  for (const auto& [name, value] : ours) PT_TRY(Set(conf, below, name, value, false));
  return Set(conf, connection_.where + ".kafka", "bootstrap.servers", connection_.servers, false);
}

void KafkaClient::Notice(rd_kafka_resp_err_t error, const std::string& why) {
  if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    servers_down_ = true;
    return;
  }
  const std::scoped_lock lock(mutex_);
  if (IsRefusal(error)) refused_ = error;
  last_error_ = why;
}

void KafkaClient::OnError(rd_kafka_t*, int error, const char* reason, void* self) {
  static_cast<KafkaClient*>(self)->Notice(rd_kafka_resp_err_t(error), reason);
}

void KafkaClient::OnDelivered(rd_kafka_t*, const rd_kafka_message_t* message, void* self) {
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) return;
  auto& client = *static_cast<KafkaClient*>(self);
  const std::scoped_lock lock(client.mutex_);
  if (client.undelivered_.messages++ == 0) client.undelivered_.first = message->err;
}

Undelivered KafkaClient::TakeUndelivered() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(undelivered_, {});
}

Status KafkaClient::Refused() const {
  const std::scoped_lock lock(mutex_);
  if (refused_ == RD_KAFKA_RESP_ERR_NO_ERROR) return Status::OK();
  return Fail({.exit = Exit::kRemote,
               .what = "Kafka refuses this client: " + last_error_,
               .where = connection_.where + ".kafka = \"" + connection_.servers + "\"",
               .fix = "check user and password, or rights, in " + connection_.where + ".settings"});
}

Status KafkaClient::NoServer() const {
  const std::scoped_lock lock(mutex_);
  return Fail(
      {.exit = Exit::kRemote,
       .what = fmt::format("no server of Kafka responds at {} within {} s", connection_.servers,
                           double(connection_.patience.count()) / 1000),
       .where = connection_.where + ".kafka",
       .why = last_error_,
       .fix = "check the address, and whether the server runs"});
}

Status KafkaClient::FaultFor(rd_kafka_resp_err_t error, const std::string& doing,
                             const std::string& why) const {
  switch (error) {
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
      return NoServer();
    default:
      break;
  }
  return Fail(
      {.exit = Exit::kRemote,
       .what = fmt::format("{} failed: {}", doing, why.empty() ? rd_kafka_err2str(error) : why),
       .where = fmt::format("topic {} at {}", topic(), connection_.servers)});
}

// With the topics that there are.
Status KafkaClient::UnknownTopic() const {
  const rd_kafka_metadata_t* all = nullptr;
  const auto error = rd_kafka_metadata(handle_, 1, nullptr, &all, 5000);
  const RdMetadata owner(all);
  std::vector<std::string> names;
  for (int i = 0; error == RD_KAFKA_RESP_ERR_NO_ERROR && i < all->topic_cnt; ++i) {
    if (!std::string_view(all->topics[i].topic).starts_with("__")) {
      names.emplace_back(all->topics[i].topic);
    }
  }
  if (!names.empty()) {
    return UnknownName("topic", topic(), names, connection_.where + ".topic");
  }
  return Refuse(connection_.where + ".topic",
                fmt::format("Kafka at {} has no topic \"{}\"", connection_.servers, topic()),
                fmt::format("kafka-topics.sh --bootstrap-server {} --create --topic {}",
                            connection_.servers, topic()));
}

Result<int32_t> KafkaClient::Partitions() const {
  const auto until = SteadyClock::now() + connection_.patience;
  const RdTopic handle(rd_kafka_topic_new(handle_, topic().c_str(), nullptr));
  while (SteadyClock::now() < until && !connection_.stop.stop_requested()) {
    const rd_kafka_metadata_t* found = nullptr;
    const auto error = rd_kafka_metadata(handle_, 0, handle.get(), &found, kSliceMs);
    const RdMetadata owner(found);
    Poll();
    PT_TRY(Refused());
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    const rd_kafka_metadata_topic_t* const entry = FindTopic(*found, topic());
    if (entry == nullptr) continue;
    if (entry->err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return UnknownTopic();
    if (IsRefusal(entry->err)) return FaultFor(entry->err, "looking at the topic");
    if (entry->err == RD_KAFKA_RESP_ERR_NO_ERROR && entry->partition_cnt > 0) {
      return entry->partition_cnt;
    }
  }
  if (connection_.stop.stop_requested()) return Status::Cancelled("stopped");
  return NoServer();
}

int32_t KafkaClient::PartitionsNow() const {
  const RdTopic handle(rd_kafka_topic_new(handle_, topic().c_str(), nullptr));
  const rd_kafka_metadata_t* found = nullptr;
  const auto error = rd_kafka_metadata(handle_, 0, handle.get(), &found, kSliceMs);
  const RdMetadata owner(found);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return 0;
  const rd_kafka_metadata_topic_t* const entry = FindTopic(*found, topic());
  return entry == nullptr || entry->err != RD_KAFKA_RESP_ERR_NO_ERROR ? 0 : entry->partition_cnt;
}

Result<std::pair<int64_t, int64_t>> KafkaClient::Watermarks(int32_t partition) const {
  const auto until = SteadyClock::now() + connection_.patience;
  auto error = RD_KAFKA_RESP_ERR__TIMED_OUT;
  while (SteadyClock::now() < until && !connection_.stop.stop_requested()) {
    int64_t low = 0, high = 0;
    error = rd_kafka_query_watermark_offsets(handle_, topic().c_str(), partition, &low, &high,
                                             kSliceMs * 4);
    Poll();
    PT_TRY(Refused());
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return std::pair(low, high);
    if (error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION) break;
  }
  if (connection_.stop.stop_requested()) return Status::Cancelled("stopped");
  return FaultFor(error, fmt::format("asking for the offsets of partition {}", partition));
}

}  // namespace protium
