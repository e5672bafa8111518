// SPDX-License-Identifier: Apache-2.0
// A broker for all tests of topics, each of which has topics of its own.
#pragma once

#include <arrow/array.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kafka/testing/real_broker.h"
#include "kafka/topic_sink.h"
#include "kafka/topic_source.h"

namespace protium {

using protium::testing::RealBroker;
using protium::testing::TestMessage;
using std::chrono::milliseconds;

inline constexpr milliseconds kPatience{10'000};

// The log of a stream, and what dies.
struct Log {
  StreamPast past;
  std::optional<Json> open;
  int64_t number = 0;
};
enum class Dies { kNot, kBegun, kRead, kWriting, kWritten };

class Kafka : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { broker_ = RealBroker::Start(why_).release(); }
  static void TearDownTestSuite() { delete std::exchange(broker_, nullptr); }

  void SetUp() override {
    if (broker_ == nullptr) GTEST_SKIP() << why_;
    in_ = Name() + "-in";
    out_ = Name() + "-out";
  }
  static std::string Name() {
    return ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  KafkaConnection To(const std::string& topic, const std::string& where) const {
    return {.servers = broker_->address(), .topic = topic, .name = Name(), .where = where};
  }
  KafkaSourceOptions SourceOptions() const {
    return {.kafka = To(in_, "stream.source"),
            .columns = arrow::schema(
                {arrow::field("id", arrow::int64()), arrow::field("name", arrow::utf8())})};
  }
  KafkaSinkOptions SinkOptions() const { return {.kafka = To(out_, "stream.sink")}; }

  static std::unique_ptr<StreamSource> Source(const KafkaSourceOptions& options,
                                              const StreamPast& past = {}) {
    auto source = OpenTopicSource(options);
    EXPECT_TRUE(source.ok()) << source.status();
    if (!source.ok()) return nullptr;
    const Status started = (*source)->Start(past);
    EXPECT_TRUE(started.ok()) << started;
    return *std::move(source);
  }
  static std::unique_ptr<StreamSink> Sink(const KafkaSinkOptions& options,
                                          const arrow::Schema& columns) {
    auto sink = OpenTopicSink(options);
    EXPECT_TRUE(sink.ok()) << sink.status();
    if (!sink.ok()) return nullptr;
    const Status started = (*sink)->Start(columns);
    EXPECT_TRUE(started.ok()) << started;
    return *std::move(sink);
  }

  // Messages {"id": first}, ... in turn to the partitions.
  static std::vector<TestMessage> Numbered(int64_t first, int64_t count, int32_t partitions) {
    std::vector<TestMessage> messages;
    for (int64_t id = first; id < first + count; ++id) {
      messages.push_back(
          {.partition = int32_t(id % partitions),
           .value = fmt::format("{{\"id\": {}, \"name\": \"visitor {}\"}}", id, id)});
    }
    return messages;
  }

  static std::vector<int64_t> Ids(const arrow::RecordBatch& rows) {
    const auto& ids = static_cast<const arrow::Int64Array&>(*rows.column(0));
    return {ids.raw_values(), ids.raw_values() + ids.length()};
  }

  static Json NextOf(StreamSource& source, const BatchLimits& limits = {}) {
    const auto stretch = source.Next(limits, kPatience, {});
    EXPECT_TRUE(stretch.ok()) << stretch.status();
    return stretch.ValueOr(Json());
  }

  // The ids of all messages that `out_` has.
  std::vector<int64_t> Written() const {
    std::vector<int64_t> ids;
    for (const auto& [partition, values] : broker_->ReadAll(out_)) {
      for (const std::string& value : values)
        ids.push_back(Json::parse(value)["id"].get<int64_t>());
    }
    std::ranges::sort(ids);
    return ids;
  }

  // One process: makes again what is open, then batches until nothing is left or it dies.
  void Live(Log& log, Dies dies);
  void Finish(Log& log, StreamSource& source, StreamSink& sink, bool written);
  static void End(Log& log, StreamSource& source);

  static inline RealBroker* broker_ = nullptr;
  static inline std::string why_;
  std::string in_, out_;
};

}  // namespace protium
