// SPDX-License-Identifier: Apache-2.0
#include "kafka/testing/real_broker.h"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <signal.h>
#include <unistd.h>

#include <functional>
#include <utility>

#include "base/text.h"
#include "os/file.h"

namespace protium::testing {

namespace fs = std::filesystem;

namespace {

constexpr int kPatienceMs = 20'000;

using Settings = std::vector<std::pair<std::string, std::string>>;

struct Destroy {
  void operator()(rd_kafka_t* client) const { rd_kafka_destroy(client); }
};
using Client = std::unique_ptr<rd_kafka_t, Destroy>;

Client MakeClient(rd_kafka_type_t type, const std::string& address, const Settings& settings = {}) {
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  char why[256] = "";
  rd_kafka_conf_set(conf, "bootstrap.servers", address.c_str(), why, sizeof(why));
  rd_kafka_conf_set(conf, "log_level", "0", why, sizeof(why));
  rd_kafka_conf_set(conf, "retry.backoff.ms", "5", why, sizeof(why));
  for (const auto& [name, value] : settings) {
    EXPECT_EQ(rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why, sizeof(why)),
              RD_KAFKA_CONF_OK)
        << why;
  }
  Client client(rd_kafka_new(type, conf, why, sizeof(why)));
  EXPECT_NE(client, nullptr) << why;
  return client;
}

// Runs one request of administration and waits for its result.
void Administer(const std::string& address,
                const std::function<void(rd_kafka_t*, rd_kafka_queue_t*)>& request) {
  const Client client = MakeClient(RD_KAFKA_PRODUCER, address);
  rd_kafka_queue_t* const queue = rd_kafka_queue_new(client.get());
  request(client.get(), queue);
  rd_kafka_event_t* const event = rd_kafka_queue_poll(queue, kPatienceMs);
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(rd_kafka_event_error(event), RD_KAFKA_RESP_ERR_NO_ERROR)
      << rd_kafka_event_error_string(event);
  rd_kafka_event_destroy(event);
  rd_kafka_queue_destroy(queue);
}

void Produce(rd_kafka_t* client, const std::string& topic, const TestMessage& message) {
  const char* const value = message.value ? message.value->data() : nullptr;
  const size_t bytes = message.value ? message.value->size() : 0;
  const auto error = rd_kafka_producev(
      client, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(message.partition),
      RD_KAFKA_V_VALUE(const_cast<char*>(value), bytes), RD_KAFKA_V_TIMESTAMP(message.time_ms),
      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
  ASSERT_EQ(error, RD_KAFKA_RESP_ERR_NO_ERROR) << rd_kafka_err2str(error);
}

void ExpectNone(rd_kafka_error_t* error) {
  EXPECT_EQ(error, nullptr) << rd_kafka_error_string(error);
  if (error != nullptr) rd_kafka_error_destroy(error);
}

}  // namespace

std::unique_ptr<RealBroker> RealBroker::Start(std::string& why) {
  const fs::path repository = PROTIUM_REPOSITORY;
  why = "no broker of Kafka is here: ./dev setup --test-servers";
  if (!fs::exists(repository / ".deps/kafka/made")) return nullptr;
  auto folder = TemporaryFolder::Make();
  why = "no temporary folder";
  if (!folder.ok()) return nullptr;
  std::unique_ptr<RealBroker> broker(new RealBroker(*std::move(folder)));
  auto started =
      broker->spawner_.Start({.program = repository / "scripts/kafka-broker",
                              .args = {"start", "--state", broker->state().string(), "--owner",
                                       std::to_string(::getpid()), "--lifetime", "600"},
                              .log = broker->folder_.path() / "start.log"});
  why = "the broker does not start";
  if (!started.ok()) return nullptr;
  const auto ended = started->Wait(Clock::now() + std::chrono::seconds(90));
  if (!ended.ok() || !*ended || (*ended)->code != 0) return nullptr;
  const auto read = [&](const char* name) {
    return std::string(Trimmed(ReadFile(broker->state() / name, 1 << 10).ValueOr("")));
  };
  broker->address_ = read("address");
  broker->password_address_ = read("password");
  return broker;
}

RealBroker::~RealBroker() { (void)Do("stop"); }

void RealBroker::Kill() { EXPECT_TRUE(Do("kill")); }

bool RealBroker::Do(const std::string& word) {
  auto asked = spawner_.Start({.program = fs::path(PROTIUM_REPOSITORY) / "scripts/kafka-broker",
                               .args = {word, state().string()},
                               .log = folder_.path() / (word + ".log")});
  if (!asked.ok()) return false;
  const auto ended = asked->Wait(Clock::now() + std::chrono::seconds(60));
  return ended.ok() && *ended && (*ended)->code == 0;
}

void RealBroker::Signal(int signal) {
  const auto text = ReadFile(state() / "broker.pid", 1 << 10).ValueOr("");
  const auto pid = AllAsNumber<int>(Trimmed(text));
  ASSERT_TRUE(pid);
  ASSERT_EQ(::kill(*pid, signal), 0);
}

void RealBroker::MakeTopic(const std::string& topic, int32_t partitions) {
  Administer(address_, [&](rd_kafka_t* client, rd_kafka_queue_t* queue) {
    rd_kafka_NewTopic_t* made = rd_kafka_NewTopic_new(topic.c_str(), partitions, 1, nullptr, 0);
    rd_kafka_CreateTopics(client, &made, 1, nullptr, queue);
    rd_kafka_NewTopic_destroy(made);
  });
}

void RealBroker::AddPartitions(const std::string& topic, int32_t partitions) {
  Administer(address_, [&](rd_kafka_t* client, rd_kafka_queue_t* queue) {
    rd_kafka_NewPartitions_t* more =
        rd_kafka_NewPartitions_new(topic.c_str(), size_t(partitions), nullptr, 0);
    rd_kafka_CreatePartitions(client, &more, 1, nullptr, queue);
    rd_kafka_NewPartitions_destroy(more);
  });
}

void RealBroker::Shorten(const std::string& topic, int32_t partition, int64_t before) {
  Administer(address_, [&](rd_kafka_t* client, rd_kafka_queue_t* queue) {
    rd_kafka_topic_partition_list_t* const list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic.c_str(), partition)->offset = before;
    rd_kafka_DeleteRecords_t* records = rd_kafka_DeleteRecords_new(list);
    rd_kafka_DeleteRecords(client, &records, 1, nullptr, queue);
    rd_kafka_DeleteRecords_destroy(records);
    rd_kafka_topic_partition_list_destroy(list);
  });
}

void RealBroker::Send(const std::string& topic, const std::vector<TestMessage>& messages) {
  const Client client = MakeClient(RD_KAFKA_PRODUCER, address_, {{"linger.ms", "5"}});
  for (const TestMessage& each : messages) Produce(client.get(), topic, each);
  EXPECT_EQ(rd_kafka_flush(client.get(), kPatienceMs), RD_KAFKA_RESP_ERR_NO_ERROR);
}

void RealBroker::SendInTransaction(const std::string& topic,
                                   const std::vector<TestMessage>& messages,
                                   const std::string& transactional_id, End end) {
  const Client client =
      MakeClient(RD_KAFKA_PRODUCER, address_, {{"transactional.id", transactional_id}});
  ExpectNone(rd_kafka_init_transactions(client.get(), kPatienceMs));
  ExpectNone(rd_kafka_begin_transaction(client.get()));
  for (const TestMessage& each : messages) Produce(client.get(), topic, each);
  EXPECT_EQ(rd_kafka_flush(client.get(), kPatienceMs), RD_KAFKA_RESP_ERR_NO_ERROR);
  if (end == End::kCommit) ExpectNone(rd_kafka_commit_transaction(client.get(), kPatienceMs));
  if (end == End::kAbort) ExpectNone(rd_kafka_abort_transaction(client.get(), kPatienceMs));
}

std::map<int32_t, std::vector<std::string>> RealBroker::ReadAll(const std::string& topic) {
  const Client client = MakeClient(RD_KAFKA_CONSUMER, address_,
                                   {{"group.id", "test"},
                                    {"enable.auto.commit", "false"},
                                    {"isolation.level", "read_committed"},
                                    {"fetch.wait.max.ms", "10"},
                                    {"enable.partition.eof", "true"}});
  std::map<int32_t, std::vector<std::string>> values;
  const rd_kafka_metadata_t* metadata = nullptr;
  EXPECT_EQ(rd_kafka_metadata(client.get(), 1, nullptr, &metadata, kPatienceMs),
            RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_topic_partition_list_t* const list = rd_kafka_topic_partition_list_new(1);
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    if (topic != metadata->topics[i].topic) continue;
    for (int each = 0; each < metadata->topics[i].partition_cnt; ++each) {
      rd_kafka_topic_partition_list_add(list, topic.c_str(), each)->offset = 0;
      values[each];
    }
  }
  rd_kafka_metadata_destroy(metadata);
  rd_kafka_assign(client.get(), list);
  for (int ends = 0; ends < list->cnt;) {
    rd_kafka_message_t* const message = rd_kafka_consumer_poll(client.get(), kPatienceMs);
    EXPECT_NE(message, nullptr);
    if (message == nullptr) break;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      ++ends;
    } else if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      values[message->partition].emplace_back(static_cast<const char*>(message->payload),
                                              message->len);
    }
    rd_kafka_message_destroy(message);
  }
  rd_kafka_topic_partition_list_destroy(list);
  return values;
}

int64_t RealBroker::Committed(const std::string& group, const std::string& topic,
                              int32_t partition) {
  const Client client = MakeClient(RD_KAFKA_CONSUMER, address_, {{"group.id", group}});
  rd_kafka_topic_partition_list_t* const list = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(list, topic.c_str(), partition);
  EXPECT_EQ(rd_kafka_committed(client.get(), list, kPatienceMs), RD_KAFKA_RESP_ERR_NO_ERROR);
  const int64_t offset = list->elems[0].offset;
  rd_kafka_topic_partition_list_destroy(list);
  return offset < 0 ? -1 : offset;
}

}  // namespace protium::testing
