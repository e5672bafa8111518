// SPDX-License-Identifier: Apache-2.0
#include "kafka/topic_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/text.h"
#include "kafka/client.h"
#include "kafka/message_texts.h"
#include "kafka/offsets.h"

namespace protium {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr std::string_view kBatch = "batch ";
constexpr size_t kAtOnce = 1000;    // Messages that are handed to librdkafka together.
constexpr int kBetweenTries = 100;  // Milliseconds.

// How a try to write a batch ended.
enum class Tried { kWritten, kAgain };

class TopicSink : public StreamSink {
 public:
  explicit TopicSink(KafkaSinkOptions options)
      : options_(std::move(options)),
        group_("protium-stream-" + options_.kafka.name + ".written") {}

  Status Open() {
    const KafkaClient::Settings ours = {{"group.id", group_},
                                        {"enable.auto.commit", "false"},
                                        {"isolation.level", "read_committed"}};
    KafkaConnection connection = options_.kafka;
    connection.settings = ForConsumers(connection.settings);
    PT_LET(offsets_, KafkaClient::Make(RD_KAFKA_CONSUMER, connection, ours, {}));
    PT_LET(partitions_, offsets_->Partitions());
    return MakeProducer();
  }

  Status Start(const arrow::Schema& rows) override {
    PT_LET(texts_, MessageTexts::Make(rows, options_));
    return once() ? Take(Until()) : Status::OK();
  }

  Result<std::optional<int64_t>> Newest() override {
    if (!once()) return std::optional<int64_t>();
    const RdPartitions list = PartitionList(topic(), {{0, RD_KAFKA_OFFSET_INVALID}});
    auto error = RD_KAFKA_RESP_ERR__TIMED_OUT;
    for (const auto until = Until(); SteadyClock::now() < until && !stopped();) {
      error = rd_kafka_committed(offsets_->handle(), list.get(), 1000);
      offsets_->Poll();
      PT_TRY(offsets_->Refused());
      if (error == RD_KAFKA_RESP_ERR_NO_ERROR) error = list->elems[0].err;
      if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return NumberIn(list->elems[0]);
    }
    if (stopped()) return Status::Cancelled("stopped");
    return offsets_->FaultFor(error, "asking which batch was written last");
  }

  Status Write(const ScoredBatch& batch) override {
    const auto until = Until(options_.most);
    while (true) {
      PT_LET(const Tried tried, once() ? WriteOnce(batch, until) : WriteAtLeastOnce(batch, until));
      if (tried == Tried::kWritten) return Status::OK();
      if (SteadyClock::now() >= until) return producer_->NoServer();
    }
  }

 private:
  bool once() const { return options_.delivery == Delivery::kOnce; }
  bool stopped() const { return options_.kafka.stop.stop_requested(); }
  const std::string& topic() const { return options_.kafka.topic; }
  SteadyClock::time_point Until() const { return Until(options_.kafka.patience); }
  static SteadyClock::time_point Until(milliseconds time) { return SteadyClock::now() + time; }
  static int Left(SteadyClock::time_point until) {
    const auto left = std::chrono::ceil<milliseconds>(until - SteadyClock::now()).count();
    return int(std::clamp<int64_t>(left, 1, 1000));
  }
  std::string doing(int64_t number) const {
    return fmt::format("writing batch {} to topic {}", number, topic());
  }

  // Settings of a producer alone would be refused: only those for the way to the servers are kept.
  static Json ForConsumers(const Json& settings) {
    Json kept = Json::object();
    for (const auto& [name, value] : settings.items()) {
      for (const char* part : {"security.", "sasl.", "ssl.", "broker.", "client.", "socket."}) {
        if (name.starts_with(part)) kept[name] = value;
      }
    }
    return kept;
  }

  Status MakeProducer() {
    KafkaClient::Settings ours = {{"enable.idempotence", "true"}, {"acks", "all"}};
    if (once()) {
      ours.emplace_back("transactional.id", "protium-stream-" + options_.kafka.name);
      ours.emplace_back("transaction.timeout.ms", std::to_string(options_.most.count()));
      ours.emplace_back("message.timeout.ms", std::to_string(options_.most.count()));
    }
    // A short wait before librdkafka asks again is most of the time of a small transaction.
    const KafkaClient::Settings defaults = {{"retry.backoff.ms", "5"},
                                            {"partitioner", "murmur2_random"}};
    handle_.reset();
    PT_LET(producer_, KafkaClient::Make(RD_KAFKA_PRODUCER, options_.kafka, ours, defaults));
    handle_.reset(rd_kafka_topic_new(producer_->handle(), topic().c_str(), nullptr));
    return Status::OK();
  }

  // Ends what an earlier process with this name had begun, and takes its place.
  Status Take(SteadyClock::time_point until) {
    while (true) {
      const RdError error(rd_kafka_init_transactions(producer_->handle(), Left(until)));
      producer_->Poll();
      PT_TRY(producer_->Refused());
      if (error == nullptr) return Status::OK();
      if (stopped()) return Status::Cancelled("stopped");
      const bool again = rd_kafka_error_is_retriable(error.get()) != 0;
      if (!again || SteadyClock::now() >= until) {
        return producer_->FaultFor(rd_kafka_error_code(error.get()), "beginning transactions",
                                   rd_kafka_error_string(error.get()));
      }
    }
  }

  static Result<std::optional<int64_t>> NumberIn(const rd_kafka_topic_partition_t& committed) {
    if (committed.offset < 0) return std::optional<int64_t>(-1);
    const std::string_view text(static_cast<const char*>(committed.metadata),
                                committed.metadata == nullptr ? 0 : committed.metadata_size);
    if (text.starts_with(kBatch)) {
      const auto number = AllAsNumber<int64_t>(text.substr(kBatch.size()));
      if (number) return std::optional(*number);
    }
    return Fail({.exit = Exit::kInput,
                 .what = "the stream's group at Kafka holds an offset that is not from a stream"});
  }

  Result<Tried> WriteOnce(const ScoredBatch& batch, SteadyClock::time_point until) {
    const auto began = SteadyClock::now();
    rd_kafka_t* const handle = producer_->handle();
    (void)producer_->TakeUndelivered();
    RdError error(rd_kafka_begin_transaction(handle));
    if (error != nullptr) return Recover(std::move(error), batch.number, began);
    PT_TRY(Produce(batch, until));
    error = SendNumber(batch.number, until);
    if (error == nullptr) error = Commit(until);
    producer_->Poll();
    if (error == nullptr) return Tried::kWritten;
    return Recover(std::move(error), batch.number, began);
  }

  RdError SendNumber(int64_t number, SteadyClock::time_point until) {
    const RdPartitions list = PartitionList(topic(), {{0, number}});
    const std::string name = std::string(kBatch) + std::to_string(number);
    list->elems[0].metadata = ::strdup(name.c_str());  // The list frees it.
    list->elems[0].metadata_size = name.size();
    const std::unique_ptr<rd_kafka_consumer_group_metadata_t, DestroyRd> group(
        rd_kafka_consumer_group_metadata_new(group_.c_str()));
    return Repeat(until, [&](int wait) {
      return rd_kafka_send_offsets_to_transaction(producer_->handle(), list.get(), group.get(),
                                                  wait);
    });
  }

  RdError Commit(SteadyClock::time_point until) {
    return Repeat(until,
                  [&](int wait) { return rd_kafka_commit_transaction(producer_->handle(), wait); });
  }

  // Calls of transactions go on where they were when they are called again.
  template <class Call>
  RdError Repeat(SteadyClock::time_point until, const Call& call) {
    while (true) {
      RdError error(call(Left(until)));
      if (error == nullptr || !rd_kafka_error_is_retriable(error.get())) return error;
      if (SteadyClock::now() >= until) return error;
    }
  }

  // Makes the producer fit for another try, or says why there is none.
  Result<Tried> Recover(RdError error, int64_t number, SteadyClock::time_point began) {
    PT_TRY(producer_->Refused());
    if (rd_kafka_error_txn_requires_abort(error.get())) {
      const RdError aborted = Repeat(
          Until(), [&](int wait) { return rd_kafka_abort_transaction(producer_->handle(), wait); });
      producer_->Poll();
      PT_TRY(CheckWorthAgain(number));
      if (aborted == nullptr) return Tried::kAgain;
      if (!rd_kafka_error_is_fatal(aborted.get())) {
        return producer_->FaultFor(rd_kafka_error_code(aborted.get()), doing(number));
      }
    } else if (!rd_kafka_error_is_fatal(error.get())) {
      return producer_->FaultFor(rd_kafka_error_code(error.get()), doing(number),
                                 rd_kafka_error_string(error.get()));
    }
    return Fatal(number, began);
  }

  // Some messages are refused whenever they are sent.
  Status CheckWorthAgain(int64_t number) {
    const Undelivered undelivered = producer_->TakeUndelivered();
    switch (undelivered.first) {
      case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
      case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
      case RD_KAFKA_RESP_ERR_INVALID_RECORD:
      case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
      case RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS:
        return producer_->FaultFor(undelivered.first, doing(number));
      default:
        rd_kafka_poll(producer_->handle(), kBetweenTries);
        return producer_->Refused();
    }
  }

  Status Fatal(int64_t number, SteadyClock::time_point began) const {
    char why[512] = "";
    const auto code = rd_kafka_fatal_error(producer_->handle(), why, sizeof(why));
    const bool fenced = code == RD_KAFKA_RESP_ERR__FENCED ||
                        code == RD_KAFKA_RESP_ERR_PRODUCER_FENCED ||
                        code == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH;
    if (!fenced) return producer_->FaultFor(code, doing(number), why);
    if (SteadyClock::now() - began >= options_.most) {
      return Fail({.exit = Exit::kStalled,
                   .what = fmt::format("batch {} was not written within {} s, and Kafka has ended "
                                       "its transaction",
                                       number, options_.most.count() / 1000),
                   .where = "topic " + topic(),
                   .fix = "start the stream again: it makes the batch again"});
    }
    return Fail(
        {.exit = Exit::kRemote,
         .what = "another process has taken over this stream",
         .where = fmt::format("topic {} at {}", topic(), options_.kafka.servers),
         .why = fmt::format("Kafka takes transactions of protium-stream-{} from the process "
                            "that began last",
                            options_.kafka.name),
         .fix = "stop one of the two"});
  }

  Result<Tried> WriteAtLeastOnce(const ScoredBatch& batch, SteadyClock::time_point until) {
    PT_TRY(Produce(batch, until));
    while (rd_kafka_flush(producer_->handle(), Left(until)) != RD_KAFKA_RESP_ERR_NO_ERROR) {
      PT_TRY(producer_->Refused());
      if (SteadyClock::now() >= until) return producer_->NoServer();
    }
    const Undelivered undelivered = producer_->TakeUndelivered();
    if (undelivered.messages == 0) return Tried::kWritten;
    return Fail({.exit = Exit::kRemote,
                 .what = fmt::format("{} failed: {} of {} messages were not delivered: {}",
                                     doing(batch.number), undelivered.messages,
                                     batch.rows->num_rows(), rd_kafka_err2str(undelivered.first)),
                 .where = "Kafka at " + options_.kafka.servers,
                 .fix = "start the stream again: it makes the batch again"});
  }

  // Hands all rows to librdkafka. What goes wrong with a transaction is told when it is committed.
  Status Produce(const ScoredBatch& batch, SteadyClock::time_point until) {
    const int64_t rows = batch.rows->num_rows();
    const int32_t partition =
        texts_->has_key() ? RD_KAFKA_PARTITION_UA : int32_t(batch.number % partitions_);
    for (int64_t first = 0; first < rows; first += int64_t(kAtOnce)) {
      const int64_t count = std::min(rows - first, int64_t(kAtOnce));
      MakeMessages(*batch.rows, first, count);
      PT_TRY(Hand(partition, batch.number, until));
    }
    return Status::OK();
  }

  // Sets messages_, which point into text_.
  void MakeMessages(const arrow::RecordBatch& rows, int64_t first, int64_t count) {
    text_.clear();
    ends_.clear();
    messages_.assign(size_t(count), {});
    for (int64_t row = first; row < first + count; ++row) {
      texts_->Append(rows, row, text_);
      ends_.push_back(text_.size());
      has_key_.resize(ends_.size());
      if (texts_->has_key()) has_key_[ends_.size() - 1] = texts_->AppendKey(rows, row, text_);
      key_ends_.resize(ends_.size());
      key_ends_[ends_.size() - 1] = text_.size();
    }
    size_t at = 0;
    for (size_t i = 0; i < messages_.size(); ++i) {
      messages_[i].payload = text_.data() + at;
      messages_[i].len = ends_[i] - at;
      if (texts_->has_key() && has_key_[i]) {
        messages_[i].key = text_.data() + ends_[i];
        messages_[i].key_len = key_ends_[i] - ends_[i];
      }
      at = key_ends_[i];
    }
  }

  // Waits while librdkafka's queue is full.
  Status Hand(int32_t partition, int64_t number, SteadyClock::time_point until) {
    while (!messages_.empty()) {
      rd_kafka_produce_batch(handle_.get(), partition, RD_KAFKA_MSG_F_COPY, messages_.data(),
                             int(messages_.size()));
      const auto handed = [](const rd_kafka_message_t& each) {
        return each.err == RD_KAFKA_RESP_ERR_NO_ERROR;
      };
      const auto refused = std::ranges::find_if_not(messages_, handed);
      if (refused != messages_.end() && refused->err != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
        const bool ended =
            refused->err == RD_KAFKA_RESP_ERR__STATE || refused->err == RD_KAFKA_RESP_ERR__FATAL;
        if (once() && ended) return Status::OK();  // So has the transaction, and it says why.
        return Refused(*refused, number);
      }
      std::erase_if(messages_, handed);
      for (rd_kafka_message_t& each : messages_) each.err = RD_KAFKA_RESP_ERR_NO_ERROR;
      rd_kafka_poll(producer_->handle(), messages_.empty() ? 0 : 10);
      if (!messages_.empty() && SteadyClock::now() >= until) return producer_->NoServer();
    }
    return Status::OK();
  }

  Status Refused(const rd_kafka_message_t& message, int64_t number) const {
    if (message.err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
      return Fail(
          {.exit = Exit::kInput,
           .what = fmt::format("a row of batch {} is a message of {} bytes, more than Kafka "
                               "is to take",
                               number, message.len),
           .where = "stream.sink",
           .fix = "settings = { \"message.max.bytes\" = 10000000 }, for the topic, too; or "
                  "fewer columns"});
    }
    return producer_->FaultFor(message.err, doing(number));
  }

  KafkaSinkOptions options_;
  std::string group_;
  std::unique_ptr<KafkaClient> offsets_;  // Reads which batch was written last.
  std::unique_ptr<KafkaClient> producer_;
  RdTopic handle_;  // Goes before its producer.
  int32_t partitions_ = 1;
  std::optional<MessageTexts> texts_;
  std::vector<rd_kafka_message_t> messages_;
  std::string text_;
  std::vector<size_t> ends_, key_ends_;
  std::vector<bool> has_key_;
};

}  // namespace

Result<std::unique_ptr<StreamSink>> OpenTopicSink(const KafkaSinkOptions& options) {
  auto sink = std::make_unique<TopicSink>(options);
  PT_TRY(sink->Open());
  return std::unique_ptr<StreamSink>(std::move(sink));
}

}  // namespace protium
