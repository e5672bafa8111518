// SPDX-License-Identifier: Apache-2.0
// The example job from its tables to its scored table, as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "whole/flights.h"

namespace protium::whole {

namespace fs = std::filesystem;

TEST(FlightsJob, TrainsScoresAndReportsInOneCommand) {
  const Scratch scratch;
  const Outcome run = RunFlights(scratch, ExampleTables(4000), {});
  ASSERT_EQ(run.exit, 0) << run.err;
  const Json& result = run.json;
  for (const char* key :
       {"run", "folder", "model", "outputs", "metrics", "seconds", "workers", "shards", "steps"}) {
    EXPECT_TRUE(result.contains(key)) << key << " in " << Dump(result);
  }
  for (const char* key : {"total", "etl", "first_step", "train", "score"}) {
    EXPECT_GT(result["seconds"].value(key, -1.0), 0.0) << key;
  }
  EXPECT_EQ(result["workers"], 2);
  EXPECT_EQ(result["shards"], 4);
  const Json& test = result["metrics"]["test"];
  EXPECT_GT(test["rows"].get<int64_t>(), 400);
  EXPECT_GE(test["rmse"].get<double>(), test["mae"].get<double>());
  EXPECT_TRUE(result["metrics"]["validation"].contains("rmse"));
  EXPECT_TRUE(result["metrics"]["baseline"].contains("mae"));
  const fs::path folder = result["folder"].get<std::string>();
  EXPECT_GT(fs::file_size(folder / "report.html"), 5000u);
  EXPECT_GT(fs::file_size(folder / "predictions.parquet"), 5000u);
  EXPECT_GE(LastEventValue(folder, "step"), result["steps"].get<int64_t>());
}

TEST(FlightsJob, IsTheSameAsTheProgram) {
  const Scratch scratch;
  const std::string tables = ExampleTables(3000);
  const Outcome job = RunFlights(scratch, tables, {});
  ASSERT_EQ(job.exit, 0) << job.err;
  Running program({FlightsProgram(), "--json", "--runs-dir", (scratch.path() / "runs").string(),
                   "--set", "data=" + tables, "--set", "train.epochs=2"},
                  scratch.path());
  const Outcome same = program.Wait();
  ASSERT_EQ(same.exit, 0) << same.err;
  EXPECT_EQ(ModelWeights(job, scratch), ModelWeights(same, scratch));
}

TEST(FlightsJob, GivesTheSameWeightsForAnyNumberOfWorkers) {
  const Scratch scratch;
  const std::string tables = ExampleTables(3000);
  const std::string two = ModelWeights(RunFlights(scratch, tables, {}), scratch);
  ASSERT_FALSE(two.empty());
  for (const char* workers : {"1", "3", "4"}) {
    const Outcome run = RunFlights(scratch, tables, {"gang.workers=" + std::string(workers)});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(ModelWeights(run, scratch), two) << workers << " workers";
  }
}

TEST(FlightsJob, GivesOtherWeightsForAnotherSeed) {
  const Scratch scratch;
  const std::string tables = ExampleTables(3000);
  EXPECT_NE(ModelWeights(RunFlights(scratch, tables, {}), scratch),
            ModelWeights(RunFlights(scratch, tables, {"train.seed=2"}), scratch));
}

TEST(FlightsJob, GivesTheSameWeightsForAnyOrderOfTheInputRows) {
  const Scratch scratch;
  const fs::path tables = ExampleTables(3000);
  const fs::path shuffled = scratch.path() / "shuffled";
  fs::copy(tables, shuffled);
  std::ifstream in(tables / "flights.csv");
  std::string header;
  std::getline(in, header);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::shuffle(lines.begin(), lines.end(), std::mt19937(5));
  std::ofstream out(shuffled / "flights.csv");
  out << header << "\n";
  for (const std::string& line : lines) out << line << "\n";
  out.close();
  EXPECT_EQ(ModelWeights(RunFlights(scratch, tables, {}), scratch),
            ModelWeights(RunFlights(scratch, shuffled, {}), scratch));
}

TEST(FlightsJob, BeatsTheStraightLineOnTheRealTables) {
  const std::string tables = RealTables();
  if (tables.empty()) GTEST_SKIP() << "the real tables are not beside this repository";
  const Scratch scratch;
  Running command(FlightsCommand(scratch, tables, {"train.epochs=10"}), scratch.path());
  const Outcome run = command.Wait();
  ASSERT_EQ(run.exit, 0) << run.err;
  const Json& metrics = run.json["metrics"];
  EXPECT_GT(metrics["test"]["rows"].get<int64_t>(), 5000);
  EXPECT_LT(metrics["test"]["rmse"].get<double>(), metrics["baseline"]["rmse"].get<double>());
  EXPECT_LT(metrics["test"]["mae"].get<double>(), metrics["baseline"]["mae"].get<double>());
}

TEST(Plan, OfAProgramIsThatOfItsJobFile) {
  const Scratch scratch;
  const std::string data = "data=" + ExampleTables(500);
  Running of_job({ProtiumCommand(), "plan", FlightsJob(), "--json", "--set", data}, scratch.path());
  Running of_program({FlightsProgram(), "plan", "--json", "--set", data}, scratch.path());
  const Outcome job = of_job.Wait(), program = of_program.Wait();
  ASSERT_EQ(job.exit, 0) << job.err;
  ASSERT_EQ(program.exit, 0) << program.err;
  ASSERT_EQ(program.json["acts"].size(), 1u) << program.out;
  for (const char* part : {"sql", "not_exact", "placement", "stages", "training", "pipeline"}) {
    EXPECT_EQ(program.json["acts"][0][part], job.json[part]) << part;
  }
  EXPECT_EQ(program.json["whole"], false) << "scoring needs the model";
}

}  // namespace protium::whole
