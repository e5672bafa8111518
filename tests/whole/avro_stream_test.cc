// SPDX-License-Identifier: Apache-2.0
// A stream over messages in Avro, killed again and again, whose schema registry goes away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <random>
#include <set>
#include <sstream>

#include "avro/encoding.h"
#include "kafka/testing/real_broker.h"
#include "kafka/testing/test_registry.h"
#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;
using protium::testing::Framed;
using protium::testing::RealBroker;
using protium::testing::TestMessage;
using protium::testing::TestRegistry;
using ::testing::HasSubstr;

namespace {

constexpr const char* kOld = R"({"type": "record", "name": "Visit", "fields": [
    {"name": "id", "type": "int"}, {"name": "price", "type": "float"}]})";
// Another order, wider types, a new field.
constexpr const char* kNew = R"({"type": "record", "name": "Visit", "fields": [
    {"name": "price", "type": "double"}, {"name": "id", "type": "long"},
    {"name": "shop", "type": ["null", "string"], "default": null}]})";

class AvroStreams : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { broker_ = RealBroker::Start(why_).release(); }
  static void TearDownTestSuite() { delete std::exchange(broker_, nullptr); }

  void SetUp() override {
    if (broker_ == nullptr) GTEST_SKIP() << why_;
    topic_ = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    broker_->MakeTopic(topic_, 2);
    registry_.emplace();
    registry_->Add(1, kOld);
    registry_->Add(2, kNew);
    registry_->SetNewest(topic_, kOld);
    WriteJob(fmt::format("registry = \"{}\"", registry_->url()));
  }
  void WriteJob(const std::string& schema) const {
    own_.Write("live.toml",
               fmt::format("name = \"live\"\n[stream]\nsource = {{ kafka = \"{}\", topic = \"{}\", "
                           "format = \"avro\", {} }}\nsink = {{ folder = \"out\", format = "
                           "\"jsonl\" }}\nbatch = {{ rows = 50, ms = 5 }}\n",
                           broker_->address(), topic_, schema));
  }
  // The first half by the old schema; each tenth message is damaged.
  void Send(int count) const {
    std::vector<TestMessage> messages;
    for (int id = 0; id < count; ++id) {
      std::string record;
      const bool old = id < count / 2;
      if (old) PutAvroLong(record, id);
      old ? PutAvroFloat(record, id) : PutAvroDouble(record, id);
      if (!old) PutAvroLong(record, id);
      if (!old) PutAvroNull(record);
      if (id % 10 == 9) record.pop_back();
      messages.push_back({.partition = id % 2, .value = Framed(old ? 1 : 2, record)});
    }
    broker_->Send(topic_, messages);
  }
  std::vector<std::string> Words(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"stream"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {own_ / "live.toml", "--streams-dir", own_ / "streams"});
    return words;
  }
  Running Start(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = Words({});
    words.insert(words.begin(), ProtiumCommand());
    words.insert(words.end(), more.begin(), more.end());
    return Running(words, own_.path());
  }
  int64_t Bytes(const std::string& name) const {
    std::error_code none;
    const auto bytes = fs::file_size(own_ / name, none);
    return none ? 0 : int64_t(bytes);
  }
  std::multiset<int64_t> Ids() const {
    std::multiset<int64_t> ids;
    for (const auto& each : fs::directory_iterator(own_ / "out")) {
      if (!each.path().filename().string().starts_with("batch-")) continue;
      std::istringstream lines(ReadText(each.path()));
      for (std::string line; std::getline(lines, line);) {
        const Json row = Json::parse(line);
        EXPECT_EQ(row["price"], row["id"]);
        ids.insert(WholeAt(row, "id"));
      }
    }
    return ids;
  }

  static RealBroker* broker_;
  static std::string why_;
  std::optional<TestRegistry> registry_;
  OwnJob own_;
  std::string topic_;
};
RealBroker* AvroStreams::broker_ = nullptr;
std::string AvroStreams::why_;

}  // namespace

TEST_F(AvroStreams, ScoreEachMessageOnceWhateverDiesAndVerifyWithoutTheRegistry) {
  constexpr int kMessages = 2000;
  Send(kMessages);
  std::mt19937 random(7);
  int kills = 0;
  for (int tries = 0; tries < 100; ++tries) {
    Running stream = Start({"--once"});
    const int64_t until = Bytes("streams/live/log.jsonl") + 1 + int64_t(random() % 4000);
    const bool reached =
        stream.AwaitChange(own_.path(), [&] { return Bytes("streams/live/log.jsonl") > until; });
    if (reached) stream.Signal(SIGKILL);
    const Outcome ended = stream.Wait();
    ASSERT_TRUE(ended.exit == 0 || ended.exit == -SIGKILL) << ended.err;
    if (ended.exit == 0) break;
    ++kills;
  }
  EXPECT_GE(kills, 2);
  std::multiset<int64_t> whole;
  for (int id = 0; id < kMessages; ++id) {
    if (id % 10 != 9) whole.insert(id);
  }
  EXPECT_EQ(Ids(), whole);

  registry_.reset();
  const Outcome verified = own_.Protium(Words({"verify", "--json"}));
  ASSERT_EQ(verified.exit, 0) << verified.err;
  EXPECT_GE(WholeAt(verified.json, "equal"), 20);
  const Outcome status = own_.Protium(Words({"status", "--json"}));
  EXPECT_EQ(WholeAt(status.json, "dead"), kMessages / 10);
}

TEST_F(AvroStreams, WaitForTheirRegistryAndSayWhomTheyWaitFor) {
  registry_->Answer(503);
  const Outcome start = Start({"--once"}).Wait();
  EXPECT_NE(start.exit, 0);
  EXPECT_THAT(start.err, HasSubstr("the schema registry does not respond"));
  EXPECT_THAT(start.err, HasSubstr("it answers 503"));

  registry_->Answer(0);
  ASSERT_EQ(Start({"--once"}).Wait().exit, 0);
  registry_->Answer(503);
  Send(20);
  Running stream = Start();
  ASSERT_TRUE(stream.AwaitChange(own_.path(), [&] {
    return registry_->asked() > 0 && Has(own_.Text("streams/live/status.json"), "running");
  }));
  registry_->Answer(0);
  ASSERT_TRUE(
      stream.AwaitChange(own_.path(), [&] { return Bytes("out/batch-000000000000.jsonl"); }));
  stream.Signal(SIGTERM);
  const Outcome ended = stream.Wait();
  EXPECT_EQ(ended.exit, 0) << ended.err;
}

TEST_F(AvroStreams, RefuseBeforeTheyStartWhatTheirSchemaCannotBe) {
  own_.Write("event.avsc", R"({"type": "record", "name": "Visit", "fields": [
      {"name": "id", "type": "long"}, {"name": "who", "type": {"type": "record", "name": "Person",
       "fields": [{"name": "name", "type": "string"}]}}]})");
  WriteJob("schema = \"event.avsc\"");
  const Outcome plan = own_.Protium({"plan", own_ / "live.toml"});
  EXPECT_EQ(plan.exit, 2);
  EXPECT_THAT(plan.err, HasSubstr("the field who is of the type record Person"));
  EXPECT_THAT(plan.err, HasSubstr("stream.source.schema"));
  WriteJob("pattern = \"*\"");
  EXPECT_THAT(own_.Protium({"plan", own_ / "live.toml"}).err,
              HasSubstr("messages in Avro need their schema"));
  WriteJob("registry = \"http://me:canary@host\"");
  const Outcome secret = own_.Protium({"plan", own_ / "live.toml"});
  EXPECT_THAT(secret.err, HasSubstr("the URL holds a password"));
}

}  // namespace protium::whole
