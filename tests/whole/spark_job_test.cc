// SPDX-License-Identifier: Apache-2.0
// The example job on a Spark server, whose address is in PROTIUM_TEST_SPARK.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "whole/flights.h"
#include "whole/live_run.h"
#include "whole/own_job.h"
#include "whole/ranks.h"

namespace protium::whole {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

class SparkJob : public testing::Test {
 protected:
  void SetUp() override {
    const char* const address = std::getenv("PROTIUM_TEST_SPARK");
    if (address == nullptr) GTEST_SKIP() << "no Spark server: PROTIUM_TEST_SPARK is not set";
    engine_ = "engine=" + std::string(address);
  }

  Outcome RunOnSpark(std::vector<std::string> settings) {
    settings.push_back(engine_);
    return RunFlights(scratch_, tables_, settings);
  }

  Outcome RunCommand(std::vector<std::string> words) {
    Running command(std::move(words), scratch_.path());
    return command.Wait();
  }

  // A job of the examples, for one epoch.
  Outcome RunExample(const std::string& job, const std::string& data,
                     const std::vector<std::string>& settings) {
    std::vector<std::string> words = {
        ProtiumCommand(), "run",          (Repository() / "examples" / job),
        "--json",         "--runs-dir",   runs_.string(),
        "--set",          "data=" + data, "--set",
        "train.epochs=1"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    return RunCommand(std::move(words));
  }

  // Runs the job, applies `harm` to a process of its running gang, and expects that the gang starts
  // again and ends with the model of the embedded engine.
  void ExpectToSurvive(const std::function<void(pid_t rank)>& harm,
                       std::vector<std::string> settings = {}) {
    settings.push_back("train.epochs=40");
    const std::string weights = ModelWeights(RunFlights(scratch_, tables_, settings), scratch_);
    fs::remove_all(runs_);
    settings.push_back(engine_);
    Running job(FlightsCommand(scratch_, tables_, settings), scratch_.path());
    ASSERT_TRUE(job.AwaitChange(runs_, [&] { return FindPid(runs_, 1) > 0; }));
    harm(FindPid(runs_, 1));
    const Outcome outcome = job.Wait();
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(ModelWeights(outcome, scratch_), weights);
    EXPECT_EQ(LastEventValue(outcome.json["folder"].get<std::string>(), "restarts_left"), 1);
  }

  const Scratch scratch_;
  const fs::path runs_ = scratch_.path() / "runs";
  const std::string tables_ = ExampleTables(3000);
  std::string engine_;
};

// Every stage of earlier rows, and a split and validation by time.
constexpr const char* kSeriesJob = R"(name = "series"
[tables]
machines = { csv = "machines.csv" }
[etl]
sql = "SELECT *, date_add(DATE '2024-01-01', CAST(id AS INT)) AS day FROM machines"
[split]
by_time = "day"
[[pipeline]]
kind = "lag"
inputs = ["hours", "load"]
by = ["kind"]
time = "day"
lags = [1, 7]
[[pipeline]]
kind = "difference"
inputs = ["hours"]
by = ["kind"]
time = "day"
[[pipeline]]
kind = "rolling"
inputs = ["hours"]
by = ["kind"]
time = "day"
rows = 5
of = ["mean", "std", "min"]
[[pipeline]]
kind = "rolling"
id = "days"
inputs = ["load"]
by = ["kind"]
time = "day"
over = "20 days"
of = ["sum"]
[[pipeline]]
kind = "expanding"
inputs = ["hours"]
by = ["kind"]
time = "day"
[[pipeline]]
kind = "tree_estimator"
numeric = ["age", { stage = "lag" }, { stage = "difference" }, { stage = "rolling" },
           { stage = "days" }, { stage = "expanding" }]
label = "hours"
trees = { rounds = 20 }
[train]
validation = { share = 0.1, by_time = "day" }
baseline = "hours__lag__7"
)";

TEST_F(SparkJob, LooksBackAlongSeriesAsTheEmbeddedEngineDoes) {
  const OwnJob here(MachinesTable(600), kSeriesJob), there(MachinesTable(600), kSeriesJob);
  const Outcome local = here.Run({"--json"}), spark = there.Run({"--json", "--set", engine_});
  ASSERT_EQ(local.exit, 0) << local.err;
  ASSERT_EQ(spark.exit, 0) << spark.err;
  const std::string weights = ReadWeightsHash(here.Model(), here.path());
  EXPECT_EQ(weights.size(), 64u);
  EXPECT_EQ(ReadWeightsHash(there.Model(), there.path()), weights);
  EXPECT_EQ(Dump(spark.json["metrics"]), Dump(local.json["metrics"]));
  EXPECT_EQ(ReadText(there.Model() + "/history.parquet"),
            ReadText(here.Model() + "/history.parquet"));
}

TEST_F(SparkJob, TrainsTheVeryModelOfTheEmbeddedEngine) {
  const Outcome here = RunFlights(scratch_, tables_, {});
  ASSERT_EQ(here.exit, 0) << here.err;
  const std::string weights = ModelWeights(here, scratch_);
  for (const char* rows : {"stream", "files"}) {
    const Outcome there = RunOnSpark({"engine.spark.rows=" + std::string(rows)});
    ASSERT_EQ(there.exit, 0) << there.err;
    EXPECT_EQ(ModelWeights(there, scratch_), weights) << "rows by " << rows;
    EXPECT_EQ(there.json["metrics"]["test"], here.json["metrics"]["test"]);
    EXPECT_EQ(there.json["metrics"]["baseline"], here.json["metrics"]["baseline"]);
    const fs::path scored = there.json["outputs"][0].get<std::string>();
    EXPECT_TRUE(fs::exists(scored / "_SUCCESS")) << scored;
  }
}

// Unless the SQL has changed, or bytes of it are.
TEST_F(SparkJob, TheNextDriverTakesTheTableThatSparkWrote) {
  const OwnJob own(MachinesTable(600));
  const auto ask = [&](std::vector<std::string> words, std::vector<std::string> more = {}) {
    words.insert(words.begin(), ProtiumCommand());
    words.insert(words.end(), {own / "job.toml", "--set", engine_});
    words.insert(words.end(), more.begin(), more.end());
    Running command(std::move(words), own.path(), {{"PROTIUM_STORE", own / "store"}});
    const Outcome outcome = command.Wait();
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return outcome;
  };
  const auto run = [&](std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--json", "--runs-dir", own / "runs"});
    return ask({"run"}, more);
  };
  const Outcome first = run();
  EXPECT_THAT(first.err, Not(HasSubstr("kept from")));
  const std::string from = first.json["run"].get<std::string>();
  EXPECT_THAT(ask({"plan"}).out, HasSubstr("etl  reused from " + from + ", 600 rows"));
  const std::string weights = ReadWeightsHash(own.Model(), own.path());
  const Outcome second = run();
  EXPECT_THAT(second.err, HasSubstr("etl      kept from " + from));
  EXPECT_EQ(ReadWeightsHash(own.Model(), own.path()), weights);
  EXPECT_EQ(second.json["metrics"], first.json["metrics"]);
  EXPECT_THAT(ask({"cache", "why"}, {"--set", "etl.sql=SELECT *, age + 1 AS b FROM machines"}).out,
              HasSubstr("the SQL has changed"));
  const std::string tied = "etl.sql=SELECT *, lag(age) OVER (ORDER BY kind) AS b FROM machines";
  EXPECT_THAT(ask({"cache", "why"}, {"--set", tied}).out,
              HasSubstr("etl is computed in every run: lag over a window: where rows tie"));
  EXPECT_THAT(run({"--fresh"}).err, Not(HasSubstr("kept from")));
  EXPECT_EQ(ReadWeightsHash(own.Model(), own.path()), weights);
  int flipped = 0;
  for (const auto& each : fs::recursive_directory_iterator(own / "store" / "objects")) {
    if (each.path().extension() != ".parquet") continue;
    std::fstream file(each.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file.put('!');
    ++flipped;
  }
  EXPECT_GT(flipped, 0);
  const Outcome damaged = run();
  EXPECT_THAT(damaged.err, HasSubstr("was damaged and is dropped"));
  EXPECT_THAT(damaged.err, Not(HasSubstr("kept from")));
  EXPECT_EQ(ReadWeightsHash(own.Model(), own.path()), weights);
}

// A program's own functions of rows and of whole groups, and verbs around them.
TEST_F(SparkJob, FitsTheVeryLinesOfTheEmbeddedEngine) {
  const std::string lines = (fs::path(ProtiumCommand()).parent_path() / "lines").string();
  const auto fitted = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {lines,          "run",   "--json",         "--runs-dir",
                                      runs_.string(), "--set", "data=" + tables_};
    words.insert(words.end(), more.begin(), more.end());
    Running program(std::move(words), scratch_.path());
    const Outcome outcome = program.Wait();
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return fs::path(outcome.json["outputs"][0].get<std::string>());
  };
  // Spark quotes a cell only where necessary.
  std::string here = ReadText(fitted({}));
  std::erase(here, '"');
  const fs::path there = fitted({"--engine", engine_.substr(engine_.find('=') + 1)});
  std::string parts;
  for (const auto& part : fs::directory_iterator(there)) {
    if (part.path().extension() == ".csv") parts += ReadText(part.path());
  }
  EXPECT_EQ(parts, here);
}

// Pictures next to the tables are decoded by tasks of the cluster.
TEST_F(SparkJob, LearnsPicturesAsTheEmbeddedEngineDoes) {
  const std::string pictures = (scratch_.path() / "pictures").string();
  ASSERT_EQ(RunCommand({ProtiumCommand(), "example", "digits", pictures, "--rows", "300"}).exit, 0);
  const auto weights = [&](const std::vector<std::string>& more) {
    return ModelWeights(RunExample("digits/digits.toml", pictures, more), scratch_);
  };
  const std::string here = weights({});
  EXPECT_FALSE(here.empty());
  EXPECT_EQ(weights({engine_}), here);
}

// One gang at a time unless the job says otherwise.
TEST_F(SparkJob, SearchesAsTheEmbeddedEngineDoes) {
  const auto search = [&](const std::vector<std::string>& more) {
    std::vector<std::string> settings = more;
    settings.insert(settings.end(), {"search.trials=2", "folds.held_out=1"});
    return RunExample("flights/search.toml", tables_, settings);
  };
  const Outcome here = search({}), there = search({engine_});
  ASSERT_EQ(here.exit, 0) << here.err;
  ASSERT_EQ(there.exit, 0) << there.err;
  EXPECT_EQ(there.json["search"], here.json["search"]);
  EXPECT_EQ(ModelWeights(there, scratch_), ModelWeights(here, scratch_));
}

// Two gangs of one rank side by side in one session: both trials have begun when the first ends.
TEST_F(SparkJob, RunsTrialsSideBySideInOneSession) {
  const auto search = [&](const std::vector<std::string>& more) {
    std::vector<std::string> settings = more;
    settings.insert(settings.end(), {"search.trials=4", "folds.held_out=1", "gang.workers=1"});
    return RunExample("flights/search.toml", tables_, settings);
  };
  const Outcome here = search({}), there = search({engine_, "search.parallel=2"});
  ASSERT_EQ(here.exit, 0) << here.err;
  ASSERT_EQ(there.exit, 0) << there.err;
  EXPECT_EQ(there.json["search"], here.json["search"]);
  const fs::path model = there.json["model"].get<std::string>();
  const std::string events = ReadText(model.parent_path() / "events.jsonl");
  EXPECT_LT(events.find("\"event\":\"trial_start\",\"trial\":2"),
            events.find("\"event\":\"trial\",\"trial\":1"));
}

TEST_F(SparkJob, StartsAgainWhenARankIsKilled) {
  ExpectToSurvive([](pid_t rank) { ::kill(rank, SIGKILL); });
}

// The one that writes checkpoints: when it wakes after the others have started again, it must not
// continue.
TEST_F(SparkJob, StartsAgainWhenARankIsStoppedAndFencesIt) {
  const std::vector<std::string> settings = {"train.epochs=40", "gang.deadline=5",
                                             "train.checkpoint.every_steps=10"};
  const std::string weights = ModelWeights(RunFlights(scratch_, tables_, settings), scratch_);
  fs::remove_all(runs_);
  Running job(FlightsCommand(scratch_, tables_, Joined(settings, {engine_})), scratch_.path());
  ASSERT_TRUE(AwaitStep(job, scratch_, 5));
  const pid_t stopped = FindPid(runs_, 0);
  ASSERT_EQ(::kill(stopped, SIGSTOP), 0);
  ASSERT_TRUE(AwaitEvents(job, scratch_, "restart", 1));
  (void)::kill(stopped, SIGCONT);  // Unless Spark has killed it already.
  EXPECT_TRUE(EndWithin({stopped}, std::chrono::seconds(20)));
  const Outcome outcome = job.Wait();
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(ModelWeights(outcome, scratch_), weights);
  EXPECT_THAT(outcome.err, HasSubstr("restart  rank 0 fell silent"));
}

TEST_F(SparkJob, StartsAgainWhenALauncherIsKilled) {
  ExpectToSurvive([](pid_t rank) { ::kill(FindParent(rank), SIGKILL); });
}

TEST_F(SparkJob, StartsAgainWhenAnExecutorIsKilled) {
  ExpectToSurvive([](pid_t rank) { ::kill(FindParent(FindParent(rank)), SIGKILL); });
}

TEST_F(SparkJob, LeavesNoRankWhenItsDriverIsKilled) {
  Running job(FlightsCommand(scratch_, tables_, {engine_, "train.epochs=4000"}), scratch_.path());
  ASSERT_TRUE(job.AwaitChange(runs_, [&] { return FindPid(runs_, 1) > 0; }));
  const std::vector<pid_t> ranks = {FindPid(runs_, 0), FindPid(runs_, 1)};
  job.Signal(SIGKILL);
  (void)job.Wait();
  EXPECT_TRUE(EndWithin(ranks, std::chrono::seconds(40)));
}

TEST_F(SparkJob, NamesTheRankThatWasKilledWhenItMayNotStartAgain) {
  Running job(
      FlightsCommand(scratch_, tables_, {engine_, "train.epochs=400", "gang.max_restarts=0"}),
      scratch_.path());
  ASSERT_TRUE(job.AwaitChange(runs_, [&] { return FindPid(runs_, 0) > 0; }));
  ::kill(FindPid(runs_, 0), SIGKILL);
  const Outcome outcome = job.Wait();
  EXPECT_EQ(outcome.exit, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("rank 0"));
  EXPECT_THAT(outcome.err, HasSubstr("resume"));
}

TEST_F(SparkJob, StopsWithACheckpointAndGoesOnToTheSameModel) {
  const std::string weights =
      ModelWeights(RunFlights(scratch_, tables_, {"train.epochs=60"}), scratch_);
  fs::remove_all(runs_);
  Running job(FlightsCommand(scratch_, tables_, {engine_, "train.epochs=60"}), scratch_.path());
  ASSERT_TRUE(job.AwaitChange(runs_, [&] { return FindPid(runs_, 0) > 0; }));
  job.Signal(SIGINT);
  const Outcome stopped = job.Wait();
  ASSERT_EQ(stopped.exit, 75) << stopped.err;
  Running again({ProtiumCommand(), "resume", "last", "--json", "--runs-dir", runs_.string()},
                scratch_.path());
  const Outcome outcome = again.Wait();
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(ModelWeights(outcome, scratch_), weights);
}

TEST_F(SparkJob, IsRefusedBeforeAnyDataIsReadWhenTheGangNeverFits) {
  const Outcome outcome = RunOnSpark({"gang.workers=999", "train.shards=999"});
  EXPECT_EQ(outcome.exit, 2) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("999"));
}

TEST_F(SparkJob, IsRefusedBeforeAnyDataIsReadWhenTheProgramCannotBeSent) {
  Running command(FlightsCommand(scratch_, tables_, {engine_}), scratch_.path(),
                  {{"HOME", ""}, {"XDG_CACHE_HOME", ""}});
  const Outcome refused = command.Wait();
  EXPECT_EQ(refused.exit, 4) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("neither XDG_CACHE_HOME nor HOME is set"));
  EXPECT_THAT(refused.err, Not(HasSubstr("etl")));
}

TEST_F(SparkJob, IsPlannedWithoutRunning) {
  Running plan({ProtiumCommand(), "plan", FlightsJob(), "--set", "data=" + tables_, "--set",
                engine_ + "/;token=sesame"},
               scratch_.path());
  const Outcome outcome = plan.Wait();
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("an executor"));
  EXPECT_THAT(outcome.out, HasSubstr("rows reach the ranks by"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("sesame")));
}

TEST_F(SparkJob, ScoresNewTablesAsTheEmbeddedEngineDoes) {
  const Outcome run = RunFlights(scratch_, tables_, {});
  ASSERT_EQ(run.exit, 0) << run.err;
  const auto predict = [&](const std::string& name, const std::string& engine) {
    Running command(
        {ProtiumCommand(), "predict", "--json", "--model", run.json["model"].get<std::string>(),
         "--data", tables_, "--output", (scratch_.path() / name).string(), "--engine", engine},
        scratch_.path());
    return command.Wait();
  };
  const Outcome here = predict("here.parquet", "local");
  const Outcome there = predict("there.parquet", engine_.substr(std::string("engine=").size()));
  ASSERT_EQ(there.exit, 0) << there.err;
  EXPECT_EQ(there.json["metrics"], here.json["metrics"]);
  EXPECT_GT(there.json["metrics"]["test"]["rows"].get<int64_t>(), 2000);
  EXPECT_TRUE(fs::exists(scratch_.path() / "there.parquet" / "_SUCCESS"));
}

// score() within a query over the same table, in another one's rows, and in the SQL of a job.
TEST_F(SparkJob, ScoresInSqlAsTheEmbeddedEngineDoes) {
  const OwnJob own(MachinesTable(200));
  ASSERT_EQ(own.Run({"--set", "train.epochs=1"}).exit, 0);
  const std::string model = own.Model();
  const std::string scored = "score('" + model + "', (SELECT * FROM machines WHERE id < 50))";
  const std::string queries[] = {
      "SELECT m.kind, count(*) AS n, max(s.prediction) AS p, min(m.age) AS a FROM machines m "
      "JOIN " +
          scored + " s ON m.id = s.id GROUP BY m.kind ORDER BY m.kind",
      "SELECT id, once, prediction FROM score('" + model +
          "', (SELECT id, kind, age, load, prediction AS once FROM " + scored +
          " WHERE id > 40)) ORDER BY id",
      "WITH few AS (SELECT * FROM " + scored +
          " WHERE id < 9), again AS (SELECT id, kind, age, load "
          "FROM few) SELECT f.id, a.prediction FROM few f, score('" +
          model + "', again) a WHERE a.id = f.id ORDER BY f.id"};
  for (const std::string& query : queries) {
    const auto rows = [&](const std::string& engine) {
      return RunCommand({ProtiumCommand(), "sql", query, "--json", "--engine", engine, "--table",
                         "machines=" + (own / "machines.csv").string()});
    };
    const Outcome here = rows("local"), there = rows(engine_.substr(engine_.find('=') + 1));
    ASSERT_EQ(there.exit, 0) << there.err;
    EXPECT_EQ(there.json, here.json);
    EXPECT_FALSE(here.json["rows"].empty()) << here.err;
  }
}

TEST_F(SparkJob, IsPossibleAccordingToTheDoctor) {
  const std::string address = engine_.substr(engine_.find('=') + 1);
  Running doctor({ProtiumCommand(), "doctor", "--json", "--engine", address}, scratch_.path());
  const Outcome outcome = doctor.Wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("\"name\":\"executors\",\"ok\":true"));
  EXPECT_EQ(outcome.json["findings"].back()["name"], "training") << outcome.out;
}

}  // namespace protium::whole
