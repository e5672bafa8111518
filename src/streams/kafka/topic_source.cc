// SPDX-License-Identifier: Apache-2.0
#include "kafka/topic_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "kafka/message_rows.h"
#include "kafka/topic_reader.h"

namespace protium {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

// A batch is full when its messages have so many bytes, too.
constexpr size_t kMostBytes = 128 << 20;
constexpr milliseconds kSlice{50};
// Of reading a stretch again, without any message.
constexpr std::chrono::seconds kReplayPatience{30};

milliseconds Until(SteadyClock::time_point end) {
  return std::chrono::ceil<milliseconds>(end - SteadyClock::now());
}

// nullopt: the message is null.
std::optional<std::string_view> BytesOf(const rd_kafka_message_t& message) {
  if (message.payload == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(message.payload), message.len);
}

class TopicSource : public StreamSource {
 public:
  TopicSource(KafkaSourceOptions options, std::unique_ptr<TopicReader> reader, MessageRows rows)
      : options_(std::move(options)), reader_(std::move(reader)), rows_(std::move(rows)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return rows_.columns(); }

  Status Start(const StreamPast& past) override {
    PT_LET(partitions_, reader_->client().Partitions());
    if (!past.state.is_null()) PT_TRY(Pass(past.state));
    for (const Json& stretch : past.stretches) PT_TRY(Pass(stretch));
    if (next_.empty()) {
      PT_LET(next_, StartOffsets(reader_->client(), partitions_, options_.start));
      std::erase_if(next_, [this](const auto& each) { return !IsOurs(each.first); });
    }
    PT_TRY(TakeNewPartitions());
    return CheckStillThere(reader_->client(), next_);
  }

  Result<Json> Next(const BatchLimits& limits, milliseconds patience,
                    const std::stop_token& stop) override {
    PT_TRY(GoOn());
    // What a stretch does not say yet waits for its schemas.
    if (!stretch_.is_null()) gathered_.clear();
    stretch_ = Json();
    const auto began = SteadyClock::now();
    size_t bytes = BytesGathered();
    while (gathered_.empty()) {
      // That nothing came is known only where the ends have been reached once.
      const milliseconds left =
          Until(began + (reached_ends() ? patience : FirstPatience(patience)));
      if (stop.stop_requested() || left.count() < 0) return NothingCame();
      PT_LET(bytes, reader_->Take(1, std::min(left, kSlice), gathered_));
    }
    SayIfBack();
    PT_TRY(Gather(limits, bytes));
    PT_LET(const bool known, AwaitSchemas(patience, stop));
    if (known) stretch_ = Describe();
    return stretch_;
  }

  Result<StreamRows> Read(const Json& stretch) override {
    PT_LET(const TopicStretch wanted, StretchFromJson(stretch, reader_->client().topic()));
    rows_.SetUnknownSchemas(wanted.unknown_schemas);
    if (!stretch_.is_null() && stretch == stretch_) return Decode(gathered_);
    PT_LET(const MessagesByPartition messages, ReadAgain(wanted));
    return Decode(messages);
  }

  Status Done(const Json& stretch) override {
    if (!assigned_) PT_TRY(Pass(stretch));  // A batch of an earlier process.
    PT_LET(const TopicStretch done, StretchFromJson(stretch, reader_->client().topic()));
    const RdPartitions list = PartitionList(done.topic, done.to);
    (void)rd_kafka_commit(reader_->client().handle(), list.get(), /*async=*/1);
    all_told_ = true;
    return Status::OK();
  }

  Json State() const override {
    return StretchToJson({.topic = options_.kafka.topic, .from = next_, .to = next_});
  }

  Result<StreamLag> Lag() override {
    StreamLag lag{.unit = "messages"};
    for (const auto& [partition, offset] : next_) {
      const auto reached = reader_->ends().find(partition);
      const int64_t at =
          reached == reader_->ends().end() ? offset : std::max(offset, reached->second);
      lag.waiting += std::max<int64_t>(0, reader_->KnownEnd(partition) - at);
    }
    return lag;
  }

 private:
  bool IsOurs(int32_t partition) const {
    return !options_.partition || *options_.partition == partition;
  }

  // Goes on behind a stretch.
  Status Pass(const Json& json) {
    PT_LET(const TopicStretch stretch, StretchFromJson(json, reader_->client().topic()));
    for (const auto& [partition, offset] : stretch.to) next_[partition] = offset;
    return Status::OK();
  }

  // Those that were made since the stream began are read from their first message on.
  Status TakeNewPartitions() {
    for (int32_t each = 0; each < partitions_; ++each) {
      if (next_.contains(each) || !IsOurs(each)) continue;
      PT_LET(const auto marks, reader_->client().Watermarks(each));
      next_[each] = marks.first;
    }
    return Status::OK();
  }

  Status GoOn() {
    const auto now = SteadyClock::now();
    if (assigned_ && (options_.partition || now < look_again_)) return Status::OK();
    look_again_ = now + options_.look_for_partitions;
    if (assigned_) {
      const int32_t found = reader_->client().PartitionsNow();
      if (found <= partitions_) return Status::OK();
      Note(fmt::format("topic {} has {} partitions now, {} before", options_.kafka.topic, found,
                       partitions_));
      partitions_ = found;
      PT_TRY(TakeNewPartitions());
      all_told_ = false;
    }
    assigned_ = true;
    gathered_.clear();  // Comes again, if no stretch says it yet.
    return reader_->Assign(next_);
  }

  bool reached_ends() const { return reader_->ends().size() >= next_.size(); }
  milliseconds FirstPatience(milliseconds patience) const {
    return reader_->client().servers_down() ? patience
                                            : std::max(patience, options_.kafka.patience);
  }

  Json NothingCame() {
    if (reader_->client().servers_down() && !std::exchange(said_down_, true)) {
      Note(fmt::format("no server of Kafka responds at {}: waits", options_.kafka.servers));
    }
    return Json();
  }
  void SayIfBack() {
    if (std::exchange(said_down_, false)) Note("Kafka responds again");
  }
  void Note(const std::string& line) const {
    if (options_.kafka.note) options_.kafka.note(line);
  }

  size_t CountGathered() const {
    size_t count = 0;
    for (const auto& [partition, messages] : gathered_) count += messages.size();
    return count;
  }

  size_t BytesGathered() const {
    size_t bytes = 0;
    for (const auto& [partition, messages] : gathered_) {
      for (const RdMessage& message : messages) bytes += message->len;
    }
    return bytes;
  }

  // False if the registry of schemas does not respond.
  Result<bool> LearnSchemas() {
    for (const auto& [partition, messages] : gathered_) {
      for (const RdMessage& message : messages) {
        PT_LET(const bool known, rows_.Learn(BytesOf(*message)));
        if (!known) return false;
      }
    }
    return true;
  }

  // A stream that runs once would end if it had to come again: it waits here.
  Result<bool> AwaitSchemas(milliseconds patience, const std::stop_token& stop) {
    const auto until = SteadyClock::now() + patience;
    while (true) {
      PT_LET(const bool known, LearnSchemas());
      const bool over = options_.avro.waits && SteadyClock::now() >= until;
      if (known || over || stop.stop_requested()) return known;
      std::this_thread::sleep_for(kSlice);
    }
  }

  // Adds what comes until the batch is full or its time is over.
  Status Gather(const BatchLimits& limits, size_t bytes) {
    const auto until = SteadyClock::now() + limits.gather;
    const size_t most = size_t(limits.rows);
    for (size_t count = CountGathered(); count < most && bytes < kMostBytes;) {
      const milliseconds left = Until(until);
      PT_LET(const size_t more,
             reader_->Take(most - count, std::clamp(left, milliseconds(0), kSlice), gathered_));
      bytes += more;
      count = CountGathered();
      if (left.count() <= 0) break;
    }
    return Status::OK();
  }

  // The stretch that was gathered; goes on behind it.
  Json Describe() {
    TopicStretch stretch{.topic = options_.kafka.topic,
                         .messages = int64_t(CountGathered()),
                         .unknown_schemas = rows_.TakeUnknownSchemas()};
    if (!all_told_) stretch.from = stretch.to = next_;
    for (const auto& [partition, messages] : gathered_) {
      stretch.from[partition] = next_[partition];
      stretch.to[partition] = next_[partition] = messages.back()->offset + 1;
    }
    return StretchToJson(stretch);
  }

  Result<StreamRows> Decode(const MessagesByPartition& messages) {
    int64_t newest_ms = -1;
    for (const auto& [partition, each] : messages) {
      for (const RdMessage& message : each) {
        rd_kafka_timestamp_type_t type;
        newest_ms = std::max(newest_ms, rd_kafka_message_timestamp(message.get(), &type));
        PT_TRY(Decode(*message));
      }
    }
    PT_LET(StreamRows rows, rows_.Finish());
    if (newest_ms >= 0) rows.newest_ms = newest_ms;
    return rows;
  }

  Status Decode(const rd_kafka_message_t& message) {
    const auto place = [&] {
      return fmt::format("{}[{}] at {}", options_.kafka.topic, message.partition, message.offset);
    };
    return rows_.Add(place, BytesOf(message));
  }

  // By a reader of its own, so that what this one has fetched ahead stays.
  Result<MessagesByPartition> ReadAgain(const TopicStretch& wanted) {
    if (again_ == nullptr) {
      // Partitions that are assigned wait until requests for others have been responded to.
      PT_LET(again_, TopicReader::Make(options_.kafka, {{"fetch.wait.max.ms", "10"}}));
    }
    Offsets left;  // What is not read yet.
    for (const auto& [partition, to] : wanted.to) {
      const auto from = wanted.from.find(partition);
      if (from != wanted.from.end() && from->second < to) left[partition] = from->second;
    }
    PT_TRY(CheckStillThere(again_->client(), left));
    PT_TRY(again_->Assign(left));
    Result<MessagesByPartition> read = ReadAssigned(wanted, std::move(left));
    PT_TRY(again_->Assign({}));
    return read;
  }

  Result<MessagesByPartition> ReadAssigned(const TopicStretch& wanted, Offsets left) {
    MessagesByPartition messages;
    auto until = SteadyClock::now() + kReplayPatience;
    while (!left.empty()) {
      PT_LET(const size_t bytes, again_->Take(10'000, kSlice, messages));
      if (bytes > 0) until = SteadyClock::now() + kReplayPatience;
      if (SteadyClock::now() > until) return reader_->client().NoServer();
      std::erase_if(left, [&](const auto& each) { return IsRead(each.first, wanted, messages); });
    }
    int64_t count = 0;
    for (auto& [partition, each] : messages) {
      const int64_t to = wanted.to.at(partition);
      while (!each.empty() && each.back()->offset >= to) each.pop_back();
      count += int64_t(each.size());
    }
    if (count == wanted.messages) return messages;
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("a batch of {} messages is to be made again, and topic {} has "
                                     "{} of them left",
                                     wanted.messages, wanted.topic, count),
                 .where = Dump(StretchToJson(wanted)),
                 .why = "Kafka has removed messages between those offsets, as a topic with "
                        "cleanup.policy=compact does"});
  }

  bool IsRead(int32_t partition, const TopicStretch& wanted,
              const MessagesByPartition& messages) const {
    const int64_t to = wanted.to.at(partition);
    const auto end = again_->ends().find(partition);
    if (end != again_->ends().end()) return true;
    const auto read = messages.find(partition);
    return read != messages.end() && !read->second.empty() && read->second.back()->offset >= to - 1;
  }

  KafkaSourceOptions options_;
  std::unique_ptr<TopicReader> reader_;
  std::unique_ptr<TopicReader> again_;
  MessageRows rows_;
  int32_t partitions_ = 0;
  Offsets next_;  // Where each partition goes on.
  bool assigned_ = false;
  bool all_told_ = false;  // Whether an earlier stretch or state has all partitions.
  bool said_down_ = false;
  SteadyClock::time_point look_again_;
  Json stretch_;                  // That Next() returned last,
  MessagesByPartition gathered_;  // and its messages.
};

}  // namespace

Result<int32_t> CountTopicPartitions(const KafkaConnection& connection) {
  PT_LET(const auto reader, TopicReader::Make(connection));
  return reader->client().Partitions();
}

Result<std::unique_ptr<StreamSource>> OpenTopicSource(const KafkaSourceOptions& options) {
  PT_LET(MessageRows rows, MessageRows::Make(options));
  PT_LET(auto reader, TopicReader::Make(options.kafka));
  PT_TRY(reader->client().Partitions());
  return std::make_unique<TopicSource>(options, std::move(reader), std::move(rows));
}

}  // namespace protium
