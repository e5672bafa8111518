// SPDX-License-Identifier: Apache-2.0
// A label belongs to training: rows without one are left out, while every row is scored.
#include <gtest/gtest.h>

#include <sstream>

#include "whole/flights.h"
#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// The tables of another month with the cells of one column of flights.csv changed; nothing drops
// the column.
std::string ChangedColumn(const Scratch& scratch, size_t column, const std::string& cell,
                          bool drop = false) {
  const fs::path tables = scratch.path() / "tables";
  fs::copy(ExampleTables(500, 9), tables);
  std::istringstream in(ReadText(tables / "flights.csv"));
  std::ofstream out(tables / "flights.csv");
  bool head = true;
  for (std::string line; std::getline(in, line); head = false) {
    std::istringstream cells(line);
    std::string changed, each;
    for (size_t i = 0; std::getline(cells, each, ','); ++i) {
      if (i == column && drop) continue;
      changed += (changed.empty() ? "" : ",") + (i == column && !head ? cell : each);
    }
    out << changed << "\n";
  }
  return tables.string();
}

constexpr size_t kDepDelay = 4, kArrDelay = 6;

struct Trained {
  Scratch scratch;
  Outcome run = RunFlights(scratch, ExampleTables(3000), {});
  std::string model() const { return run.json["model"].get<std::string>(); }
};

const Trained& Once() {
  static const Trained trained;
  return trained;
}

Outcome Predict(const Scratch& scratch, const std::string& tables) {
  Running command({ProtiumCommand(), "predict", "--json", "--model", Once().model(), "--data",
                   tables, "--output", (scratch.path() / "scored.parquet").string()},
                  scratch.path());
  return command.Wait();
}

}  // namespace

TEST(Predict, ScoresFlightsThatAreStillInTheAir) {
  ASSERT_EQ(Once().run.exit, 0) << Once().run.err;
  const Scratch scratch;
  const Outcome scored = Predict(scratch, ChangedColumn(scratch, kArrDelay, "NA"));
  ASSERT_EQ(scored.exit, 0) << scored.err;
  EXPECT_EQ(scored.json["rows_in"]["flights"], 500) << scored.out;
  EXPECT_EQ(scored.json["rows_out"], 500) << scored.out;
}

TEST(Predict, NeedsNoColumnOfTheLabel) {
  ASSERT_EQ(Once().run.exit, 0) << Once().run.err;
  const Scratch scratch;
  const Outcome scored = Predict(scratch, ChangedColumn(scratch, kArrDelay, "", true));
  ASSERT_EQ(scored.exit, 0) << scored.err;
  EXPECT_EQ(scored.json["rows_out"], 500) << scored.out;
  EXPECT_TRUE(Has(scored.err, "flights has no column arr_delay")) << scored.err;
}

TEST(Predict, GivesARowTheSamePredictionWithAndWithoutItsLabel) {
  ASSERT_EQ(Once().run.exit, 0) << Once().run.err;
  const auto predictions = [](const std::string& tables, const Scratch& scratch) {
    const fs::path output = scratch.path() / "scored.csv";
    Running command({ProtiumCommand(), "predict", "--model", Once().model(), "--data", tables,
                     "--output", output.string()},
                    scratch.path());
    EXPECT_EQ(command.Wait().exit, 0);
    std::vector<std::string> last;
    std::istringstream lines(ReadText(output));
    for (std::string line; std::getline(lines, line);) last.push_back(line.substr(line.rfind(',')));
    std::sort(last.begin(), last.end());
    return last;
  };
  const Scratch with, without;
  EXPECT_EQ(predictions(ExampleTables(500, 9), with),
            predictions(ChangedColumn(without, kArrDelay, "", true), without));
}

TEST(Predict, NeedsNoColumnThatTheSqlRenamesToTheLabel) {
  const std::string sql =
      "SELECT id, kind, age, load, m.hours AS \\\"life left\\\" FROM machines m";
  std::string job = With(kMachinesJob, "SELECT * FROM machines", sql);
  const OwnJob own(MachinesTable(300), With(job, "label = \"hours\"", "label = \"life left\""));
  ASSERT_EQ(own.Run().exit, 0);
  own.Write("new/machines.csv", MachinesTable(20, 0, false));
  const std::vector<std::string> words = {"predict",   "--model",  own.Model(),    "--data",
                                          own / "new", "--output", own / "out.csv"};
  const Outcome scored = own.Protium(words);
  ASSERT_EQ(scored.exit, 0) << scored.err;
  EXPECT_TRUE(Has(scored.err, "machines has no column hours")) << scored.err;
  EXPECT_TRUE(Has(scored.out, "out: 20")) << scored.out;
}

TEST(Predict, NamesTheColumnsThatTheLabelIsComputedFrom) {
  const std::string sql = "SELECT id, kind, age, load, hours / 24 AS days FROM machines";
  std::string job = With(kMachinesJob, "SELECT * FROM machines", sql);
  const OwnJob own(MachinesTable(300), With(job, "label = \"hours\"", "label = \"days\""));
  ASSERT_EQ(own.Run().exit, 0);
  own.Write("new/machines.csv", MachinesTable(20, 0, false));
  const Outcome scored = own.Protium(
      {"predict", "--model", own.Model(), "--data", own / "new", "--output", own / "out.csv"});
  EXPECT_EQ(scored.exit, 3) << scored.err;
  EXPECT_TRUE(Has(scored.err, "machines.hours")) << scored.err;
}

TEST(Predict, SaysSoWhenTheSqlLetsNoRowThrough) {
  ASSERT_EQ(Once().run.exit, 0) << Once().run.err;
  const Scratch scratch;
  const Outcome scored = Predict(scratch, ChangedColumn(scratch, kDepDelay, "NA"));
  EXPECT_EQ(scored.exit, 0) << scored.err;
  EXPECT_EQ(scored.json["rows_out"], 0) << scored.out;
  EXPECT_TRUE(Has(scored.err, "selects no row of these tables")) << scored.err;
}

TEST(Predict, ReadsColumnsWithTheTypesTheyWereLearnedWith) {
  // Codes that are text, since one of them has a letter; those in the new table look like numbers.
  std::string table = "code,kind,age,load,hours\n";
  for (int i = 0; i < 300; ++i) table += i % 2 == 0 ? "A7,press,1,2,100\n" : "007,press,1,2,900\n";
  std::string job = With(kMachinesJob, "inputs = [\"kind\"]", "inputs = [\"code\"]");
  job = With(job, "[split]\nby = [\"id\"]\n", "");
  const OwnJob own(table, With(job, "validation = { share = 0.1, by = [\"id\"] }\n", ""));
  ASSERT_EQ(own.Run({"--set", "train.epochs=20"}).exit, 0);
  own.Write("new/machines.csv", "code,kind,age,load\n007,press,1,2\n7,press,1,2\n");
  const Outcome scored = own.Protium(
      {"predict", "--model", own.Model(), "--data", own / "new", "--output", own / "out.csv"});
  ASSERT_EQ(scored.exit, 0) << scored.err;
  EXPECT_TRUE(Has(own.Text("out.csv"), "\"007\"")) << own.Text("out.csv");
  std::istringstream lines(own.Text("out.csv"));
  std::string head, known, unseen;
  std::getline(lines, head);
  std::getline(lines, known);
  std::getline(lines, unseen);
  EXPECT_NE(known.substr(known.rfind(',')), unseen.substr(unseen.rfind(',')));
}

TEST(Training, LeavesRowsWithoutALabelOutAndCountsThem) {
  const OwnJob own(MachinesTable(600, 10));
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(Has(run.err, " rows have no \"hours\": they are left out of training")) << run.err;
}

TEST(Training, OnRowsWithoutALabelGivesTheWeightsOfTheOthers) {
  std::string labelled;
  std::istringstream lines(MachinesTable(600, 10));
  for (std::string line; std::getline(lines, line);) {
    if (line.back() != ',') labelled += line + "\n";
  }
  const OwnJob all(MachinesTable(600, 10)), some(labelled);
  const Outcome with = all.Run(), without = some.Run();
  ASSERT_EQ(with.exit, 0) << with.err;
  ASSERT_EQ(without.exit, 0) << without.err;
  EXPECT_EQ(ReadWeightsHash(all.Model(), all.path()), ReadWeightsHash(some.Model(), some.path()));
}

TEST(Training, WithoutAnyLabelIsRefused) {
  const OwnJob own(MachinesTable(60, 1));
  const Outcome run = own.Run();
  EXPECT_NE(run.exit, 0);
  EXPECT_TRUE(Has(run.err, "hours")) << run.err;
}

}  // namespace protium::whole
