// SPDX-License-Identifier: Apache-2.0
// Streams that a Spark server runs, whose address is in PROTIUM_TEST_SPARK, against the same
// streams here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <map>
#include <string>

#include "whole/live_streams.h"

namespace protium::whole {

using testing::HasSubstr;

class SparkStreams : public Streams {
 protected:
  void SetUp() override {
    const char* const address = std::getenv("PROTIUM_TEST_SPARK");
    if (address == nullptr) GTEST_SKIP() << "no Spark server: PROTIUM_TEST_SPARK is not set";
    address_ = address;
    WriteJob(Job());
  }

  std::string Job() const {
    std::string job = With(kStream, "batch = { rows = 40, ms = 5 }\n", "");
    job = With(job, ", format = \"jsonl\"", "");
    return "engine = \"" + address_ + "\"\n" + job;
  }
  void WriteJob(const std::string& job) const { std::ofstream(path() / "live.toml") << job; }

  // The files of the sink that count, by Spark's own log.
  std::vector<fs::path> Counted() const {
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto& each : fs::directory_iterator(path() / "out/_spark_metadata", none)) {
      const std::string name = each.path().filename();
      if (name.starts_with(".")) continue;
      EXPECT_FALSE(name.ends_with(".compact")) << "so many batches are not expected";
      std::istringstream lines(ReadText(each.path()));
      for (std::string line; std::getline(lines, line);) {
        const Json entry = Json::parse(line, nullptr, false);
        if (!entry.is_object()) continue;
        files.push_back(entry["path"].get<std::string>().substr(std::string("file://").size()));
      }
    }
    return files;
  }

  Outcome Query(std::vector<std::string> words) const {
    words.insert(words.begin(), {ProtiumCommand(), "sql"});
    Running command(words, path());
    return command.Wait();
  }

  // The rows of files by their ids, as text; each id once.
  std::map<int, std::string> RowsIn(const std::vector<fs::path>& files) const {
    std::map<int, std::string> rows;
    for (const fs::path& file : files) {
      const Outcome read =
          Query({"--json", "--rows", "100000", "--table", "t=" + file.string(), "SELECT * FROM t"});
      EXPECT_EQ(read.exit, 0) << read.err;
      if (read.exit != 0) continue;
      for (const Json& row : read.json["rows"]) {
        EXPECT_TRUE(rows.emplace(row[0].get<int>(), Dump(row)).second) << Dump(row);
      }
    }
    return rows;
  }

  // How many files a folder of Spark's logs has, drafts left out.
  static int Named(const fs::path& folder) {
    int count = 0;
    std::error_code none;
    for (const auto& each : fs::directory_iterator(folder, none)) {
      count += each.path().filename().string().starts_with(".") ? 0 : 1;
    }
    return count;
  }

  // What the embedded engine makes of the same files.
  std::map<int, std::string> RowsHere() const {
    WriteJob(With(With(With(Job(), address_, "local"), "name = \"live\"", "name = \"here\""),
                  "folder = \"out\"", "folder = \"here\""));
    const Outcome once = Once();
    EXPECT_EQ(once.exit, 0) << once.err;
    std::vector<fs::path> files;
    for (const auto& each : fs::directory_iterator(path() / "here")) {
      if (each.path().filename().string().starts_with("batch-")) files.push_back(each.path());
    }
    WriteJob(Job());
    return RowsIn(files);
  }

  std::string address_;
};

TEST_F(SparkStreams, WriteTheRowsThatStreamsHereWrite) {
  Put("a.csv", 0, 100);
  Put("b.csv", 100, 50);
  const Outcome once = Once();
  ASSERT_EQ(once.exit, 0) << once.err;
  EXPECT_THAT(once.out, HasSubstr("150 rows in 1 batch, 0 dead letters"));
  const auto rows = RowsIn(Counted());
  EXPECT_EQ(rows.size(), 150u);
  EXPECT_EQ(rows, RowsHere());
  const Outcome again = Once();
  EXPECT_EQ(again.out, "0 rows in 0 batches, 0 dead letters; 150 rows since the stream began\n")
      << again.err;
  const Json status = Ask("status").json;
  EXPECT_EQ(status["state"], "ended");
  EXPECT_EQ(status["engine"]["counted"], 1);
}

// The query goes on in the server while nobody looks, until the next process ends it.
TEST_F(SparkStreams, AreOnceInTheLogOfTheSinkWhoeverDies) {
  constexpr int kFiles = 9, kRows = 100;
  const fs::path checkpoint = path() / "streams/live/checkpoint";
  // What appears when a batch begins, when its rows are there, and when it has ended.
  const std::vector<fs::path> signs = {checkpoint / "offsets", path() / "out/_spark_metadata",
                                       checkpoint / "commits"};
  for (int i = 0; i < kFiles; ++i) {
    const fs::path& sign = signs[size_t(i) % signs.size()];
    const int before = Named(sign);
    Running command(StreamWords(), path());
    Put("f" + std::to_string(i) + ".csv", i * kRows, kRows);
    EXPECT_TRUE(command.AwaitChange(path(), [&] { return Named(sign) > before; })) << sign;
    command.Signal(SIGKILL);
    EXPECT_EQ(command.Wait().exit, -SIGKILL);
  }
  const Outcome once = Once();
  ASSERT_EQ(once.exit, 0) << once.err;
  const auto rows = RowsIn(Counted());
  EXPECT_EQ(rows.size(), size_t(kFiles) * kRows);
  EXPECT_EQ(rows, RowsHere());
}

TEST_F(SparkStreams, ShowTheirProgressAndEndCleanly) {
  Running command(StreamWords(), path());
  Put("a.csv", 0, 30);
  ASSERT_TRUE(command.AwaitChange(path(), [&] {
    const Outcome asked = Ask("status");
    return asked.exit == 0 && asked.json.value("rows", 0) == 30;
  }));
  const Json status = Ask("status").json;
  EXPECT_EQ(status["state"], "running");
  EXPECT_EQ(status["batches"], 1);
  EXPECT_EQ(status["model"]["name"], "tag:live");
  command.Signal(SIGINT);
  const Outcome ended = command.Wait();
  EXPECT_EQ(ended.exit, 0) << ended.err;
  EXPECT_EQ(ended.out, "30 rows in 1 batch, 0 dead letters; 30 rows since the stream began\n");
  EXPECT_EQ(Ask("status").json["state"], "ended");
  Tag("6", "live");
  Put("b.csv", 30, 10);
  ASSERT_EQ(Once().exit, 0);
  std::map<int, std::string> versions;
  for (const auto& [id, row] : RowsIn(Counted())) versions[id / 30] = Json::parse(row).back();
  EXPECT_NE(versions[0], versions[1]);
}

TEST_F(SparkStreams, RefuseSqlThatLooksAtSeveralEvents) {
  Put("a.csv", 0, 10);
  for (const char* sql : {"SELECT DISTINCT * FROM events", "SELECT * FROM events LIMIT 5",
                          "SELECT a.* FROM events a JOIN events b ON a.id = b.id"}) {
    WriteJob(With(Job(), "SELECT e.*, p.place FROM events e LEFT JOIN places p ON e.kind = p.kind",
                  sql));
    const Outcome once = Once();
    EXPECT_EQ(once.exit, 2) << sql << ": " << once.err;
    EXPECT_THAT(once.err, HasSubstr("the SQL does not treat each event by itself")) << sql;
    EXPECT_FALSE(fs::exists(path() / "out/_spark_metadata"));
  }
}

TEST_F(SparkStreams, EndAtAnEventThatDoesNotFit) {
  Put("a.csv", 0, 10);
  ASSERT_EQ(Once().exit, 0);
  std::string text = ReadText(path() / "in/a.csv");
  const size_t second = text.find('\n') + 1;
  std::ofstream(path() / "in/b.csv")
      << text.substr(0, second) << "no number" << text.substr(text.find(',', second));
  const Outcome bad = Once();
  EXPECT_EQ(bad.exit, 3) << bad.err;
  EXPECT_THAT(bad.err, HasSubstr("b.csv"));
  EXPECT_THAT(bad.err, HasSubstr("no number"));
  EXPECT_THAT(bad.err, HasSubstr("repair the file in its place"));
  EXPECT_EQ(RowsIn(Counted()).size(), 10u);
  EXPECT_EQ(Ask("status").json["state"], "failed");
  // Repaired in its place, it is read.
  Put("b.csv", 10, 10);
  const Outcome good = Once();
  EXPECT_EQ(good.exit, 0) << good.err;
  EXPECT_EQ(RowsIn(Counted()).size(), 20u);
}

TEST_F(SparkStreams, RefuseASinkThatHasBatchesOfAnother) {
  Put("a.csv", 0, 10);
  ASSERT_EQ(Once().exit, 0);
  fs::remove_all(path() / "streams/live");
  const Outcome once = Once();
  EXPECT_EQ(once.exit, 2);
  EXPECT_THAT(once.err, HasSubstr("the folder has the batches of another stream of Spark"));
}

TEST_F(SparkStreams, ReadJsonLinesAndParquet) {
  Put("a.csv", 0, 40);
  const Outcome once = Once();
  ASSERT_EQ(once.exit, 0) << once.err;
  const auto rows = RowsIn(Counted());
  for (const char* ending : {"jsonl", "parquet"}) {
    fs::remove_all(path() / "out");
    fs::remove_all(path() / "streams");
    const Outcome made = Query({"--table", "t=" + (path() / "in/a.csv").string(), "--output",
                                (path() / "in/a.").string() + ending, "SELECT * FROM t"});
    ASSERT_EQ(made.exit, 0) << made.err;
    WriteJob(With(Job(), "*.csv", std::string("*.") + ending));
    const Outcome next = Once();
    ASSERT_EQ(next.exit, 0) << next.err;
    EXPECT_EQ(RowsIn(Counted()), rows) << ending;
  }
}

}  // namespace protium::whole
