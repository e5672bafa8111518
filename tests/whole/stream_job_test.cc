// SPDX-License-Identifier: Apache-2.0
// Streams over folders as processes, with models and tables that change beneath them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "whole/live_streams.h"

namespace protium::whole {

using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Streams, ScoreAsPredictDoes) {
  Put("a.csv", 0, 100);
  const Outcome once = Once();
  ASSERT_EQ(once.exit, 0) << once.err;
  EXPECT_THAT(once.out, HasSubstr("100 rows in 3 batches, 0 dead letters"));
  HasEach(100);
  const Outcome predicted = Call({"predict", "--model", "live", "--input", path() / "in/a.csv",
                                  "--output", path() / "scored.jsonl"});
  ASSERT_EQ(predicted.exit, 0) << predicted.err;
  std::map<int, Json> expected;
  std::istringstream lines(ReadText(path() / "scored.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Json row = Json::parse(line);
    expected[row["id"].get<int>()] = row["prediction"];
  }
  for (const Json& row : Rows()) {
    EXPECT_EQ(row["prediction"], expected[row["id"].get<int>()]);
    EXPECT_EQ(row["place"], row["kind"] == "press"   ? Json("hall")
                            : row["kind"] == "lathe" ? Json("yard")
                                                     : Json());
    EXPECT_EQ(row["version"].get<std::string>().size(), 12u);
  }
  const Outcome verified = Ask("verify");
  ASSERT_EQ(verified.exit, 0) << verified.err;
  EXPECT_EQ(verified.json["equal"], 3);
  EXPECT_EQ(Once().out, "0 rows in 0 batches, 0 dead letters; 100 rows since the stream began\n");
}

TEST_F(Streams, EndOnceIfNothingIsThere) {
  const Outcome once = Once();
  EXPECT_EQ(once.exit, 0) << once.err;
  EXPECT_THAT(once.err, HasSubstr("nothing is in " + (path() / "in").string()));
  EXPECT_EQ(once.out, "0 rows in 0 batches, 0 dead letters; 0 rows since the stream began\n");
  EXPECT_EQ(Ask("status").json["state"], "ended");
  Put("a.csv", 0, 20);
  EXPECT_EQ(Once({"--json"}).json["rows"], 20);
}

TEST_F(Streams, LeaveNothingWhileNothingComes) {
  Put("a.csv", 0, 40);
  ASSERT_EQ(Once().exit, 0);
  const std::string lines = ReadText(log());
  const auto files = Files();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Once().exit, 0);
  EXPECT_EQ(ReadText(log()), lines);
  EXPECT_EQ(Files(), files);
  EXPECT_FALSE(fs::exists(path() / "streams/live/dead"));
}

// Events of ten minutes are counted once their time is over; one in twenty may come too late.
TEST_F(Streams, CountTheEventsOfWindowsOnceWhoeverDies) {
  std::string job =
      With(kStream, "model = \"tag:live\"\nversion_column = \"version\"\n",
           "window = { time = \"at\", every = \"10 minutes\", late = \"5 minutes\" }\n"
           "columns = { id = \"int64\", kind = \"string\", at = \"timestamp\" }\n");
  job = With(job, "SELECT e.*, p.place FROM events e LEFT JOIN places p ON e.kind = p.kind",
             "SELECT e.window_start, p.place, count(*) AS n, sum(e.id) AS ids FROM events e LEFT "
             "JOIN places p ON e.kind = p.kind GROUP BY e.window_start, p.place");
  job = With(job, "rows = 40", "rows = 12");
  std::ofstream(path() / "live.toml") << job;
  constexpr int kFiles = 30, kRows = 20;
  for (int i = 0; i < kFiles; ++i) {
    std::ofstream file(path() / "in" / ("f" + std::to_string(100 + i) + ".csv"));
    file << "id,kind,at\n";
    for (int row = 0; row < kRows; ++row) {
      const int minute = row == 19 ? std::max(0, i - 20) : i + row % 4;
      file << fmt::format("{},{},2026-11-01 10:{:02}:{:02}\n", i * kRows + row,
                          row % 2 == 0 ? "press" : "mill", minute, row);
    }
  }
  SetTimes();
  const Outcome once = Once();
  ASSERT_EQ(once.exit, 0) << once.err;
  const auto undisturbed = Files();
  int64_t counted = 0;
  std::set<std::string> groups;
  for (const Json& row : Rows()) {
    counted += row["n"].get<int64_t>();
    EXPECT_TRUE(groups.insert(row["window_start"].dump() + row["place"].dump()).second);
  }
  const Json status = Ask("status").json;
  EXPECT_GT(status["dead"], 5);
  EXPECT_EQ(counted + status["dead"].get<int64_t>() + status["in_windows"].get<int64_t>(),
            kFiles * kRows);
  EXPECT_GT(RunAndSend(SIGKILL, -SIGKILL), 0);
  EXPECT_EQ(Files(), undisturbed);
  const Outcome verified = Ask("verify");
  EXPECT_EQ(verified.exit, 0) << verified.err;
  EXPECT_THAT(verified.json["unknown"], IsEmpty());
}

TEST_F(Streams, TakeTheModelThatATagMovesTo) {
  Running command(StreamWords(), path());
  const auto rows = [&](size_t count) {
    return command.AwaitChange(path(), [&] { return Rows().size() >= count; });
  };
  Put("a.csv", 0, 10);
  ASSERT_TRUE(rows(10));
  Tag("6", "live");
  Put("b.csv", 10, 10);
  ASSERT_TRUE(rows(20));
  Tag("5", "live");
  Put("c.csv", 20, 10);
  ASSERT_TRUE(rows(30));
  command.Signal(SIGTERM);
  const Outcome ended = command.Wait();
  EXPECT_EQ(ended.exit, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("30 rows in"));
  std::map<int, std::string> versions;
  for (const Json& row : Rows()) versions[row["id"].get<int>() / 10] = row["version"];
  EXPECT_EQ(versions[0], versions[2]);
  EXPECT_NE(versions[0], versions[1]);
  EXPECT_EQ(Ask("verify").json["differ"], Json::array());
  HasEach(30);
}

TEST_F(Streams, KeepTheirModelIfAnotherCannotBeLoaded) {
  Running command(StreamWords(), path());
  Put("a.csv", 0, 10);
  ASSERT_TRUE(command.AwaitChange(path(), [&] { return Rows().size() == 10; }));
  const fs::path other = path() / "runs" / Models()["6"].parent_path().filename() / "model";
  std::ofstream(other / "weights.safetensors", std::ios::app) << "damage";
  Tag("6", "live");
  Put("b.csv", 10, 10);
  ASSERT_TRUE(command.AwaitChange(path(), [&] { return Rows().size() == 20; }));
  EXPECT_TRUE(command.AwaitChange(path(), [&] {
    const Json model = Ask("status").json["model"];
    return model.value("trouble", "").find("weights.safetensors") != std::string::npos;
  }));
  command.Signal(SIGINT);
  EXPECT_EQ(command.Wait().exit, 0);
  HasEach(20);
}

TEST_F(Streams, ReadOtherTablesAgainOnceTheyHaveChanged) {
  Running command(StreamWords(), path());
  Put("a.csv", 0, 3);
  ASSERT_TRUE(command.AwaitChange(path(), [&] { return Rows().size() == 3; }));
  std::ofstream(path() / "places.csv") << "kind,place\npress,roof\nmill,roof\nlathe,roof\n";
  std::this_thread::sleep_for(
      std::chrono::milliseconds(1100));  // They are looked at once a second.
  Put("b.csv", 3, 3);
  ASSERT_TRUE(command.AwaitChange(path(), [&] { return Rows().size() == 6; }));
  command.Signal(SIGTERM);
  EXPECT_EQ(command.Wait().exit, 0);
  for (const Json& row : Rows()) EXPECT_EQ(row["place"] == "roof", row["id"].get<int>() >= 3);
  const Outcome verified = Ask("verify");
  EXPECT_EQ(verified.exit, 0);
  EXPECT_EQ(verified.json["equal"], 1);
  EXPECT_THAT(verified.json["unknown"][0].get<std::string>(), HasSubstr("changed since"));
}

TEST_F(Streams, PauseAndResume) {
  Running command(StreamWords(), path());
  Put("a.csv", 0, 10);
  ASSERT_TRUE(command.AwaitChange(path(), [&] { return Rows().size() == 10; }));
  EXPECT_EQ(Ask("pause").exit, 0);
  ASSERT_TRUE(command.AwaitChange(path(), [&] { return Ask("status").json["state"] == "paused"; }));
  Put("b.csv", 10, 10);
  EXPECT_FALSE(command.AwaitChange(
      path(), [&] { return Rows().size() > 10; }, std::chrono::seconds(1)));
  EXPECT_EQ(Ask("resume").exit, 0);
  EXPECT_TRUE(command.AwaitChange(path(), [&] { return Rows().size() == 20; }));
  const Outcome second = Once();
  EXPECT_EQ(second.exit, 2);
  EXPECT_THAT(second.err, HasSubstr("running already"));
  command.Signal(SIGKILL);
  command.Wait();
  EXPECT_EQ(Ask("status").json["state"], "cut off");
}

TEST_F(Streams, StopForNoEvent) {
  std::string job = With(kStream, "SELECT e.*,", "SELECT e.*, 1000 / (e.id - 7) AS odd,");
  std::ofstream(path() / "live.toml") << job;
  Put("a.csv", 0, 20);
  std::ofstream(path() / "in/b.csv") << "id,kind,age,load\n20,mill,3,1\nx,mill,3,1\n21,mill\n";
  const Outcome once = Once();
  ASSERT_EQ(once.exit, 0) << once.err;
  std::set<int> ids;
  for (const Json& row : Rows()) ids.insert(row["id"].get<int>());
  EXPECT_EQ(ids.size(), 20u);
  EXPECT_EQ(ids.count(7), 0u);
  std::string dead;
  for (const auto& each : fs::directory_iterator(path() / "streams/live/dead")) {
    dead += ReadText(each.path());
  }
  EXPECT_THAT(dead, HasSubstr("b.csv, line 3"));
  EXPECT_THAT(dead, HasSubstr("b.csv, line 4"));
  EXPECT_THAT(dead, HasSubstr("\\\"id\\\":7"));
  EXPECT_EQ(Ask("verify").json["differ"], Json::array());
}

TEST_F(Streams, AreNotMixedInOneFolder) {
  Put("a.csv", 0, 3);
  ASSERT_EQ(Once().exit, 0);
  std::ofstream(path() / "live.toml") << With(kStream, "\"live\"", "\"other\"");
  const Outcome other = Once();
  EXPECT_EQ(other.exit, 2);
  EXPECT_THAT(other.err, HasSubstr("another stream writes to this folder"));
}

TEST_F(Streams, SayWhatIsWrongBeforeTheyStart) {
  const std::vector<std::tuple<std::string, std::string, std::string>> mistakes = {
      {"tag:live", "tag:none", "none"},
      {"folder = \"in\"", "folder = \"nowhere\"", "no such folder"},
      {"folder = \"out\"", "folder = \"in\"", "would read its own output"},
      {"e.*", "e.id", "\"kind\""},
      {"e.*", "e.nothing", "nothing"},
      {"version_column = \"version\"", "shadow = \"tag:none\"", "none"},
      {"format = \"jsonl\"", "format = \"jason\"", "not a format of files"},
      {"[etl]", "[outputs]\nx = \"x.csv\"\n[etl]", "no [outputs]"},
      {"rows = 40", "rows = 0", "at least 1"}};
  Put("a.csv", 0, 3);
  for (const auto& [was, is, says] : mistakes) {
    std::ofstream(path() / "live.toml") << With(kStream, was, is);
    const Outcome run = Once();
    EXPECT_NE(run.exit, 0) << is;
    EXPECT_THAT(run.err, HasSubstr(says)) << is;
    EXPECT_THAT(Rows(), IsEmpty());
  }
}

}  // namespace protium::whole
