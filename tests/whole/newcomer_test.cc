// SPDX-License-Identifier: Apache-2.0
// A user's own job: what it prints about itself, and how it uses settings.
#include <gtest/gtest.h>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

Json ReadJsonFile(const fs::path& file) { return ParseJson(ReadText(file)).ValueOr(Json()); }

fs::path LastRun(const OwnJob& own) { return fs::path(own.Model()).parent_path(); }

// Where a setting was given, according to the run's job.json.
std::string SaidAt(const OwnJob& own, const std::string& key) {
  const Json job = ReadJsonFile(LastRun(own) / "job.json");
  for (const Json& each : job["settings"]) {
    if (each["key"] == key) return each["from"].get<std::string>();
  }
  return "not there";
}

}  // namespace

TEST(OwnJob, MeasuresItsTestRowsWithoutAnyOutputs) {
  const OwnJob own;
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(Has(run.err, "etl      600 rows")) << run.err;
  EXPECT_TRUE(Has(run.out, "model, test rows")) << run.out;
  EXPECT_TRUE(Has(run.out, "model, validation rows, epoch ")) << run.out;
  EXPECT_GT(ReadJsonFile(LastRun(own) / "result.json")["metrics"]["test"]["rows"], 50);
}

TEST(OwnJob, WithoutASplitCallsItsRowsWhatTheyAre) {
  const std::string job = With(kMachinesJob, "[split]\nby = [\"id\"]\n", "");
  const OwnJob own(MachinesTable(300), job + "[outputs]\nscored = { parquet = \"s.parquet\" }\n");
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(Has(run.out, "model, training rows")) << run.out;
  EXPECT_FALSE(Has(run.out, "test rows")) << run.out;
  EXPECT_TRUE(Has(run.out, "300 rows")) << run.out;
}

TEST(OwnJob, OfSqlAloneSaysThatItWroteNothingAndHowTo) {
  const std::string job = kMachinesJob;
  const OwnJob own(MachinesTable(300), job.substr(0, job.find("[split]")));
  const Outcome run = own.Run();
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(Has(run.err, "nothing was written")) << run.err;
  EXPECT_TRUE(Has(run.err, "[outputs]")) << run.err;
  EXPECT_TRUE(Has(run.err, "300 rows")) << run.err;
}

TEST(OwnJob, TakesOptionsOfWhatItsFileDoesNotName) {
  const OwnJob own;
  const Outcome run =
      own.Run({"--set", "train.optimizer.learning_rate=0.01", "--set", "net.dropout=0.25", "--set",
               "loss=huber", "--set", "loss.delta=2.5"});
  ASSERT_EQ(run.exit, 0) << run.err;
  const Json net = ReadJsonFile(fs::path(own.Model()) / "pipeline.json").back();
  EXPECT_EQ(net["train"]["optimizer"]["name"], "adam");
  EXPECT_EQ(net["train"]["optimizer"]["learning_rate"], 0.01);
  EXPECT_EQ(net["net"]["dropout"], 0.25);
  EXPECT_EQ(Dump(net["loss"]), R"({"name":"huber","delta":2.5})");
  EXPECT_EQ(SaidAt(own, "net.dropout"), "--set net.dropout=0.25");
  const Outcome refused = own.Run({"--set", "net.droput=0.5"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_TRUE(Has(refused.err, "did you mean \"dropout\"")) << refused.err;
}

TEST(OwnJob, ScalesItsLabelAndSaysSo) {
  const OwnJob own;
  const Outcome plan = own.Protium({"plan", own / "job.toml"});
  ASSERT_EQ(plan.exit, 0) << plan.err;
  EXPECT_TRUE(Has(plan.out, "predicts hours, standardized")) << plan.out;
  const Outcome none =
      own.Protium({"plan", own / "job.toml", "--set", "pipeline.3.label_scale=none"});
  EXPECT_TRUE(Has(none.out, "predicts hours, not scaled")) << none.out << none.err;
}

TEST(OwnJob, ThatLearnsFromItsLabelIsRefused) {
  const OwnJob own(MachinesTable(60), With(kMachinesJob, "[\"age\", {", "[\"age\", \"hours\", {"));
  const Outcome run = own.Run();
  EXPECT_EQ(run.exit, 2) << run.err;
  EXPECT_TRUE(Has(run.err, "the label \"hours\" is among")) << run.err;
  EXPECT_FALSE(fs::exists(own / "runs") && !fs::is_empty(own / "runs"));
}

TEST(OwnJob, ThatIsTakenUpAgainKnowsWhereItsSettingsWereSaid) {
  const OwnJob own;
  const Outcome run = own.Run(
      {"--set", "train.optimizer.learning_rate=1e30", "--set", "gang.max_restarts=0", "--json"});
  ASSERT_EQ(run.exit, 1) << run.err;
  const double total = ReadJsonFile(LastRun(own) / "result.json")["seconds"]["total"];
  const Outcome again = own.Protium({"resume", LastRun(own).string()});
  EXPECT_EQ(again.exit, 1) << again.err;
  EXPECT_EQ(SaidAt(own, "train.optimizer.learning_rate"),
            "--set train.optimizer.learning_rate=1e30");
  EXPECT_TRUE(Has(SaidAt(own, "train.epochs"), "job.toml:")) << SaidAt(own, "train.epochs");
  EXPECT_EQ(SaidAt(own, "train.keep"), "default");
  EXPECT_GT(ReadJsonFile(LastRun(own) / "result.json")["seconds"]["total"], total);
}

TEST(Program, RefusesASettingThatNothingReads) {
  const OwnJob own;
  Running program({FlightsProgram(), "--set", "data=" + ExampleTables(500), "--set", "dat=x",
                   "--runs-dir", (own / "runs").string()},
                  own.path());
  const Outcome outcome = program.Wait();
  EXPECT_EQ(outcome.exit, 2) << outcome.err;
  EXPECT_TRUE(Has(outcome.err, "unknown setting \"dat\"")) << outcome.err;
  EXPECT_TRUE(Has(outcome.err, "did you mean \"data\"")) << outcome.err;
  EXPECT_TRUE(fs::is_empty(own / "runs"));
}

TEST(Messages, OfADivergenceAreFoundAgainInTheLogs) {
  const OwnJob own;
  const Outcome run = own.Run({"--set", "train.optimizer.learning_rate=1e30"});
  ASSERT_EQ(run.exit, 1) << run.err;
  const Outcome logs = own.Protium({"logs", LastRun(own).string()});
  EXPECT_EQ(logs.exit, 0);
  EXPECT_TRUE(Has(logs.out + logs.err, "not finite")) << logs.out << logs.err;
}

TEST(Messages, FromBeforeTheStartAreJsonToo) {
  const OwnJob own;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", own / "none.toml", "--json"},
        std::vector<std::string>{"run", own / "job.toml", "--json", "--set", "train.epoch=3"},
        std::vector<std::string>{"predict", "--json"},
        std::vector<std::string>{"runs", "show", "none", "--json"}}) {
    const Outcome outcome = own.Protium(words);
    EXPECT_NE(outcome.exit, 0);
    ASSERT_TRUE(outcome.json.is_object()) << outcome.out;
    EXPECT_EQ(outcome.json["error"]["exit"], outcome.exit) << outcome.out;
    EXPECT_FALSE(outcome.json["error"]["what"].get<std::string>().empty());
  }
}

TEST(Messages, SayWhatAFileIs) {
  const OwnJob own;
  const Outcome job = own.Protium({"inspect", own / "job.toml"});
  EXPECT_EQ(job.exit, 2);
  EXPECT_TRUE(Has(job.err, "is a job file")) << job.err;
  own.Write("t.csv", std::string("\x1f\x8b\x08\0\0", 5));
  EXPECT_TRUE(Has(own.Protium({"inspect", own / "t.csv"}).err, "cannot be unpacked"));
  own.Write("t.parquet", "a,b\n1,2\n");
  EXPECT_TRUE(Has(own.Protium({"inspect", own / "t.parquet"}).err, "it is text that begins"));
}

TEST(Output, ThatNobodyReadsEndsACommandInOrder) {
  const OwnJob own;
  ASSERT_EQ(own.Run().exit, 0);
  fs::create_directory(own / "tmp");
  const std::string line = fmt::format(
      "'{}' predict --model '{}' --input '{}' --output '{}' | true; exit ${{PIPESTATUS[0]}}",
      ProtiumCommand(), own.Model(), (own / "machines.csv").string(),
      (own / "scored.csv").string());
  Running command({"/bin/bash", "-c", line}, own.path(), {{"TMPDIR", (own / "tmp").string()}});
  const Outcome outcome = command.Wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(own / "scored.csv"));
  EXPECT_TRUE(fs::is_empty(own / "tmp"));
}

TEST(Predict, TakesTablesWithoutRowsAndWithGaps) {
  const OwnJob own;
  ASSERT_EQ(own.Run().exit, 0);
  const auto predict = [&](const std::string& table) {
    own.Write("new.csv", table);
    return own.Protium({"predict", "--model", own.Model(), "--input", own / "new.csv", "--output",
                        own / "out.csv", "--force"});
  };
  EXPECT_EQ(predict("id,kind,age,load\n").exit, 0);
  // One row, in which the column that the model fills is empty.
  const Outcome gap = predict("id,kind,age,load\n7,press,3,\n");
  EXPECT_EQ(gap.exit, 0) << gap.err;
  EXPECT_TRUE(Has(gap.out, "out: 1\n")) << gap.out;
  const Outcome text = predict("id,kind,age,load\n7,press,old,1\n");
  EXPECT_EQ(text.exit, 3) << text.err;
  EXPECT_TRUE(Has(text.err, "column \"age\" holds \"old\"")) << text.err;
  EXPECT_TRUE(Has(text.err, "new.csv:2")) << text.err;
  const Outcome null = predict("id,kind,age,load\n7,press,,1\n");
  EXPECT_NE(null.exit, 0);
  EXPECT_TRUE(Has(null.err, "age")) << null.err;
  EXPECT_FALSE(Has(null.err, "age__scale")) << null.err;
}

}  // namespace protium::whole
