// SPDX-License-Identifier: Apache-2.0
// Searches by generations as a user runs them, with nets that really go on from checkpoints.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "whole/live_run.h"
#include "whole/own_job.h"
#include "whole/search_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;
using testing::HasSubstr;

namespace {

const std::string kPopulation = With(std::string(kMachinesJob), "epochs = 2", "epochs = 8") + R"(
[search]
method = "population"
population = 4
every = 2
seed = 1
[search.space]
"train.optimizer.learning_rate" = { log_uniform = [1e-4, 1e-1] }
"train.optimizer.weight_decay" = { log_uniform = [1e-6, 1e-2] }
)";

// The trial of the last generation whose options have changed most often, and its lineage.
std::vector<Json> MostChanged(const Json& table) {
  std::vector<Json> most;
  size_t changes = 0;
  for (const Json& last : table["trials"]) {
    std::vector<Json> lineage = {last};
    while (lineage.front().contains("parent")) {
      lineage.insert(lineage.begin(), table["trials"][lineage.front()["parent"].get<size_t>() - 1]);
    }
    size_t changed = 1;
    for (size_t i = 1; i < lineage.size(); ++i) {
      changed += lineage[i]["values"] != lineage[i - 1]["values"];
    }
    if (lineage.size() < 4 || changed <= changes) continue;
    changes = changed;
    most = lineage;
  }
  return most;
}

double NumberIn(const Json& trial, const char* option) {
  return trial["values"][std::string("train.optimizer.") + option].get<double>();
}

// The job that trains one net as the lineage was trained.
std::string Replay(const std::vector<Json>& lineage) {
  std::string changes;
  for (size_t i = 1; i < lineage.size(); ++i) {
    changes += fmt::format(
        "{{ after = {}, optimizer = {{ learning_rate = {}, weight_decay = {} }} }}, ", 2 * i,
        NumberIn(lineage[i], "learning_rate"), NumberIn(lineage[i], "weight_decay"));
  }
  return With(std::string(kMachinesJob), "epochs = 2",
              fmt::format("epochs = 8\nchanges = [{}]\n"
                          "optimizer = {{ learning_rate = {}, weight_decay = {} }}",
                          changes, NumberIn(lineage[0], "learning_rate"),
                          NumberIn(lineage[0], "weight_decay")));
}

}  // namespace

// A net that went on from the checkpoints of others is the net that is trained with their options
// from the start, to the last bit.
TEST(Population, TrainsWhatItsScheduleSays) {
  const OwnJob job(MachinesTable(600), kPopulation);
  const Outcome run = job.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  const fs::path folder = OnlyRun(job / "runs");
  const Json table = Trials(folder);
  ASSERT_EQ(table["trials"].size(), 16u);
  const std::vector<Json> lineage = MostChanged(table);
  ASSERT_EQ(lineage.size(), 4u) << table;

  const OwnJob alone(MachinesTable(600), Replay(lineage));
  const Outcome replayed = alone.Run();
  ASSERT_EQ(replayed.exit, 0) << replayed.err;
  const std::string events = ReadText(OnlyRun(alone / "runs") / "events.jsonl");
  EXPECT_THAT(events, HasSubstr("\"epoch\":8,"));
  EXPECT_THAT(events, HasSubstr("\"rmse\":" + lineage.back()["at_end"].dump()))
      << "after the last epoch";

  const std::string trial = fmt::format("trials/{:03}", lineage.back()["trial"].get<int>());
  EXPECT_EQ(LastEventValue(folder / trial, "epoch"), 8);
  EXPECT_FALSE(fs::exists(folder / trial / "checkpoints"));
  EXPECT_TRUE(table["schedule"].is_array());
  const Outcome shown = job.Protium({"runs", "show", folder.string()});
  EXPECT_THAT(shown.out, HasSubstr("  the best was trained with\n    epoch"));
}

TEST(Population, IsTheSameForAnyNumberOfGangsAndAfterAKill) {
  const OwnJob one(MachinesTable(600), kPopulation), two(MachinesTable(600), kPopulation);
  const Outcome a = RunJson(one, {"--set", "search.parallel=1"});
  ASSERT_EQ(a.exit, 0) << a.err;

  Running command({ProtiumCommand(), "run", (two / "job.toml").string(), "--runs-dir",
                   (two / "runs").string(), "--set", "search.parallel=2"},
                  two.path());
  const auto begun = [&] { return fs::exists(OnlyRun(two / "runs") / "trials"); };
  ASSERT_TRUE(command.AwaitChange(two / "runs", begun)) << command.Wait().err;
  const fs::path run = OnlyRun(two / "runs");
  const auto second = [&] { return fs::exists(run / "trials/006"); };
  ASSERT_TRUE(command.AwaitChange(run / "trials", second)) << command.Wait().err;
  command.Signal(SIGKILL);
  command.Wait();
  const Outcome b = two.Protium({"resume", run.string(), "--json"});
  ASSERT_EQ(b.exit, 0) << b.err;
  EXPECT_EQ(Trials(run), Trials(OnlyRun(one / "runs")));
  EXPECT_EQ(Weights(b, two), Weights(a, one));
  EXPECT_EQ(b.json["search"]["schedule"], a.json["search"]["schedule"]);
}

TEST(Population, SaysWhatItMayVary) {
  const OwnJob job(MachinesTable(60),
                   With(kPopulation, "train.optimizer.weight_decay", "train.batch_size"));
  const Outcome run = job.Run();
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("train.batch_size cannot change in mid-training"));
  EXPECT_THAT(run.err, HasSubstr("train.optimizer.learning_rate"));
}

}  // namespace protium::whole
