// SPDX-License-Identifier: Apache-2.0
// Messages of a topic's partitions from given offsets on, in the order of each partition, without
// those of transactions that were aborted.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kafka/client.h"
#include "kafka/offsets.h"

namespace protium {

using MessagesByPartition = std::map<int32_t, std::vector<RdMessage>>;

// One thread.
class TopicReader {
 public:
  // `more` are settings that the job may change.
  static Result<std::unique_ptr<TopicReader>> Make(const KafkaConnection& connection,
                                                   const KafkaClient::Settings& more = {});

  KafkaClient& client() { return *client_; }

  // Reads these partitions from these offsets on, and no others.
  Status Assign(const Offsets& from);
  // Waits up to `wait` for `most` messages and adds those that came to `messages`; returns their
  // bytes. Servers that are away are waited for.
  Result<size_t> Take(size_t most, std::chrono::milliseconds wait, MessagesByPartition& messages);
  // The ends of partitions, where they were reached: before the first message not there yet.
  const Offsets& ends() const { return ends_; }
  // The newest ends that servers told of, whether they were reached or not.
  int64_t KnownEnd(int32_t partition) const;

 private:
  explicit TopicReader(std::unique_ptr<KafkaClient> client);
  Status TakeError(const rd_kafka_message_t& message);

  std::unique_ptr<KafkaClient> client_;
  RdQueue queue_;  // Goes before the client.
  Offsets assigned_;
  Offsets ends_;
  std::vector<rd_kafka_message_t*> taken_;
};

}  // namespace protium
