// SPDX-License-Identifier: Apache-2.0
// Streams that Spark runs from and into topics of a real broker, and into tables of Delta.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <string>
#include <vector>

#include "kafka/testing/real_broker.h"
#include "whole/live_streams.h"
#include "whole/spark_with_jars.h"

namespace protium::whole {

using protium::testing::RealBroker;
using protium::testing::TestMessage;
using ::testing::HasSubstr;

namespace {

// A machine as an object in JSON; of some, a value is missing or null.
std::string Machine(int id) {
  const char* const kind = id % 3 == 0 ? "press" : id % 3 == 1 ? "lathe" : "mill";
  const std::string load = id % 17 == 5 ? "null" : fmt::format("{}", id * 37 % 101 / 10.0);
  const std::string age = id % 19 == 3 ? "" : fmt::format(", \"age\": {}", id * 7 % 23);
  return fmt::format("{{\"id\": {}, \"kind\": \"{}\", \"load\": {}{}}}", id, kind, load, age);
}

}  // namespace

class SparkTopics : public Streams {
 protected:
  static void SetUpTestSuite() {
    Streams::SetUpTestSuite();
    spark_ = SparkWithJars::Start(why_);
    if (spark_ != nullptr) broker_ = RealBroker::Start(why_).release();
  }
  static void TearDownTestSuite() {
    delete std::exchange(broker_, nullptr);
    Streams::TearDownTestSuite();
  }

  void SetUp() override {
    if (broker_ == nullptr) GTEST_SKIP() << why_;
    name_ = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    broker_->MakeTopic(name_, 2);
  }

  // `engine` may be "local".
  void WriteJob(const std::string& engine, const std::string& sink,
                const std::string& topic = "") const {
    std::string job = With(kStream, "folder = \"in\", pattern = \"*.csv\"",
                           fmt::format("kafka = \"{}\", topic = \"{}\"", broker_->address(),
                                       topic.empty() ? name_ : topic));
    job = With(job, "folder = \"out\", format = \"jsonl\"", sink);
    job = With(job, "batch = { rows = 40, ms = 5 }",
               "columns = { id = \"int64\", kind = \"string\", age = \"int64\", load = "
               "\"float64\" }\nbatch = { rows = 40, ms = 5 }");
    std::ofstream(path() / "live.toml") << "engine = \"" + engine + "\"\n" + job;
  }
  // As another stream, which knows nothing of what was read.
  Outcome OnceAs(const std::string& folder) const {
    std::vector<std::string> words = {"stream", path() / "live.toml", "--once", "--streams-dir",
                                      path() / folder};
    Running command(Words(words), path());
    return command.Wait();
  }
  void Send(int first, int count) const {
    std::vector<TestMessage> messages;
    for (int id = first; id < first + count; ++id) {
      messages.push_back({.partition = id % 2, .value = Machine(id)});
    }
    broker_->Send(name_, messages);
  }
  // How many times each id is in a topic, and its row.
  std::map<int, std::vector<Json>> RowsOf(const std::string& topic) const {
    std::map<int, std::vector<Json>> rows;
    for (const auto& [partition, values] : broker_->ReadAll(topic)) {
      for (const std::string& each : values) {
        Json row = Json::parse(each);
        rows[row["id"].get<int>()].push_back(std::move(row));
      }
    }
    return rows;
  }
  // The ids in the files that a table of Delta has.
  std::multiset<int> IdsIn(const fs::path& table) const {
    std::multiset<int> ids;
    for (const auto& version : fs::directory_iterator(table / "_delta_log")) {
      if (version.path().extension() != ".json") continue;
      std::istringstream lines(ReadText(version.path()));
      for (std::string line; std::getline(lines, line);) {
        const Json action = Json::parse(line);
        if (!action.contains("add")) continue;
        const fs::path file = table / action["add"]["path"].get<std::string>();
        Running command({ProtiumCommand(), "sql", "--json", "--rows", "100000", "--table",
                         "t=" + file.string(), "SELECT id FROM t"},
                        path());
        const Outcome read = command.Wait();
        EXPECT_EQ(read.exit, 0) << read.err;
        for (const Json& row : read.json["rows"]) ids.insert(row[0].get<int>());
      }
    }
    return ids;
  }

  static inline const SparkWithJars* spark_ = nullptr;
  static inline RealBroker* broker_ = nullptr;
  static inline std::string why_;
  std::string name_;
};

TEST_F(SparkTopics, ScoreMessagesIntoOthersAsStreamsHereDo) {
  const std::string there = name_ + "-there", here = name_ + "-here";
  for (const std::string& each : {there, here}) broker_->MakeTopic(each, 2);
  const auto sink = [&](const std::string& topic) {
    return fmt::format("kafka = \"{}\", topic = \"{}\", key = \"id\", delivery = \"at_least_once\"",
                       broker_->address(), topic);
  };
  Send(0, 60);
  WriteJob(spark_->address(), sink(there));
  const Outcome first = Once();
  ASSERT_EQ(first.exit, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("60 rows in "));
  Send(60, 30);
  ASSERT_EQ(Once().exit, 0);
  EXPECT_THAT(Once().out, HasSubstr("0 rows in 0 batches, 0 dead letters; 90 rows since"));
  WriteJob("local", sink(here));
  const Outcome embedded = OnceAs("here");
  ASSERT_EQ(embedded.exit, 0) << embedded.err;
  const auto rows = RowsOf(there);
  EXPECT_EQ(rows.size(), 90u);
  for (const auto& [id, same] : rows) EXPECT_EQ(same.size(), 1u) << id;
  EXPECT_EQ(rows, RowsOf(here));
}

TEST_F(SparkTopics, AreOnceInATableOfDeltaWhoeverDies) {
  WriteJob(spark_->address(), "delta = \"lake/scored\"");
  const fs::path checkpoint = path() / "streams/live/checkpoint";
  const std::vector<fs::path> signs = {checkpoint / "offsets", path() / "lake/scored/_delta_log",
                                       checkpoint / "commits"};
  const auto count = [](const fs::path& folder) {
    std::error_code none;
    const fs::directory_iterator files(folder, none);
    return std::distance(fs::begin(files), fs::end(files));
  };
  int sent = 0;
  for (const fs::path& sign : signs) {
    const auto before = count(sign);
    Running command(StreamWords(), path());
    Send(sent, 40);
    sent += 40;
    EXPECT_TRUE(command.AwaitChange(path(), [&] { return count(sign) > before; })) << sign;
    command.Signal(SIGKILL);
    EXPECT_EQ(command.Wait().exit, -SIGKILL);
  }
  const Outcome once = Once();
  ASSERT_EQ(once.exit, 0) << once.err;
  std::multiset<int> all;
  for (int id = 0; id < sent; ++id) all.insert(id);
  EXPECT_EQ(IdsIn(path() / "lake/scored"), all);
  EXPECT_EQ(Ask("status").json["unit"], "messages");
}

TEST_F(SparkTopics, EndAtAMessageThatDoesNotFit) {
  const std::vector<std::optional<std::string>> bad = {"{\"id\": \"seven\", \"kind\": \"mill\"}",
                                                       "no object", "[{\"id\": 7}]",
                                                       "{\"id\": \xff}", std::nullopt};
  for (size_t i = 0; i < bad.size(); ++i) {
    const std::string topic = fmt::format("{}-{}", name_, i);
    broker_->MakeTopic(topic, 1);
    broker_->Send(topic, {{.value = Machine(1)}, {.value = bad[i]}});
    fs::remove_all(path() / "out");
    WriteJob(spark_->address(), "folder = \"out\"", topic);
    const Outcome ended = OnceAs(topic);
    EXPECT_EQ(ended.exit, 3) << i << ": " << ended.err << ended.out;
    EXPECT_THAT(ended.err, HasSubstr("a message does not fit the columns of the stream")) << i;
    EXPECT_THAT(ended.err, HasSubstr("partition 0, offset 1")) << i;
    EXPECT_THAT(ended.err, HasSubstr("makes a dead letter of such a message")) << i;
  }
}

TEST_F(SparkTopics, SayWhatIsNotThere) {
  WriteJob(spark_->address(), "folder = \"out\"", "nothing-like-it");
  const Outcome unknown = Once();
  EXPECT_EQ(unknown.exit, 5) << unknown.err;
  EXPECT_THAT(unknown.err, HasSubstr("there is no topic of this name"));
  EXPECT_THAT(unknown.err, HasSubstr("nothing-like-it at " + broker_->address()));
}

}  // namespace protium::whole
