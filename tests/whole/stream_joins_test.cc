// SPDX-License-Identifier: Apache-2.0
// Streams that join another, over folders: killed at any moment, each event is joined once with all
// that belong to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <random>
#include <set>
#include <sstream>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;
using testing::HasSubstr;

namespace {

constexpr int kVisits = 240;

constexpr const char* kJob = R"(name = "live"
[stream]
source = { folder = "visits", pattern = "*.csv" }
sink = { folder = "out", format = "jsonl" }
columns = { id = "int64", shop = "int64", at = "timestamp" }
batch = { rows = 30, ms = 1 }
[stream.join]
source = { folder = "orders", pattern = "*.csv" }
table = "orders"
columns = { number = "int64", shop = "int64", ordered = "timestamp" }
time = "at"
other_time = "ordered"
after = "60 seconds"
[etl]
sql = """SELECT v.id, count(o.number) AS orders, coalesce(sum(o.number), 0) AS sum
FROM events v LEFT JOIN orders o ON o.shop = v.shop
AND o.ordered BETWEEN v.at AND v.at + INTERVAL 60 SECONDS GROUP BY v.id"""
)";

std::string TimeOf(int second) {
  return fmt::format("2026-11-27 {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
}

// A visit every 7 s, an order every 5 s, in 4 shops.
class JoiningStreams : public testing::Test {
 protected:
  JoiningStreams() {
    own_.Write("live.toml", kJob);
    for (int first = 0; first < kVisits; first += 40) {
      std::string text = "id,shop,at\n";
      for (int id = first; id < first + 40; ++id) {
        text += fmt::format("{},{},{}\n", id, id % 4, TimeOf(id * 7));
      }
      own_.Write(fmt::format("visits/{:05}.csv", first), text);
    }
    // The last one, long after all others, lets them go on.
    std::string text = "number,shop,ordered\n";
    for (int number = 0; number < 360; ++number) {
      const int second = number * 5;
      text += fmt::format("{},{},{}\n", number, number * 3 % 4, TimeOf(second));
      for (int id = 0; id < kVisits; ++id) {
        if (id % 4 != number * 3 % 4 || second < id * 7 || second > id * 7 + 60) continue;
        expected_[id].first += 1;
        expected_[id].second += number;
      }
      if (number % 60 != 59) continue;
      own_.Write(fmt::format("orders/{:05}.csv", number), text);
      text = "number,shop,ordered\n";
    }
    own_.Write("orders/99999.csv", "number,shop,ordered\n9999,0,2026-11-28 12:00:00\n");
    for (int id = 0; id < kVisits; ++id) expected_[id];
  }

  std::vector<std::string> Words(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"stream"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {own_ / "live.toml", "--streams-dir", own_ / "streams"});
    return words;
  }
  // Returns how often the stream was killed before it was through.
  int RunAndKill() const {
    std::mt19937 random(std::random_device{}());
    const fs::path log = own_ / "streams/live/log.jsonl";
    for (int kills = 0; kills < 50; ++kills) {
      std::vector<std::string> words = Words({});
      words.insert(words.begin(), ProtiumCommand());
      words.push_back("--once");
      Running command(words, own_.path());
      const auto size = [&] {
        std::error_code none;
        const auto bytes = fs::file_size(log, none);
        return none ? 0 : bytes;
      };
      const auto before = size(), more = 1 + random() % 2500;
      const bool reached = command.AwaitChange(own_.path(), [&] { return size() > before + more; });
      if (reached) command.Signal(SIGKILL);
      const Outcome ended = command.Wait();
      if (reached) continue;
      EXPECT_EQ(ended.exit, 0) << ended.err;
      return kills;
    }
    return -1;
  }
  void ExpectAll() const {
    std::map<int, std::pair<int, int>> found;
    std::multiset<int> ids;
    for (const auto& each : fs::directory_iterator(own_ / "out")) {
      std::istringstream lines(ReadText(each.path()));
      const bool batch = each.path().filename().string().starts_with("batch-");
      for (std::string line; batch && std::getline(lines, line);) {
        const Json row = Json::parse(line);
        ids.insert(int(WholeAt(row, "id")));
        found[int(WholeAt(row, "id"))] = {int(WholeAt(row, "orders")), int(WholeAt(row, "sum"))};
      }
    }
    EXPECT_EQ(ids.size(), size_t(kVisits));
    EXPECT_EQ(found, expected_);
  }

  OwnJob own_;
  std::map<int, std::pair<int, int>> expected_;  // Orders of a visit, and the sum of their numbers.
};

}  // namespace

TEST_F(JoiningStreams, JoinEachEventOnceWithAllThatBelongToItWhoeverDies) {
  EXPECT_GT(RunAndKill(), 0);
  ExpectAll();
  std::vector<std::string> words = Words({"verify"});
  words.push_back("--json");
  const Outcome verified = own_.Protium(words);
  EXPECT_EQ(verified.exit, 0) << verified.err;
  EXPECT_GT(WholeAt(verified.json, "equal"), 7);
  EXPECT_EQ(verified.json["unknown"].size(), 0u) << verified.out;
}

// What is not read waits in its folder.
TEST_F(JoiningStreams, HoldSoManyRowsAtMostWhileTheOtherStreamIsSilent) {
  own_.Write("live.toml", With(kJob, "[etl]", "waiting = 50\n[etl]"));
  fs::rename(own_ / "orders", own_ / "later");
  fs::create_directory(own_ / "orders");
  std::vector<std::string> words = Words({});
  words.push_back("--once");
  const Outcome silent = own_.Protium(words);
  EXPECT_EQ(silent.exit, 0) << silent.err;
  EXPECT_THAT(silent.err, HasSubstr("nothing comes of orders, so events is not read further: 50 "
                                    "rows of it wait, as many as may"));
  const Outcome status = own_.Protium(Words({"status"}));
  EXPECT_THAT(status.out, HasSubstr("join      50 of events wait for orders, 0 of that are kept"));
  EXPECT_THAT(status.out, HasSubstr("events is not read further: nothing came of orders for"));
  fs::remove(own_ / "orders");
  fs::rename(own_ / "later", own_ / "orders");
  const Outcome all = own_.Protium(words);
  EXPECT_EQ(all.exit, 0) << all.err;
  ExpectAll();
}

TEST_F(JoiningStreams, RefuseABoundThatHoldsMoreRowsThanMayWait) {
  own_.Write("live.toml", With(kJob, "[etl]", "waiting = 5\n[etl]"));
  std::vector<std::string> words = Words({});
  words.push_back("--once");
  const Outcome full = own_.Protium(words);
  EXPECT_EQ(full.exit, 2);
  EXPECT_THAT(full.err, HasSubstr("more must wait than may"));
  own_.Write("live.toml", kJob);
  EXPECT_EQ(own_.Protium(words).exit, 0);
  ExpectAll();
}

TEST_F(JoiningStreams, SayWhatTheyWillDoAndWhatTheyCannot) {
  const Outcome plan = own_.Protium({"plan", own_ / "live.toml"});
  EXPECT_EQ(plan.exit, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("orders from orders, 0 seconds before to 60 seconds after"));
  const auto refused = [&](const std::string& from, const std::string& to) {
    own_.Write("live.toml", With(kJob, from, to));
    const Outcome run = own_.Protium(Words({}));
    EXPECT_EQ(run.exit, 2) << run.err;
    return run.err;
  };
  EXPECT_THAT(refused("after = \"60 seconds\"", "after = \"soon\""),
              HasSubstr("not a length of time"));
  EXPECT_THAT(refused("time = \"at\"", "time = \"shop\""), HasSubstr("not timestamp"));
  EXPECT_THAT(refused("[etl]", "[stream.window]\ntime = \"at\"\nevery = \"1 hour\"\n[etl]"),
              HasSubstr("has no windows"));
}

}  // namespace protium::whole
