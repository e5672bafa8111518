// SPDX-License-Identifier: Apache-2.0
#include "kafka/avro_messages.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "avro/encoding.h"
#include "base/fault.h"
#include "kafka/message_rows.h"
#include "kafka/testing/test_registry.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

using protium::testing::Framed;
using protium::testing::TestRegistry;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr const char* kFirst = R"({"type": "record", "name": "Visit", "fields": [
    {"name": "id", "type": "int"}, {"name": "name", "type": "string"}]})";
constexpr const char* kSecond = R"({"type": "record", "name": "Visit", "fields": [
    {"name": "name", "type": "string"}, {"name": "id", "type": "long"},
    {"name": "shop", "type": ["null", "string"], "default": null}]})";
constexpr const char* kText = R"({"type": "record", "name": "Visit", "fields": [
    {"name": "id", "type": "string"}, {"name": "name", "type": "string"}]})";

std::string First(int64_t id, const std::string& name) {
  std::string bytes;
  PutAvroLong(bytes, id);
  PutAvroBytes(bytes, name);
  return bytes;
}
std::string Second(const std::string& name, int64_t id) {
  std::string bytes;
  PutAvroBytes(bytes, name);
  PutAvroLong(bytes, id);
  PutAvroNull(bytes);
  return bytes;
}

class AvroStream : public ::testing::Test {
 protected:
  AvroStream() {
    registry_.Add(1, kFirst);
    registry_.Add(2, kSecond);
    registry_.SetNewest("visits", kFirst);
    options_.format = MessageFormat::kAvro;
    options_.columns =
        arrow::schema({arrow::field("id", arrow::int64()), arrow::field("name", arrow::utf8())});
    options_.kafka.topic = "visits";
    options_.kafka.where = "stream.source";
    options_.kafka.patience = milliseconds(300);
    options_.kafka.note = [this](const std::string& note) { notes_.push_back(note); };
    options_.avro.registry = registry_.url();
    options_.avro.folder = folder_.path() / "schemas";
  }

  MessageRows Rows() const {
    auto rows = MessageRows::Make(options_);
    EXPECT_TRUE(rows.ok()) << rows.status();
    return *std::move(rows);
  }
  // What becomes of messages, all of whose schemas can be known.
  static StreamRows Read(MessageRows& rows, const std::vector<std::string>& messages) {
    for (const std::string& each : messages) EXPECT_TRUE(*rows.Learn(each));
    rows.SetUnknownSchemas(rows.TakeUnknownSchemas());
    for (const std::string& each : messages) {
      const Status added = rows.Add([] { return std::string("visits[0] at 7"); }, each);
      EXPECT_TRUE(added.ok()) << added;
    }
    return *rows.Finish();
  }
  static std::string Shown(const StreamRows& read) {
    std::string text;
    for (int64_t row = 0; row < read.rows->num_rows(); ++row) {
      for (const auto& column : read.rows->columns()) {
        text += column->GetScalar(row).ValueOrDie()->ToString() + " ";
      }
    }
    return text;
  }

  TemporaryFolder folder_ = *TemporaryFolder::Make();
  TestRegistry registry_;
  KafkaSourceOptions options_;
  std::vector<std::string> notes_;
};

}  // namespace

TEST_F(AvroStream, ReadsMessagesByTheSchemasTheyWereWrittenWith) {
  MessageRows rows = Rows();
  const StreamRows read =
      Read(rows, {Framed(1, First(7, "a")), Framed(2, Second("b", 8)), Framed(1, First(9, "c"))});
  EXPECT_EQ(Shown(read), "7 a 8 b 9 c ");
  EXPECT_TRUE(read.dead.empty());
  EXPECT_EQ(registry_.asked(), 3);
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_THAT(notes_[0], HasSubstr("column \"shop\" is not among those of the stream"));
}

TEST_F(AvroStream, KnowsItsSchemasWithoutTheRegistryLater) {
  const std::vector<std::string> messages = {Framed(2, Second("b", 8)), Framed(7, "x")};
  MessageRows first = Rows();
  const StreamRows before = Read(first, messages);
  registry_.Answer(503);
  options_.avro.registry = "http://127.0.0.1:9";  // Nobody is there.
  MessageRows again = Rows();
  again.SetUnknownSchemas({7});
  for (const std::string& each : messages) ASSERT_TRUE(again.Add([] { return ""; }, each).ok());
  const StreamRows after = *again.Finish();
  EXPECT_TRUE(after.rows->Equals(*before.rows));
  ASSERT_EQ(after.dead.size(), 1U);
  EXPECT_EQ(after.dead[0].reason, before.dead[0].reason);
}

TEST_F(AvroStream, MakesADeadLetterOfWhatCannotBecomeARow) {
  registry_.Add(3, kText);
  registry_.Add(4, "{}", "PROTOBUF");
  registry_.Add(5, R"({"type": "record", "name": "r", "fields": [{"name": "id", "type":
      {"type": "map", "values": "int"}}, {"name": "name", "type": "string"}]})");
  MessageRows rows = Rows();
  const std::pair<std::string, const char*> bad[] = {
      {"", "does not begin with a byte 0"},
      {R"({"id": 1})", "does not begin with a byte 0"},
      {Framed(1, "").substr(0, 4), "does not begin with a byte 0"},
      {Framed(1, ""), "the record is damaged: it ends in the midst of a number, at its byte 0"},
      {Framed(1, First(1, "a") + "b"), "1 bytes are left"},
      {Framed(3, "xx"),
       "schema 3: the field id is of the type string, and the stream's column \"id\" is int64"},
      {Framed(4, "xx"), "schema 4: the schema is one of PROTOBUF, not of Avro"},
      {Framed(5, "xx"), "schema 5: the field id is of the type map, which is no column"},
      {Framed(6, "xx"), "the schema registry has no schema 6"},
      {Framed(-1, "xx"), "the schema registry has no schema -1"}};
  std::vector<std::string> messages;
  for (const auto& [bytes, why] : bad) messages.push_back(bytes);
  messages.push_back(Framed(1, First(7, "a")));
  const StreamRows read = Read(rows, messages);
  EXPECT_EQ(Shown(read), "7 a ");
  ASSERT_EQ(read.dead.size(), std::size(bad));
  for (size_t i = 0; i < std::size(bad); ++i) {
    EXPECT_THAT(read.dead[i].reason, HasSubstr(bad[i].second));
    EXPECT_EQ(read.dead[i].bytes, bad[i].first);
    EXPECT_EQ(read.dead[i].place, "visits[0] at 7");
  }
}

TEST_F(AvroStream, TreatsFieldsThatAreNewAsTheJobSays) {
  options_.new_columns = NewColumns::kDead;
  MessageRows dead = Rows();
  const StreamRows read = Read(dead, {Framed(2, Second("b", 8))});
  ASSERT_EQ(read.dead.size(), 1U);
  EXPECT_EQ(read.dead[0].reason, "schema 2: the event has a new column, \"shop\"");
  options_.new_columns = NewColumns::kStop;
  MessageRows stops = Rows();
  const Status stopped = stops.Add([] { return "visits[0] at 7"; }, Framed(2, Second("b", 8)));
  EXPECT_EQ(FaultOf(stopped).what, "events have a new column, \"shop\"");
}

TEST_F(AvroStream, WaitsForARegistryThatIsAwayAndSaysSo) {
  MessageRows rows = Rows();
  registry_.Answer(503);
  EXPECT_FALSE(*rows.Learn(Framed(1, "")));
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_EQ(notes_[0], "the schema registry at " + registry_.url() +
                           " does not respond (it answers 503): waits");
  // It is not asked for each message.
  const int asked = registry_.asked();
  EXPECT_FALSE(*rows.Learn(Framed(1, "")));
  EXPECT_EQ(registry_.asked(), asked);
  registry_.Answer(0);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!*rows.Learn(Framed(1, "")) && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_TRUE(*rows.Learn(Framed(1, "")));
  EXPECT_EQ(notes_.back(), "the schema registry responds again");
  EXPECT_EQ(Shown(Read(rows, {Framed(1, First(7, "a"))})), "7 a ");
}

TEST_F(AvroStream, ThatRunsOnceDoesNotWaitForEver) {
  options_.avro.waits = false;
  MessageRows rows = Rows();
  registry_.Answer(500);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  Result<bool> learnt = rows.Learn(Framed(1, ""));
  while (learnt.ok() && !*learnt && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(milliseconds(50));
    learnt = rows.Learn(Framed(1, ""));
  }
  const Fault fault = FaultOf(learnt.status());
  EXPECT_EQ(fault.exit, Exit::kRemote);
  EXPECT_EQ(fault.what, "the schema registry does not respond");
  EXPECT_EQ(fault.where, registry_.url());
}

TEST_F(AvroStream, TakesItsColumnsFromTheNewestSchemaOfItsTopicAndKeepsThem) {
  options_.columns = nullptr;
  EXPECT_EQ(Rows().columns()->ToString(), "id: int64\nname: string");
  registry_.SetNewest("visits", kSecond);
  EXPECT_EQ(Rows().columns()->ToString(), "id: int64\nname: string");
}

TEST_F(AvroStream, RefusesAtItsStartWhatItCannotRead) {
  registry_.SetNewest("visits", kText);
  const Fault type = FaultOf(MessageRows::Make(options_).status());
  EXPECT_EQ(type.exit, Exit::kUsage);
  EXPECT_EQ(type.where, "stream.source.registry");
  EXPECT_THAT(type.what, HasSubstr("the field id is of the type string"));

  options_.columns = nullptr;
  options_.kafka.topic = "others";
  options_.avro.folder = folder_.path() / "others";
  const Fault none = FaultOf(MessageRows::Make(options_).status());
  EXPECT_THAT(none.what, HasSubstr("the schema registry has no schemas of others-value"));

  options_.avro.folder = folder_.path() / "again";
  registry_.Answer(503);
  const Fault away = FaultOf(MessageRows::Make(options_).status());
  EXPECT_EQ(away.exit, Exit::kRemote);
  EXPECT_EQ(away.why, "it answers 503");
}

TEST_F(AvroStream, TellsTheRegistryWhoItIsAndNobodyElse) {
  ::setenv("PT_REGISTRY_PASSWORD", "canary-of-the-registry", 1);
  registry_.AskFor("Basic bWU6Y2FuYXJ5LW9mLXRoZS1yZWdpc3RyeQ==");
  const Fault stranger = FaultOf(MessageRows::Make(options_).status());
  EXPECT_THAT(stranger.what, HasSubstr("answers 401"));
  options_.avro.registry = "http://me@" + registry_.url().substr(7);
  options_.avro.password.env = "PT_REGISTRY_PASSWORD";
  MessageRows rows = Rows();
  EXPECT_EQ(Shown(Read(rows, {Framed(1, First(7, "a"))})), "7 a ");
  registry_.AskFor("Basic other");
  options_.avro.folder = folder_.path() / "again";
  const Fault refused = FaultOf(MessageRows::Make(options_).status());
  EXPECT_THAT(refused.fix, HasSubstr("PT_REGISTRY_PASSWORD"));
  for (const std::string& text : {refused.what, refused.why, refused.fix, refused.where}) {
    EXPECT_EQ(text.find("canary"), std::string::npos);
  }
}

TEST_F(AvroStream, OfAFileHasRecordsAlone) {
  options_.avro = {.schema = kFirst};
  options_.columns = nullptr;
  MessageRows rows = Rows();
  const StreamRows read = Read(rows, {First(7, "a"), Framed(1, First(8, "b"))});
  EXPECT_EQ(Shown(read), "7 a ");
  ASSERT_EQ(read.dead.size(), 1U);
  EXPECT_THAT(read.dead[0].reason, HasSubstr("the record is damaged"));
  options_.avro.schema = "{}";
  EXPECT_EQ(FaultOf(MessageRows::Make(options_).status()).where,
            "stream.source.schema: the schema");
}

TEST_F(AvroStream, HasDefaultsOfAFileBesideTheRegistry) {
  options_.avro.schema = R"({"type": "record", "name": "Visit", "fields": [
      {"name": "id", "type": "long"}, {"name": "shop", "type": "string", "default": "web"}]})";
  options_.columns = nullptr;
  MessageRows rows = Rows();
  EXPECT_EQ(Shown(Read(rows, {Framed(1, First(7, "a")), Framed(2, Second("b", 8))})),
            "7 web 8 null ");
}

}  // namespace protium
