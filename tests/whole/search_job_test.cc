// SPDX-License-Identifier: Apache-2.0
// Searches as a user runs them: grid, random draws, folds, trials that diverge, kill and resume.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "whole/live_run.h"
#include "whole/own_job.h"
#include "whole/search_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;
using testing::HasSubstr;

namespace {

const std::string kGrid = std::string(kMachinesJob) + R"(
[search]
method = "grid"
metric = "rmse"
[search.space]
"train.optimizer.learning_rate" = [1e-3, 3e-2]
"net.hidden" = [[8], [16, 8]]
)";

// The same with about a thousand steps per fit, so that it can be interrupted in the middle of one.
std::string Longer(const std::string& job) {
  return With(With(job, "batch_size = 64", "batch_size = 8"), "epochs = 2",
              "epochs = 20\ncheckpoint = { every_steps = 40 }");
}

// The numbers of the trials that packed their rows, and a dash for each that found them packed.
std::string PackedBy(const OwnJob& job) {
  std::string trials;
  for (const char* trial : {"001", "002", "003", "004"}) {
    const std::string events = ReadText(OnlyRun(job / "runs") / "trials" / trial / "events.jsonl");
    if (events.find("\"packed\":true") != events.npos) trials += trial;
    if (events.find("\"packed\":false") != events.npos) trials += "-";
  }
  return trials;
}

}  // namespace

TEST(Search, TriesAGridAndRefitsTheBest) {
  const OwnJob job(MachinesTable(600), kGrid);
  const Outcome run = job.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  const fs::path folder = OnlyRun(job / "runs");
  const Json table = Trials(folder);
  ASSERT_EQ(table["trials"].size(), 4u) << run.err;
  double best = 1e9;
  for (const Json& trial : table["trials"]) {
    EXPECT_EQ(trial["state"], "done") << trial;
    best = std::min(best, trial["value"].get<double>());
  }
  EXPECT_EQ(table["trials"][table["best"].get<size_t>() - 1]["value"], best);
  for (const char* line :
       {"trial    1/4  rmse ", "trial    4/4  rmse ", "best: rmse", "is fitted on all rows for"}) {
    EXPECT_THAT(run.err, HasSubstr(line));
  }
  EXPECT_THAT(run.out, HasSubstr("best of 4 trials: trial "));
  EXPECT_THAT(ReadText(folder / "trials.csv"), HasSubstr("1,done,0.001,[8],"));
  EXPECT_THAT(ReadText(folder / "report.html"), HasSubstr("\"best\":" + table["best"].dump()));
  EXPECT_TRUE(fs::exists(folder / "trials/003/events.jsonl"));
  EXPECT_FALSE(fs::exists(folder / "trials/003/checkpoints"));
  EXPECT_TRUE(fs::exists(folder / "model/weights.safetensors"));
  const Outcome more = job.Protium({"resume", folder.string(), "--set", "search.trials=9"});
  EXPECT_EQ(more.exit, 2);
  EXPECT_THAT(more.err, HasSubstr("a grid has all its trials"));
}

// The first of four trials packs the rows.
TEST(Search, PacksTheRowsOfItsTrialsOnce) {
  const OwnJob job(MachinesTable(600), kGrid), two(MachinesTable(600), kGrid);
  const Outcome run = RunJson(job, {"--set", "search.parallel=1"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(PackedBy(job), "001---");
  EXPECT_FALSE(fs::exists(OnlyRun(job / "runs") / "trials/rows")) << "nobody needs them any more";
  // Without room for them every trial packs, with the same results.
  const Outcome each =
      RunJson(two, {"--set", "search.parallel=1", "--set", "engine.rows_memory=1KiB"});
  ASSERT_EQ(each.exit, 0) << each.err;
  EXPECT_EQ(PackedBy(two), "001002003004");
  EXPECT_EQ(Trials(OnlyRun(job / "runs")), Trials(OnlyRun(two / "runs")));
  EXPECT_EQ(Weights(run, job), Weights(each, two));
}

// A stage that learns nothing still makes other rows.
TEST(Search, PacksTheRowsOfOtherStagesAnew) {
  std::string text =
      With(kGrid, "[[pipeline]]\nkind = \"standard_scaler\"",
           "[[pipeline]]\nkind = \"clip\"\nid = \"clip\"\ninputs = [\"age\"]\nhigh = 9\n"
           "[[pipeline]]\nkind = \"standard_scaler\"");
  text = With(text, "numeric = [{ stage = \"scale\" }]",
              "numeric = [{ stage = \"scale\" }, { stage = \"clip\" }]");
  text = With(text, "\"net.hidden\" = [[8], [16, 8]]", "\"pipeline.clip.high\" = [5, 20]");
  const OwnJob job(MachinesTable(600), text);
  const Outcome run = RunJson(job, {"--set", "search.parallel=1"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(PackedBy(job), "001002--");
}

TEST(Search, IsTheSameHoweverManyWorkersAndGangsThereAre) {
  const std::string job_text = With(kGrid, "method = \"grid\"", "method = \"random\"\ntrials = 3");
  const OwnJob one(MachinesTable(600), job_text), many(MachinesTable(600), job_text);
  const Outcome a = RunJson(one, {"--set", "search.parallel=1", "--set", "gang.workers=1"});
  const Outcome b = RunJson(many, {"--set", "search.parallel=3", "--set", "gang.workers=2"});
  ASSERT_EQ(a.exit, 0) << a.err;
  ASSERT_EQ(b.exit, 0) << b.err;
  EXPECT_EQ(Trials(OnlyRun(one / "runs")), Trials(OnlyRun(many / "runs")));
  EXPECT_EQ(Weights(a, one), Weights(b, many));
  EXPECT_EQ(a.json["search"]["trials"], 3);
}

TEST(Search, MeasuresByFolds) {
  const OwnJob job(MachinesTable(600), std::string(kMachinesJob) + R"(
[folds]
k = 3
by = ["id"]
repeats = 2
)");
  const Outcome plan = job.Protium({"plan", (job / "job.toml").string()});
  EXPECT_THAT(plan.out, HasSubstr("1 trial by rmse on 3 folds by id, 2 times: 6 fits")) << plan.err;
  const Outcome run = RunJson(job);
  ASSERT_EQ(run.exit, 0) << run.err;
  const Json trial = Trials(OnlyRun(job / "runs"))["trials"][0];
  EXPECT_EQ(trial["folds"].size(), 6u);
  EXPECT_GT(trial["deviation"].get<double>(), 0);
  EXPECT_EQ(run.json["search"]["value"], trial["value"]);
  EXPECT_TRUE(run.json["metrics"]["test"].contains("rmse")) << "the model is measured as ever";
}

TEST(Search, GoesOnAfterATrialThatDiverges) {
  const OwnJob job(MachinesTable(600), With(kGrid, "[1e-3, 3e-2]", "[1e30, 1e-3]"));
  const Outcome run = RunJson(job, {"--set", "train.optimizer.name=sgd"});
  ASSERT_EQ(run.exit, 0) << run.err;
  const Json table = Trials(OnlyRun(job / "runs"));
  EXPECT_EQ(table["trials"][0]["state"], "failed");
  EXPECT_THAT(table["trials"][0]["error"].get<std::string>(), HasSubstr("not finite"));
  EXPECT_EQ(run.json["search"]["failed"], 2);
  EXPECT_THAT(run.err, HasSubstr("failed: "));
  const OwnJob hopeless(MachinesTable(600), With(kGrid, "[1e-3, 3e-2]", "[1e30]"));
  const Outcome failed = RunJson(hopeless, {"--set", "train.optimizer.name=sgd"});
  EXPECT_EQ(failed.exit, 1);
  EXPECT_THAT(failed.err, HasSubstr("all 2 trials failed, the first of them: "));
  EXPECT_THAT(ReadText(OnlyRun(hopeless / "runs") / "report.html"), HasSubstr("not finite"));
}

TEST(Search, RefusesMistakesWithTheirPlaceBeforeAnythingStarts) {
  const OwnJob job(MachinesTable(60),
                   With(kGrid, "\"net.hidden\" = [[8], [16, 8]]", "\"train.epochs\" = [1, 0]"));
  const Outcome run = job.Run();
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("epochs must be at least 1, got 0"));
  EXPECT_THAT(run.err, HasSubstr("job.toml:35:18")) << "the line of the space";
  EXPECT_FALSE(fs::exists(job / "runs"));
  const OwnJob misspelt(MachinesTable(60), With(kGrid, "\"net.hidden\"", "\"net.hiden\""));
  EXPECT_THAT(misspelt.Run().err, HasSubstr("did you mean \"hidden\"?"));
}

// Killed in the middle of the third trial: finished trials stay, the current one continues.
TEST(Search, ThatIsKilledGoesOnWithWhatIsLeft) {
  const std::string text = Longer(kGrid);
  const std::vector<std::string> serial = {"--set", "search.parallel=1"};
  const OwnJob quiet(MachinesTable(600), text);
  const Outcome undisturbed = RunJson(quiet, serial);
  ASSERT_EQ(undisturbed.exit, 0) << undisturbed.err;

  const OwnJob job(MachinesTable(600), text);
  std::vector<std::string> words = {ProtiumCommand(), "run", (job / "job.toml").string(),
                                    "--runs-dir", (job / "runs").string()};
  words.insert(words.end(), serial.begin(), serial.end());
  Running command(words, job.path());
  // A wait sees changes in its folder and the folders in it, but not below them.
  const auto begun = [&] { return fs::exists(OnlyRun(job / "runs") / "trials"); };
  ASSERT_TRUE(command.AwaitChange(job / "runs", begun)) << command.Wait().err;
  const fs::path run = OnlyRun(job / "runs");
  const auto half_way = [&] { return LastEventValue(run / "trials/003", "step") >= 80; };
  ASSERT_TRUE(command.AwaitChange(run / "trials", half_way)) << command.Wait().err;
  command.Signal(SIGKILL);
  command.Wait();
  ASSERT_EQ(Trials(run)["trials"].size(), 2u);
  const auto first = ReadText(run / "trials/001/events.jsonl");

  const Outcome resumed = job.Protium({"resume", run.string(), "--json"});
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(Trials(run), Trials(OnlyRun(quiet / "runs")));
  EXPECT_EQ(Weights(resumed, job), Weights(undisturbed, quiet));
  EXPECT_EQ(ReadText(run / "trials/001/events.jsonl"), first) << "it was over";
  // The interrupted trial continued from a checkpoint, not from its beginning.
  std::ifstream lines(run / "trials/003/events.jsonl");
  int64_t begun_at = -1;
  for (std::string line; std::getline(lines, line);) {
    const auto event = ParseJson(line);
    if (event.ok() && event->value("event", "") == "train_start") {
      begun_at = event->value("step", int64_t{0});
    }
  }
  EXPECT_GT(begun_at, 0);
}

// One table, although one search tries trial by trial, one two at a time, and one is killed in the
// middle and resumed.
TEST(Search, PrunesTheSameTrialsForAnyNumberOfGangsAndAfterAKill) {
  const std::string text = Longer(
      With(With(kGrid, "method = \"grid\"", "method = \"tpe\"\ntrials = 8\nprune = \"asha\""),
           "[1e-3, 3e-2]", "{ log_uniform = [1e-4, 0.1] }"));
  const OwnJob one(MachinesTable(600), text), two(MachinesTable(600), text);
  const Outcome a = RunJson(one, {"--set", "search.parallel=1"});
  ASSERT_EQ(a.exit, 0) << a.err;
  EXPECT_GT(a.json["search"]["pruned"].get<int>(), 1) << a.err;
  EXPECT_THAT(a.err, HasSubstr("  pruned: rmse "));

  Running command({ProtiumCommand(), "run", (two / "job.toml").string(), "--runs-dir",
                   (two / "runs").string(), "--set", "search.parallel=2"},
                  two.path());
  const auto begun = [&] { return fs::exists(OnlyRun(two / "runs") / "trials"); };
  ASSERT_TRUE(command.AwaitChange(two / "runs", begun)) << command.Wait().err;
  const fs::path run = OnlyRun(two / "runs");
  const auto half_way = [&] { return Trials(run).contains("trials"); };
  ASSERT_TRUE(command.AwaitChange(run, half_way)) << command.Wait().err;
  command.Signal(SIGKILL);
  command.Wait();
  const Outcome b = two.Protium({"resume", run.string(), "--json"});
  ASSERT_EQ(b.exit, 0) << b.err;
  EXPECT_EQ(Trials(run), Trials(OnlyRun(one / "runs")));
  EXPECT_EQ(Weights(b, two), Weights(a, one));
}

// Ctrl-C in the last fit, on all rows, is resumed like any training.
TEST(Search, ThatIsStoppedInItsLastFitContinuesIt) {
  const std::string text = Longer(With(kGrid, "[1e-3, 3e-2]", "[1e-3]"));
  const OwnJob quiet(MachinesTable(600), text), job(MachinesTable(600), text);
  const Outcome undisturbed = RunJson(quiet);
  ASSERT_EQ(undisturbed.exit, 0) << undisturbed.err;
  Running command(
      {ProtiumCommand(), "run", (job / "job.toml").string(), "--runs-dir", (job / "runs").string()},
      job.path());
  const auto in_refit = [&] {
    const fs::path run = OnlyRun(job / "runs");
    return !run.empty() && LastEventValue(run, "step") >= 10;
  };
  ASSERT_TRUE(command.AwaitChange(job / "runs", in_refit)) << command.Wait().err;
  command.Signal(SIGINT);
  const Outcome stopped = command.Wait();
  EXPECT_EQ(stopped.exit, 75) << stopped.err;
  const fs::path run = OnlyRun(job / "runs");
  const Outcome resumed = job.Protium({"resume", run.string(), "--json"});
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(Trials(run), Trials(OnlyRun(quiet / "runs")));
  EXPECT_EQ(Weights(resumed, job), Weights(undisturbed, quiet));
}

// More trials after the end, killed in the middle of them.
TEST(Search, GoesOnWithMoreTrialsAsIfItHadHadThemFromTheStart) {
  const std::string text =
      Longer(With(With(kGrid, "method = \"grid\"", "method = \"random\"\nseed = 2"), "[1e-3, 3e-2]",
                  "{ log_uniform = [1e-4, 3e-2] }"));
  const OwnJob quiet(MachinesTable(600), text), job(MachinesTable(600), text);
  const Outcome undisturbed = RunJson(quiet, {"--set", "search.trials=5"});
  ASSERT_EQ(undisturbed.exit, 0) << undisturbed.err;
  const Outcome begun = RunJson(job, {"--set", "search.trials=2", "--set", "search.parallel=1"});
  ASSERT_EQ(begun.exit, 0) << begun.err;
  const fs::path run = OnlyRun(job / "runs");

  const Outcome fewer = job.Protium({"resume", run.string(), "--set", "search.trials=2"});
  EXPECT_EQ(fewer.exit, 2);
  EXPECT_THAT(fewer.err, HasSubstr("the search has 2 trials; resume can only add more"));
  Running command({ProtiumCommand(), "resume", run.string(), "--set", "search.trials=5"},
                  job.path());
  const auto half_way = [&] { return LastEventValue(run / "trials/004", "step") >= 80; };
  ASSERT_TRUE(command.AwaitChange(run / "trials", half_way)) << command.Wait().err;
  command.Signal(SIGKILL);
  command.Wait();
  const Outcome resumed = job.Protium({"resume", run.string(), "--json"});
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(resumed.json["search"]["trials"], 5);
  EXPECT_NE(resumed.json["search"]["best"], begun.json["search"]["best"]) << "another seed, please";
  EXPECT_EQ(Trials(run), Trials(OnlyRun(quiet / "runs")));
  EXPECT_EQ(Weights(resumed, job), Weights(undisturbed, quiet));
  EXPECT_EQ(resumed.json["metrics"], undisturbed.json["metrics"]);
}

// What the clock measures differs from run to run; that it was measured, and counts, does not.
TEST(Search, WeighsWhatItMeasuresByTheClock) {
  const std::string text =
      With(With(kGrid, "metric = \"rmse\"",
                "metric = [\"rmse\", \"latency_us\"]\nrequire = [\"predict_seconds < 1000\"]"),
           "[1e-3, 3e-2]", "[3e-2]");
  const OwnJob job(MachinesTable(600), text);
  const Outcome plan = job.Protium({"plan", (job / "job.toml").string()});
  EXPECT_THAT(plan.out, HasSubstr("trials by rmse and latency_us on validation rows")) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("required of the best: predict_seconds < 1000"));
  EXPECT_THAT(plan.out, HasSubstr("by the clock: latency_us and predict_seconds"));
  const Outcome run = job.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  const Json table = Trials(OnlyRun(job / "runs"));
  for (const Json& trial : table["trials"]) {
    for (const char* name : {"rmse", "latency_us", "predict_seconds"}) {
      EXPECT_GT(trial["measured"].value(name, 0.0), 0) << trial;
    }
  }
  EXPECT_FALSE(table["front"].empty());
  EXPECT_THAT(run.out, testing::ContainsRegex("front +rmse +latency_us"));
  EXPECT_THAT(run.err, HasSubstr("nearest to the best of each metric"));
  const Outcome none = job.Run({"--set", "search.require=[\"latency_us < 0.001\"]"});
  EXPECT_EQ(none.exit, 1);
  EXPECT_THAT(none.err, HasSubstr("none of 2 trials keeps what is required"));
}

TEST(Search, AsksForAnObjectiveInAnotherProgram) {
  const OwnJob job("", "[search]\ntrials = 2\n[search.space]\nx = [1, 2]\n");
  job.Write("requests", R"({"ask": {}}
{"ask"

{"tell": {"trial": 1, "value": 0.5}}
{"ask": {}}
{"tell": {"trial": 2, "value": 0.7}}
{"ask": {}})");
  const auto search = [&](const std::string& more) {
    Running command({"/bin/sh", "-c",
                     ProtiumCommand() + " search " + (job / "job.toml").string() + " " + more +
                         " <" + (job / "requests").string()},
                    job.path());
    return command.Wait();
  };
  const Outcome asked = search("--ask --higher-is-better value --set search.seed=1");
  ASSERT_EQ(asked.exit, 0) << asked.err;
  EXPECT_THAT(asked.out, testing::MatchesRegex("\\{\"trial\":1,\"values\":\\{\"x\":[12]\\}\\}\n"
                                               "\\{\"error\":[^\n]*\n"
                                               "\\{\"trial\":1,\"best\":1\\}\n"
                                               "\\{\"trial\":2,\"values\":\\{\"x\":[12]\\}\\}\n"
                                               "\\{\"trial\":2,\"best\":2\\}\n"
                                               "\\{\"trial\":null\\}\n"));
  EXPECT_EQ(search("").exit, 2);
  const Outcome wrong = search("--ask --set search.trials=-1");
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--set search.trials=-1"));
}

// A program that is killed and started again gets the same trials as one that was not.
TEST(Search, GoesOnWithWhatAKilledProgramHadAsked) {
  const OwnJob job("", R"([search]
method = "tpe"
trials = 14
[search.space]
x = { uniform = [-5, 5] }
)");
  const auto command = [&](const std::string& file) {
    return ProtiumCommand() + " search " + (job / "job.toml").string() + " --ask --save " +
           (job / file).string();
  };
  // Tells x * x of each trial; after `trials` of them it asks for one more and is killed.
  const std::string drive = (Repository() / "tests/whole/drive_search.py").string();
  const auto driven = [&](const std::string& file, const std::string& trials) {
    Running driver(
        {"/usr/bin/env", "python3", drive, trials, "/bin/sh", "-c", "exec " + command(file)},
        job.path());
    return driver.Wait();
  };
  const Outcome whole = driven("whole.jsonl", "0");
  ASSERT_EQ(whole.exit, 0) << whole.err;
  for (const char* trials : {"4", "5"}) EXPECT_EQ(driven("parts.jsonl", trials).exit, -SIGKILL);
  const Outcome rest = driven("parts.jsonl", "0");
  ASSERT_EQ(rest.exit, 0) << rest.err;
  EXPECT_EQ(rest.out, whole.out);
  Running other({"/bin/sh", "-c", command("whole.jsonl") + " --set search.seed=1 </dev/null"},
                job.path());
  const Outcome refused = other.Wait();
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.err, HasSubstr("search.seed"));
}

TEST(Search, OfTheExampleRunsAsItStands) {
  const Scratch scratch;
  Running command(
      {ProtiumCommand(), "run", (Repository() / "examples/flights/search.toml").string(), "--json",
       "--runs-dir", (scratch.path() / "runs").string(), "--set", "data=" + ExampleTables(3000),
       "--set", "train.epochs=1", "--set", "search.trials=2"},
      scratch.path());
  const Outcome run = command.Wait();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.json["search"]["trials"], 2);
  EXPECT_EQ(run.json["outputs"].size(), 1u);
}

}  // namespace protium::whole
