// SPDX-License-Identifier: Apache-2.0
// librdkafka's handles with owners, its errors as faults, and the wait for servers. Nothing that
// librdkafka logs is shown: it may hold what is secret.
#pragma once

#include <librdkafka/rdkafka.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kafka/open.h"

namespace protium {

struct DestroyRd {
  void operator()(rd_kafka_topic_t* topic) const { rd_kafka_topic_destroy(topic); }
  void operator()(rd_kafka_conf_t* conf) const { rd_kafka_conf_destroy(conf); }
  void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
  void operator()(rd_kafka_error_t* error) const { rd_kafka_error_destroy(error); }
  void operator()(rd_kafka_message_t* message) const { rd_kafka_message_destroy(message); }
  void operator()(rd_kafka_topic_partition_list_t* list) const {
    rd_kafka_topic_partition_list_destroy(list);
  }
  void operator()(const rd_kafka_metadata_t* metadata) const {
    rd_kafka_metadata_destroy(metadata);
  }
  void operator()(rd_kafka_consumer_group_metadata_t* group) const {
    rd_kafka_consumer_group_metadata_destroy(group);
  }
};
using RdTopic = std::unique_ptr<rd_kafka_topic_t, DestroyRd>;
using RdConf = std::unique_ptr<rd_kafka_conf_t, DestroyRd>;
using RdQueue = std::unique_ptr<rd_kafka_queue_t, DestroyRd>;
using RdError = std::unique_ptr<rd_kafka_error_t, DestroyRd>;
using RdMessage = std::unique_ptr<rd_kafka_message_t, DestroyRd>;
using RdPartitions = std::unique_ptr<rd_kafka_topic_partition_list_t, DestroyRd>;

struct Undelivered {
  int64_t messages = 0;
  rd_kafka_resp_err_t first = RD_KAFKA_RESP_ERR_NO_ERROR;  // Why the first was not.
};

// A consumer or producer. One thread, unless stated otherwise.
class KafkaClient {
 public:
  using Settings = std::vector<std::pair<std::string, std::string>>;

  // Does not wait for servers. `ours` are settings that the job may not change; `defaults` it may.
  static Result<std::unique_ptr<KafkaClient>> Make(rd_kafka_type_t type,
                                                   const KafkaConnection& connection,
                                                   const Settings& ours, const Settings& defaults);
  ~KafkaClient();
  KafkaClient(const KafkaClient&) = delete;

  rd_kafka_t* handle() const { return handle_; }
  const KafkaConnection& connection() const { return connection_; }
  const std::string& topic() const { return connection_.topic; }

  // Waits for a server and returns the number of the topic's partitions.
  Result<int32_t> Partitions() const;
  // The same without waiting long, and 0 if it cannot be known now.
  int32_t PartitionsNow() const;

  // Runs callbacks that are due.
  void Poll() const { rd_kafka_poll(handle_, 0); }
  // The fault if the servers have refused this client for good.
  Status Refused() const;
  // Whether no server can be reached, as far as it is known.
  bool servers_down() const { return servers_down_; }
  void SayServersUp() { servers_down_ = false; }

  // `doing` is what failed: "reading visits".
  Status FaultFor(rd_kafka_resp_err_t error, const std::string& doing,
                  const std::string& why = {}) const;
  Status NoServer() const;
  // What could not be delivered since the last call.
  Undelivered TakeUndelivered();

  // Asks for the offsets from the earliest up to and without the next message to come.
  Result<std::pair<int64_t, int64_t>> Watermarks(int32_t partition) const;

 private:
  explicit KafkaClient(KafkaConnection connection) : connection_(std::move(connection)) {}
  Status UseSettings(rd_kafka_conf_t* conf, const Settings& ours, const Settings& defaults);
  Status UnknownTopic() const;
  void Notice(rd_kafka_resp_err_t error, const std::string& why);
  static void OnError(rd_kafka_t*, int error, const char* reason, void* self);
  static void OnDelivered(rd_kafka_t*, const rd_kafka_message_t* message, void* self);

  KafkaConnection connection_;
  rd_kafka_t* handle_ = nullptr;
  std::atomic<bool> servers_down_ = false;
  mutable std::mutex mutex_;  // Guards what callbacks set.
  rd_kafka_resp_err_t refused_ = RD_KAFKA_RESP_ERR_NO_ERROR;
  std::string last_error_;
  Undelivered undelivered_;
};

}  // namespace protium
