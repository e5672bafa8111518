// SPDX-License-Identifier: Apache-2.0
#include "kafka/topic_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"

namespace protium {

using std::chrono::milliseconds;

TopicReader::TopicReader(std::unique_ptr<KafkaClient> client)
    : client_(std::move(client)), queue_(rd_kafka_queue_get_consumer(client_->handle())) {}

Result<std::unique_ptr<TopicReader>> TopicReader::Make(const KafkaConnection& connection,
                                                       const KafkaClient::Settings& more) {
  const KafkaClient::Settings ours = {{"group.id", "protium-stream-" + connection.name},
                                      {"enable.auto.commit", "false"},
                                      {"enable.auto.offset.store", "false"},
                                      {"enable.partition.eof", "true"},
                                      {"auto.offset.reset", "error"},
                                      {"isolation.level", "read_committed"}};
  KafkaClient::Settings defaults = {{"fetch.error.backoff.ms", "50"},
                                    // librdkafka pauses for a second whenever so many wait.
                                    {"queued.min.messages", "1000000"}};
  defaults.insert(defaults.end(), more.begin(), more.end());
  PT_LET(auto client, KafkaClient::Make(RD_KAFKA_CONSUMER, connection, ours, defaults));
  return std::unique_ptr<TopicReader>(new TopicReader(std::move(client)));
}

Status TopicReader::Assign(const Offsets& from) {
  assigned_ = from;
  ends_.clear();
  const RdPartitions list = PartitionList(client_->topic(), from);
  const auto error = rd_kafka_assign(client_->handle(), from.empty() ? nullptr : list.get());
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return Status::OK();
  return client_->FaultFor(error, "beginning to read");
}

Status TopicReader::TakeError(const rd_kafka_message_t& message) {
  switch (message.err) {
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
      ends_[message.partition] = message.offset;
      client_->SayServersUp();
      return Status::OK();
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
      PT_TRY(CheckStillThere(*client_, assigned_));
      break;
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR__FATAL:
      break;
    default:  // librdkafka tries again by itself.
      return Status::OK();
  }
  return client_->FaultFor(message.err, "reading the topic", rd_kafka_message_errstr(&message));
}

Result<size_t> TopicReader::Take(size_t most, milliseconds wait, MessagesByPartition& messages) {
  client_->Poll();
  PT_TRY(client_->Refused());
  taken_.resize(std::min<size_t>(most, 10'000));
  const auto count = rd_kafka_consume_batch_queue(
      queue_.get(), int(std::max<int64_t>(0, wait.count())), taken_.data(), taken_.size());
  Status status;
  size_t bytes = 0;
  for (ssize_t i = 0; i < count; ++i) {
    RdMessage message(taken_[size_t(i)]);
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (status.ok()) status = TakeError(*message);
      continue;
    }
    bytes += message->len + message->key_len + sizeof(rd_kafka_message_t);
    messages[message->partition].push_back(std::move(message));
  }
  if (bytes > 0) client_->SayServersUp();
  PT_TRY(status);
  return bytes;
}

int64_t TopicReader::KnownEnd(int32_t partition) const {
  int64_t low = 0, high = 0;
  const auto error = rd_kafka_get_watermark_offsets(client_->handle(), client_->topic().c_str(),
                                                    partition, &low, &high);
  return error == RD_KAFKA_RESP_ERR_NO_ERROR ? high : -1;
}

}  // namespace protium
