// SPDX-License-Identifier: Apache-2.0
// Messages in Avro, of a real broker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/testing/test_registry.h"
#include "kafka/testing/topic_test.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

using protium::testing::Framed;
using protium::testing::TestRegistry;
using ::testing::HasSubstr;

}  // namespace

TEST_F(Kafka, MessagesInAvroWaitForTheirSchemasAndKeepThem) {
  broker_->MakeTopic(in_, 1);
  std::optional<TestRegistry> registry(std::in_place);
  const auto record = [](const char* type) {
    return fmt::format(R"({{"type": "record", "name": "r", "fields": [{{"name": "id", "type":
        "{}"}}, {{"name": "name", "type": "string"}}]}})",
                       type);
  };
  registry->Add(1, record("int"));
  registry->SetNewest(in_, record("int"));
  KafkaSourceOptions options = SourceOptions();
  const TemporaryFolder folder = *TemporaryFolder::Make();
  options.format = MessageFormat::kAvro;
  options.avro = {.registry = registry->url(), .folder = folder.path()};
  std::vector<std::string> notes;
  options.kafka.note = [&](const std::string& note) { notes.push_back(note); };
  const auto source = Source(options);

  const std::string first(
      "\x0e\x02"
      "a"),
      second(
          "\x10\x02"
          "b");  // Ids 7 and 8.
  broker_->Send(in_, {{.value = Framed(1, first)}, {.value = Framed(2, second)}});
  registry->Answer(503);
  EXPECT_TRUE(
      source->Next({.rows = 2, .gather = milliseconds(500)}, milliseconds(100), {})->is_null());
  EXPECT_THAT(notes.back(), HasSubstr("does not respond (it answers 503): waits"));
  EXPECT_EQ(source->Lag()->unit, "messages");
  registry->Add(2, record("long"));
  registry->Answer(0);
  const Json stretch = NextOf(*source, {.rows = 2, .gather = milliseconds(500)});
  EXPECT_EQ(stretch["messages"], 2);
  EXPECT_EQ(stretch["from"]["0"], 0);
  const auto read = source->Read(stretch);
  EXPECT_EQ(Ids(*read->rows), (std::vector<int64_t>{7, 8}));

  // Unknown to the registry when its batch begins, and so whenever it is made again.
  broker_->Send(in_, {{.value = Framed(3, first)}, {.value = Framed(1, second)}});
  const Json later = NextOf(*source, {.rows = 2, .gather = milliseconds(5000)});
  EXPECT_EQ(later["unknown_schemas"], Json({3}));
  const auto dead = source->Read(later);
  ASSERT_EQ(dead->dead.size(), 1U);
  EXPECT_EQ(dead->dead[0].place, in_ + "[0] at 2");
  EXPECT_EQ(dead->dead[0].reason, "the schema registry has no schema 3");
  registry.reset();
  const auto again = Source(options, {.stretches = {stretch, later}});
  EXPECT_TRUE(again->Read(stretch)->rows->Equals(*read->rows));
  const auto dead_again = again->Read(later);
  EXPECT_TRUE(dead_again->rows->Equals(*dead->rows));
  EXPECT_EQ(dead_again->dead.size(), 1U);
}

}  // namespace protium
