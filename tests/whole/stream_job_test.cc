// SPDX-License-Identifier: Apache-2.0
// Streams over folders as processes: killed at any moment, on a full disk, with models that change
// beneath them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "whole/own_job.h"

namespace protium::whole {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kStream = R"(name = "live"
[stream]
source = { folder = "in", pattern = "*.csv" }
sink = { folder = "out", format = "jsonl" }
model = "tag:live"
version_column = "version"
batch = { rows = 40, ms = 5 }
[tables]
places = { csv = "places.csv" }
[etl]
sql = "SELECT e.*, p.place FROM events e LEFT JOIN places p ON e.kind = p.kind"
)";

// Two forests for the machines, made once: "live" and "next".
class Streams : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    world_ = new Scratch;
    std::ofstream(world_->path() / "machines.csv") << MachinesTable(500);
    std::string job = With(kMachinesJob, "torch_estimator", "tree_estimator");
    job = With(job, "epochs = 2\nbatch_size = 64\n", "") + "[trees]\nrounds = 5\nleaves = 7\n";
    std::ofstream(world_->path() / "job.toml") << job;
    for (const char* rounds : {"5", "6"}) {
      Running command(
          {ProtiumCommand(), "run", world_->path() / "job.toml", "--runs-dir",
           world_->path() / "runs", "--json", "--set", std::string("trees.rounds=") + rounds},
          world_->path());
      const Outcome run = command.Wait();
      ASSERT_EQ(run.exit, 0) << run.err;
      Models()[rounds] = run.json["model"].get<std::string>();
    }
  }
  static void TearDownTestSuite() {
    delete world_;
    world_ = nullptr;
  }

  Streams() {
    fs::create_directories(path() / "in");
    fs::copy(world_->path() / "runs", path() / "runs", fs::copy_options::recursive);
    std::ofstream(path() / "places.csv") << "kind,place\npress,hall\nlathe,yard\n";
    std::ofstream(path() / "live.toml") << kStream;
    Tag("5", "live");
  }

  const fs::path& path() const { return scratch_.path(); }
  fs::path log() const { return path() / "streams/live/log.jsonl"; }
  static std::map<std::string, fs::path>& Models() {
    static std::map<std::string, fs::path> models;
    return models;
  }
  // Moves the tag to the forest of so many rounds.
  void Tag(const std::string& rounds, const std::string& tag) {
    const std::string run = Models()[rounds].parent_path().filename();
    for (const auto& each : fs::directory_iterator(path() / "runs")) {
      if (each.path().filename() != run) fs::remove(each.path() / "labels.json");
    }
    EXPECT_EQ(Call({"runs", "tag", run, tag}).exit, 0);
  }
  // New events without a label, under new ids.
  void Put(const std::string& name, int first, int rows) const {
    std::istringstream table(MachinesTable(first + rows, 0, /*with_label=*/false));
    const fs::path draft = path() / "in" / ("." + name);
    std::ofstream file(draft);
    std::string line;
    for (int i = -1; std::getline(table, line); ++i) {
      if (i < 0 || i >= first) file << line << "\n";
    }
    file.close();
    fs::rename(draft, path() / "in" / name);
  }

  std::vector<std::string> Words(std::vector<std::string> words) const {
    words.insert(words.begin(), ProtiumCommand());
    words.insert(words.end(), {"--runs-dir", path() / "runs"});
    return words;
  }
  std::vector<std::string> StreamWords(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"stream", path() / "live.toml", "--streams-dir",
                                      path() / "streams"};
    words.insert(words.end(), more.begin(), more.end());
    return Words(words);
  }
  Outcome Call(const std::vector<std::string>& words) const {
    Running command(Words(words), path());
    return command.Wait();
  }
  Outcome Once(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = StreamWords({"--once"});
    words.insert(words.end(), more.begin(), more.end());
    Running command(words, path());
    return command.Wait();
  }
  Outcome Ask(const std::string& what) const {
    Running command(Words({"stream", what, path() / "live.toml", "--streams-dir",
                           path() / "streams", "--json"}),
                    path());
    return command.Wait();
  }

  // The same for all files, so that they are read in the order of their names.
  void SetTimes() const {
    const auto time = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (auto& each : fs::directory_iterator(path() / "in")) fs::last_write_time(each.path(), time);
  }
  // Runs the stream anew, from its first event, and sends it a signal again and again, from which
  // it ends with `exit`; returns how often.
  int RunAndSend(int signal, int exit) const {
    fs::remove_all(path() / "out");
    fs::remove_all(path() / "streams");
    std::mt19937 random(std::random_device{}());
    for (int kills = 0; kills < 200; ++kills) {
      Running command(StreamWords({"--once"}), path());
      // As soon as the log has so many bytes more.
      const auto more = 1 + random() % 1500;
      std::error_code none;
      const auto bytes = fs::exists(log()) ? fs::file_size(log(), none) : 0;
      const bool reached = command.AwaitChange(
          path(), [&] { return fs::exists(log()) && fs::file_size(log(), none) > bytes + more; });
      if (reached) command.Signal(signal);
      const Outcome ended = command.Wait();
      // It may have been through before the signal came.
      EXPECT_TRUE(ended.exit == 0 || (reached && ended.exit == exit)) << ended.err;
      if (reached) continue;
      EXPECT_EQ(ended.exit, 0) << ended.err;
      return kills;
    }
    return -1;
  }

  // What the sink holds, file by file.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    std::error_code none;
    for (const auto& each : fs::directory_iterator(path() / "out", none)) {
      const std::string name = each.path().filename();
      if (name.starts_with("batch-")) files[name] = ReadText(each.path());
    }
    return files;
  }
  std::vector<Json> Rows() const {
    std::vector<Json> rows;
    for (const auto& [name, text] : Files()) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line));
    }
    return rows;
  }
  // Each id from 0 up to and without `count` once.
  void HasEach(int count) const {
    std::multiset<int> ids;
    for (const Json& row : Rows()) ids.insert(row["id"].get<int>());
    EXPECT_EQ(ids.size(), size_t(count));
    for (int id = 0; id < count; ++id) EXPECT_EQ(ids.count(id), 1u) << id;
  }

 private:
  static Scratch* world_;
  Scratch scratch_;
};
Scratch* Streams::world_ = nullptr;

}  // namespace

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

TEST_F(Streams, WhoseProcessIsKilledAtAnyMomentLoseAndRepeatNothing) {
  constexpr int kFiles = 40, kRows = 37;
  for (int i = 0; i < kFiles; ++i) Put("f" + std::to_string(100 + i) + ".csv", i * kRows, kRows);
  SetTimes();
  ASSERT_EQ(Once().exit, 0);
  const auto undisturbed = Files();
  EXPECT_GT(RunAndSend(SIGKILL, -SIGKILL), 0);
  EXPECT_EQ(Files(), undisturbed);
  HasEach(kFiles * kRows);
}

// They end the batch that they are at.
TEST_F(Streams, EndWholeAtEverySignal) {
  constexpr int kFiles = 8, kRows = 37;
  for (int i = 0; i < kFiles; ++i) Put("f" + std::to_string(100 + i) + ".csv", i * kRows, kRows);
  SetTimes();
  ASSERT_EQ(Once().exit, 0);
  const auto undisturbed = Files();
  for (const int signal : {SIGTERM, SIGINT}) {
    EXPECT_GT(RunAndSend(signal, 0), 0);
    EXPECT_EQ(Files(), undisturbed);
  }
  HasEach(kFiles * kRows);
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

// The moments between two writes, one by one.
TEST_F(Streams, GoOnFromEveryStateThatAKillLeaves) {
  Put("a.csv", 0, 90);
  ASSERT_EQ(Once().exit, 0);
  const auto undisturbed = Files();
  const std::string whole = ReadText(log());
  const size_t ended = whole.rfind('\n', whole.size() - 2) + 1;
  const size_t began = whole.rfind('\n', ended - 2) + 1;
  const fs::path last = path() / "out" / undisturbed.rbegin()->first;
  const auto go_on = [&](const std::string& text, bool written, const char* says) {
    std::ofstream(log(), std::ios::binary | std::ios::trunc) << text;
    if (!written) fs::remove(last);
    const Outcome run = Once();
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr(says));
    EXPECT_EQ(Files(), undisturbed);
    EXPECT_EQ(ReadText(log()), whole);
  };
  go_on(whole.substr(0, ended), true, "its rows are there");
  go_on(whole.substr(0, ended + 5), true, "its rows are there");
  go_on(whole.substr(0, ended), false, "it is made again");
  go_on(whole.substr(0, began), false, "");
  go_on(whole.substr(0, began + 9), false, "");
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
      path(), [&] { return Rows().size() > 10; }, seconds(1)));
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
      {"folder = \"out\"", "folder = \"in\"", "would read what it writes"},
      {"e.*", "e.id", "\"kind\""},
      {"e.*", "e.nothing", "nothing"},
      {"version_column = \"version\"", "shadow = \"tag:none\"", "none"},
      {"format = \"jsonl\"", "format = \"jason\"", "no format of files"},
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

// The kernel refuses writes beyond the limit as a full disk does.
TEST_F(Streams, OnAFullDiskLoseNothing) {
  Put("a.csv", 0, 400);
  ASSERT_EQ(Once().exit, 0);
  const auto undisturbed = Files();
  fs::remove_all(path() / "out");
  fs::remove_all(path() / "streams");
  for (const rlim_t bytes : {300, 700, 1500, 3000}) {
    struct rlimit before {};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const struct rlimit small { bytes, before.rlim_max };
    ::setrlimit(RLIMIT_FSIZE, &small);
    Running command(StreamWords({"--once"}), path());
    ::setrlimit(RLIMIT_FSIZE, &before);
    const Outcome full = command.Wait();
    EXPECT_NE(full.exit, 0);
    EXPECT_GT(full.exit, 0) << "it ended by itself";
  }
  const Outcome run = Once();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(Files(), undisturbed);
}

}  // namespace protium::whole
