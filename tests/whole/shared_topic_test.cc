// SPDX-License-Identifier: Apache-2.0
// Several processes that share a topic of a real broker: whoever comes and dies, each message is
// written once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <set>

#include "kafka/testing/real_broker.h"
#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;
using protium::testing::RealBroker;
using protium::testing::TestMessage;
using std::chrono::seconds;
using ::testing::HasSubstr;

namespace {

constexpr int32_t kPartitions = 4;

class SharedTopics : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { broker_ = RealBroker::Start(why_).release(); }
  static void TearDownTestSuite() { delete std::exchange(broker_, nullptr); }

  void SetUp() override {
    if (broker_ == nullptr) GTEST_SKIP() << why_;
    name_ = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    broker_->MakeTopic(name_ + "-in", kPartitions);
    broker_->MakeTopic(name_ + "-out", 2);
    // So that they can be watched from the beginning.
    for (int32_t partition = 0; partition < kPartitions; ++partition) {
      fs::create_directories(own_ / fmt::format("streams/live/partition-{}", partition));
    }
  }

  // `sink` without its braces.
  void WriteJob(const std::string& sink, const std::string& more = "") const {
    own_.Write("live.toml",
               fmt::format("name = \"live\"\n[stream]\nsource = {{ kafka = \"{}\", topic = "
                           "\"{}-in\", divided = true }}\nsink = {{ {} }}\ncolumns = {{ id = "
                           "\"int64\" }}\nbatch = {{ rows = 50, ms = 5 }}\n{}",
                           broker_->address(), name_, sink, more));
  }
  std::string TopicSink() const {
    return fmt::format("kafka = \"{}\", topic = \"{}-out\"", broker_->address(), name_);
  }
  void Send(int first, int count) const {
    std::vector<TestMessage> messages;
    for (int id = first; id < first + count; ++id) {
      messages.push_back(
          {.partition = id % kPartitions, .value = fmt::format("{{\"id\": {}}}", id)});
    }
    broker_->Send(name_ + "-in", messages);
  }
  std::vector<std::string> Words(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {ProtiumCommand(), "stream", own_ / "live.toml",
                                      "--streams-dir", own_ / "streams"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // How many partitions run in the process, as their statuses say.
  int HeldBy(pid_t pid) const {
    int held = 0;
    for (int32_t partition = 0; partition < kPartitions; ++partition) {
      const std::string text =
          own_.Text(fmt::format("streams/live/partition-{}/status.json", partition));
      const Json status = Json::parse(text, nullptr, false);
      held += status.is_object() && TextAt(status, "state") == "running" &&
              WholeAt(status, "pid") == pid;
    }
    return held;
  }
  bool AwaitHeld(Running& process, int count) const {
    return process.AwaitChange(own_ / "streams/live",
                               [&] { return HeldBy(process.pid()) == count; });
  }
  Json Status() const {
    return own_
        .Protium(
            {"stream", "status", own_ / "live.toml", "--streams-dir", own_ / "streams", "--json"})
        .json;
  }
  bool AwaitRows(Running& process, int64_t rows) const {
    const auto written = [&] {
      int64_t sum = 0;
      for (int32_t partition = 0; partition < kPartitions; ++partition) {
        const Json status =
            Json::parse(own_.Text(fmt::format("streams/live/partition-{}/status.json", partition)),
                        nullptr, false);
        if (status.is_object()) sum += WholeAt(status, "rows");
      }
      return sum >= rows;
    };
    return process.AwaitChange(own_ / "streams/live", written);
  }
  // Each id from 0 up to and without `count` once.
  void ExpectWritten(const std::multiset<int64_t>& ids, int64_t count) const {
    EXPECT_EQ(int64_t(ids.size()), count);
    for (int64_t id = 0; id < count; ++id) EXPECT_EQ(ids.count(id), 1u) << id;
  }
  std::multiset<int64_t> IdsInTopic() const {
    std::multiset<int64_t> ids;
    for (const auto& [partition, values] : broker_->ReadAll(name_ + "-out")) {
      for (const std::string& each : values) ids.insert(WholeAt(Json::parse(each), "id"));
    }
    return ids;
  }

  static RealBroker* broker_;
  static std::string why_;
  OwnJob own_;
  std::string name_;
};
RealBroker* SharedTopics::broker_ = nullptr;
std::string SharedTopics::why_;

}  // namespace

TEST_F(SharedTopics, PassToOthersWhenAProcessDiesOrComes) {
  WriteJob(TopicSink());
  Send(0, 1000);
  Running first(Words(), own_.path());
  ASSERT_TRUE(AwaitHeld(first, 4)) << first.Wait().err;
  Running second(Words(), own_.path());
  ASSERT_TRUE(AwaitHeld(second, 2)) << second.Wait().err;
  ASSERT_TRUE(AwaitHeld(first, 2));
  Send(1000, 3000);
  // In the midst of it.
  ASSERT_TRUE(AwaitRows(second, 1500));
  first.Signal(SIGKILL);
  EXPECT_EQ(first.Wait().exit, -SIGKILL);
  ASSERT_TRUE(AwaitHeld(second, 4));
  Running third(Words(), own_.path());
  ASSERT_TRUE(AwaitHeld(third, 2)) << third.Wait().err;
  Send(4000, 1000);
  ASSERT_TRUE(AwaitRows(third, 5000)) << third.Wait().err;
  EXPECT_EQ(Status()["partitions"].size(), 4u);
  for (Running* each : {&second, &third}) each->Signal(SIGTERM);
  for (Running* each : {&second, &third}) {
    const Outcome ended = each->Wait();
    EXPECT_EQ(ended.exit, 0) << ended.err;
  }
  ExpectWritten(IdsInTopic(), 5000);
  EXPECT_EQ(Status()["rows"], 5000);
}

// Its clients wait for it, and transactions that were open are made again.
TEST_F(SharedTopics, OutliveTheirBroker) {
  WriteJob(TopicSink());
  Send(0, 2000);
  Running process(Words(), own_.path());
  for (const int64_t rows : {300, 3000}) {
    ASSERT_TRUE(AwaitRows(process, rows)) << process.Wait().err;
    broker_->Kill();
    Send(rows < 1000 ? 2000 : 4000, 2000);
  }
  ASSERT_TRUE(AwaitRows(process, 6000)) << process.Wait().err;
  process.Signal(SIGTERM);
  const Outcome ended = process.Wait();
  EXPECT_EQ(ended.exit, 0) << ended.err;
  ExpectWritten(IdsInTopic(), 6000);
}

TEST_F(SharedTopics, AreScoredIntoOneFolderByAsManyProcessesAsAreAskedFor) {
  WriteJob("folder = \"out\", format = \"jsonl\"");
  Send(0, 1000);
  Running both(Words({"--once", "--instances", "2"}), own_.path());
  const Outcome ended = both.Wait();
  ASSERT_EQ(ended.exit, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("1,000 rows since the stream began"));
  std::multiset<int64_t> ids;
  for (const auto& each : fs::directory_iterator(own_ / "out")) {
    std::istringstream lines(ReadText(each.path()));
    const bool batch = each.path().filename().string().starts_with("batch-");
    for (std::string line; batch && std::getline(lines, line);) {
      ids.insert(WholeAt(Json::parse(line), "id"));
    }
  }
  ExpectWritten(ids, 1000);
  const Outcome verified = own_.Protium(
      {"stream", "verify", own_ / "live.toml", "--streams-dir", own_ / "streams", "--json"});
  EXPECT_EQ(verified.exit, 0) << verified.err;
  EXPECT_GE(WholeAt(verified.json, "equal"), 4);
}

TEST_F(SharedTopics, StopOnceForAllAndGoOn) {
  WriteJob(TopicSink());
  Running process(Words(), own_.path());
  ASSERT_TRUE(AwaitHeld(process, 4)) << process.Wait().err;
  const auto ask = [&](const char* what) {
    return own_.Protium({"stream", what, own_ / "live.toml", "--streams-dir", own_ / "streams"});
  };
  EXPECT_EQ(ask("pause").exit, 0);
  ASSERT_TRUE(AwaitHeld(process, 0));
  EXPECT_EQ(Status()["state"], "paused");
  Send(0, 100);
  EXPECT_EQ(ask("resume").exit, 0);
  EXPECT_TRUE(AwaitRows(process, 100));
  process.Signal(SIGTERM);
  EXPECT_EQ(process.Wait().exit, 0);
  ExpectWritten(IdsInTopic(), 100);
}

TEST_F(SharedTopics, RefuseWhatNoPartitionKnowsByItself) {
  WriteJob(TopicSink(), "window = { time = \"at\", every = \"1 minute\" }\n");
  Running windows(Words(), own_.path());
  const Outcome refused = windows.Wait();
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.err, HasSubstr("divided by partitions has no windows"));
}

}  // namespace protium::whole
