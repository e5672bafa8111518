// SPDX-License-Identifier: Apache-2.0
// Streams that train on what came, as processes: models that are promoted or not, and kills.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "whole/own_job.h"

namespace protium::whole {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTrainingStream = R"(name = "live"
[stream]
source = { folder = "in", pattern = "*.csv" }
sink = { folder = "out", format = "jsonl" }
model = "tag:live"
version_column = "version"
batch = { rows = 40, ms = 500 }
train = { job = "job.toml", rows = 200 }
)";

// A forest for the machines, which is poor, and a job that makes it better.
class TrainingStreams : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    world_ = new Scratch;
    std::ofstream(world_->path() / "machines.csv") << MachinesTable(200);
    std::string job = With(kMachinesJob, "torch_estimator", "tree_estimator");
    job = With(job, "epochs = 2\nbatch_size = 64\n", "") + "[trees]\nrounds = 3\nleaves = 7\n";
    std::ofstream(world_->path() / "job.toml") << job;
    Running command({ProtiumCommand(), "run", world_->path() / "job.toml", "--runs-dir",
                     world_->path() / "runs"},
                    world_->path());
    const Outcome run = command.Wait();
    ASSERT_EQ(run.exit, 0) << run.err;
  }
  static void TearDownTestSuite() {
    delete world_;
    world_ = nullptr;
  }

  TrainingStreams() { Begin(); }

  // As before the first event.
  void Begin() {
    for (const auto& each : fs::directory_iterator(path())) fs::remove_all(each.path());
    fs::create_directories(path() / "in");
    fs::copy(world_->path() / "runs", path() / "runs", fs::copy_options::recursive);
    fs::copy(world_->path() / "job.toml", path() / "job.toml");
    Write("live.toml", kTrainingStream);
    EXPECT_EQ(Call({"runs", "tag", "last", "live", "--runs-dir", path() / "runs"}).exit, 0);
  }

  const fs::path& path() const { return scratch_.path(); }
  fs::path log() const { return path() / "streams/live/log.jsonl"; }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path() / name) << text;
  }
  // Machines with these ids as a file that is whole at once.
  void Put(const std::string& name, int first, int rows, bool with_label = true) const {
    std::istringstream table(MachinesTable(first + rows, 0, with_label));
    std::string text, line;
    for (int i = -1; std::getline(table, line); ++i) {
      if (i < 0 || i >= first) text += line + "\n";
    }
    Write("in/." + name, text);
    fs::rename(path() / "in" / ("." + name), path() / "in" / name);
  }

  Outcome Call(std::vector<std::string> words) const {
    words.insert(words.begin(), ProtiumCommand());
    Running command(words, path());
    return command.Wait();
  }
  std::vector<std::string> Words(const std::string& what) const {
    std::vector<std::string> words = {ProtiumCommand(), "stream"};
    if (what != "--once") words.push_back(what);
    words.insert(words.end(), {path() / "live.toml", "--streams-dir", path() / "streams",
                               "--runs-dir", path() / "runs"});
    words.push_back(what == "--once" ? "--once" : "--json");
    return words;
  }
  Outcome Once() const {
    Running command(Words("--once"), path());
    return command.Wait();
  }
  Json Status() const {
    Running command(Words("status"), path());
    const Outcome status = command.Wait();
    EXPECT_EQ(status.exit, 0) << status.err;
    return status.json;
  }
  // What the log says of each training that has ended.
  std::map<int, Json> Trainings() const {
    std::map<int, Json> ended;
    std::istringstream lines(ReadText(log()));
    for (std::string line; std::getline(lines, line);) {
      const Json json = Json::parse(line, nullptr, false);
      if (!json.is_object() || !json.contains("training")) continue;
      const Json& last = json["training"]["last"];
      if (last.is_object()) ended[last["number"].get<int>()] = last;
    }
    return ended;
  }
  // The run that has the tag.
  std::string Live() const {
    std::string found;
    for (const auto& run : fs::directory_iterator(path() / "runs")) {
      const fs::path labels = run.path() / "labels.json";
      if (!fs::exists(labels) || !Has(ReadText(labels), "\"live\"")) continue;
      found += (found.empty() ? "" : " and ") + run.path().filename().string();
    }
    return found;
  }

 private:
  static Scratch* world_;
  Scratch scratch_;
};
Scratch* TrainingStreams::world_ = nullptr;

}  // namespace

TEST_F(TrainingStreams, GiveTheTagToAModelThatIsNotWorse) {
  const std::string before = Live();
  Put("a.csv", 200, 240);
  const Outcome once = Once();
  ASSERT_EQ(once.exit, 0) << once.err;
  EXPECT_THAT(once.err, HasSubstr("training 0 begins, on events before batch 5"));
  EXPECT_THAT(once.err, HasSubstr("training 0 on 160 events: "));
  EXPECT_THAT(once.err, HasSubstr(", on 40 newer ones: promoted, "));
  EXPECT_NE(Live(), before);
  const Json ended = Trainings()[0];
  EXPECT_LE(ended["trained"], ended["live"]);
  EXPECT_EQ(ended["model"], (path() / "runs" / Live() / "model").string());
  EXPECT_EQ(ended["weights_sha256"], Json::parse(ReadText(ended["model"].get<std::string>() +
                                                          "/model.json"))["weights_sha256"]);
  const Json status = Status();
  EXPECT_EQ(status["training"]["promoted"], 1);
  EXPECT_EQ(status["training"]["last"]["rows"], 160);
  EXPECT_THAT(ReadText(path() / "streams/live/metrics.prom"),
              HasSubstr("protium_stream_trainings_promoted_total{stream=\"live\"} 1\n"));
  Put("b.csv", 440, 40);
  ASSERT_EQ(Once().exit, 0);
  const std::string sha = Status()["model"]["sha256"].get<std::string>().substr(0, 12);
  fs::path newest;
  for (const auto& each : fs::directory_iterator(path() / "out")) {
    if (each.path().extension() == ".jsonl") newest = std::max(newest, each.path());
  }
  EXPECT_THAT(ReadText(newest), HasSubstr("\"version\": \"" + sha + "\""));
}

TEST_F(TrainingStreams, KeepTheModelThatANewOneIsWorseThan) {
  const std::string before = Live();
  Write("poor.toml", With(ReadText(path() / "job.toml"), "rounds = 3", "rounds = 1"));
  Write("live.toml",
        With(kTrainingStream, "job = \"job.toml\"", "anew = true, job = \"poor.toml\""));
  Put("a.csv", 200, 200);
  const Outcome once = Once();
  ASSERT_EQ(once.exit, 0) << once.err;
  EXPECT_THAT(once.err, HasSubstr("not promoted, it is worse than the live model"));
  EXPECT_EQ(Live(), before);
  EXPECT_EQ(Status()["training"]["refused"], 1);
}

TEST_F(TrainingStreams, GoOnWhenATrainingFails) {
  const std::string before = Live();
  Put("a.csv", 200, 200, /*with_label=*/false);
  Put("b.csv", 400, 40);
  const Outcome once = Once();
  ASSERT_EQ(once.exit, 0) << once.err;
  EXPECT_THAT(once.out, HasSubstr("240 rows in "));
  EXPECT_THAT(once.err, HasSubstr("training 0 failed: "));
  EXPECT_EQ(Live(), before);
  EXPECT_EQ(Status()["training"]["failed"], 1);
}

TEST_F(TrainingStreams, TrainOnceTheTimeIsUpAndSomethingCame) {
  Write("live.toml", With(kTrainingStream, "rows = 200 }", "minutes = 0.0001 }"));
  Put("a.csv", 200, 40);
  const Outcome once = Once();
  ASSERT_EQ(once.exit, 0) << once.err;
  EXPECT_THAT(once.err, HasSubstr("training 0 on 32 events: "));
  // Time alone is no reason.
  const Outcome again = Once();
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(Trainings().size(), 1u);
}

TEST_F(TrainingStreams, SkipTheOldestOfTooManyThatWait) {
  Write("live.toml", With(kTrainingStream, "rows = 200 }", "rows = 40 }"));
  Put("a.csv", 200, 1200);
  std::vector<std::string> words = Words("--once");
  words.pop_back();
  Running command(words, path());
  ASSERT_TRUE(command.AwaitChange(path(), [&] { return Has(ReadText(log()), "\"skipped\":1"); }));
  command.Signal(SIGTERM);
  const Outcome ended = command.Wait();
  EXPECT_EQ(ended.exit, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("is skipped: the events come faster than it trains"));
  EXPECT_GE(Status()["training"]["skipped"], 1);
}

TEST_F(TrainingStreams, TrainTheSameModelsWhateverDies) {
  const auto begin = [&] {
    Begin();
    Put("a.csv", 200, 420);
    fs::last_write_time(path() / "in/a.csv",
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
  };
  begin();
  ASSERT_EQ(Once().exit, 0);
  const std::map<int, Json> whole = Trainings();
  ASSERT_EQ(whole.size(), 2U);
  begin();
  std::mt19937 random(39);
  int kills = 0;
  for (; kills < 4; ++kills) {
    Running command(Words("--once"), path());
    // As soon as the log has so many lines more, and then somewhere in the training.
    const auto bytes = fs::exists(log()) ? fs::file_size(log()) : 0;
    const bool reached = command.AwaitChange(path(), [&] {
      return fs::exists(log()) && fs::file_size(log()) > bytes + random() % 1500;
    });
    if (!reached) break;
    if (kills % 2 == 1) {
      EXPECT_TRUE(command.AwaitChange(path() / "streams/live", [&] {
        return fs::exists(path() / "streams/live/trainings") || Trainings().size() == 2;
      }));
    }
    command.Signal(SIGKILL);
    command.Wait();
  }
  const Outcome last = Once();
  ASSERT_EQ(last.exit, 0) << last.err;
  const std::map<int, Json> killed = Trainings();
  ASSERT_EQ(killed.size(), 2U) << kills;
  for (const auto& [number, ended] : whole) {
    for (const char* same : {"rows", "held_out", "trained", "live", "promoted", "weights_sha256"}) {
      EXPECT_EQ(killed.at(number)[same], ended[same]) << number << " " << same;
    }
  }
  EXPECT_EQ(killed.at(1)["moved"], true);
  EXPECT_EQ((path() / "runs" / Live() / "model").string(), killed.at(1)["model"]);
  int64_t rows = 0;
  for (const auto& each : fs::directory_iterator(path() / "out")) {
    const std::string text = ReadText(each.path());
    if (each.path().extension() == ".jsonl") rows += std::ranges::count(text, '\n');
  }
  EXPECT_EQ(rows, 420);
}

TEST_F(TrainingStreams, AreRefusedForWhatTheyDoNotDo) {
  Put("a.csv", 200, 40);
  const auto refused = [&](const std::string& from, const std::string& to) {
    Write("live.toml", With(kTrainingStream, from, to));
    const Outcome run = Once();
    EXPECT_EQ(run.exit, 2) << run.err;
    return run.err;
  };
  EXPECT_THAT(refused("\"tag:live\"", "\"last\""), HasSubstr("needs a tag, which it moves"));
  EXPECT_THAT(refused(", rows = 200", ""), HasSubstr("needs either rows or minutes"));
  Write("more.toml", With(ReadText(path() / "job.toml"), "SELECT *", "SELECT *, cost"));
  EXPECT_THAT(refused("job.toml", "more.toml"), HasSubstr("cost"));
  Write("less.toml", With(ReadText(path() / "job.toml"), "SELECT *", "SELECT id, kind, age, load"));
  EXPECT_THAT(refused("job.toml", "less.toml"), HasSubstr("no label \"hours\""));
  EXPECT_THAT(refused("rows = 200", "rows = 200, metric = \"rsme\""), HasSubstr("rsme"));
  Write("two.toml",
        With(ReadText(path() / "job.toml"), "[etl]", "places = { csv = \"places.csv\" }\n[etl]"));
  EXPECT_THAT(refused("job.toml", "two.toml"), HasSubstr("reads 2 tables"));
  Write("live.toml", std::string(kTrainingStream) + "[etl]\nsql = \"SELECT * FROM events\"\n");
  EXPECT_THAT(Once().err, HasSubstr("cannot have SQL"));
}

}  // namespace protium::whole
