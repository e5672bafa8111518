// SPDX-License-Identifier: Apache-2.0
// No command overwrites a person's own files, whatever output it is given.
#include <gtest/gtest.h>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

std::string JobWith(const std::string& output) {
  return std::string(kMachinesJob) + "[outputs]\nscored = { parquet = \"" + output + "\" }\n";
}

const OwnJob& Machines() {
  static const OwnJob own;
  static const Outcome run = own.Run();
  EXPECT_EQ(run.exit, 0) << run.err;
  return own;
}

}  // namespace

TEST(Overwriting, OfAnInputByPredictIsRefused) {
  const OwnJob& own = Machines();
  own.Write("new/machines.csv", MachinesTable(40));
  const std::string before = own.Text("new/machines.csv");
  fs::create_directory_symlink(own / "new", own / "link");
  for (const char* output : {"new/machines.csv", "link/machines.csv", "link/../new/machines.csv"}) {
    for (const std::vector<std::string>& input :
         {std::vector<std::string>{"--data", own / "new"},
          std::vector<std::string>{"--input", own / "new/machines.csv"}}) {
      std::vector<std::string> words = {"predict",  "--model",    own.Model(),
                                        "--output", own / output, "--force"};
      words.insert(words.end(), input.begin(), input.end());
      const Outcome outcome = own.Protium(words);
      EXPECT_EQ(outcome.exit, 2) << outcome.err;
      EXPECT_TRUE(Has(outcome.err, "input")) << outcome.err;
      EXPECT_EQ(own.Text("new/machines.csv"), before);
    }
  }
  fs::remove(own / "link");
}

TEST(Overwriting, OfAFileByPredictNeedsForce) {
  const OwnJob& own = Machines();
  own.Write("mine.csv", "mine");
  std::vector<std::string> words = {"predict",        "--model", own.Model(),         "--output",
                                    own / "mine.csv", "--input", own / "machines.csv"};
  const Outcome refused = own.Protium(words);
  EXPECT_EQ(refused.exit, 2) << refused.err;
  EXPECT_TRUE(Has(refused.err, "--force")) << refused.err;
  EXPECT_EQ(own.Text("mine.csv"), "mine");
  words.push_back("--force");
  EXPECT_EQ(own.Protium(words).exit, 0);
  EXPECT_NE(own.Text("mine.csv"), "mine");
}

TEST(Overwriting, ByOutputsOfAJobIsRefusedBeforeItStarts) {
  const Scratch elsewhere;
  const fs::path mine = elsewhere.path() / "mine.parquet";
  std::ofstream(mine) << "mine";
  for (const std::string& output :
       {mine.string(), std::string("../scored.parquet"), std::string("job.json")}) {
    const OwnJob own(MachinesTable(60), JobWith(output));
    const Outcome outcome = own.Run();
    EXPECT_EQ(outcome.exit, 2) << outcome.err;
    EXPECT_TRUE(Has(outcome.err, "nothing was started")) << outcome.err;
    EXPECT_TRUE(Has(outcome.err, "job.toml:")) << outcome.err;
    EXPECT_EQ(ReadText(mine), "mine");
  }
}

// With --force, and through links of both kinds.
TEST(Overwriting, OfTheJobFileItselfIsRefusedBeforeItStarts) {
  const OwnJob own;
  fs::create_symlink(own / "job.toml", own / "link.parquet");
  fs::create_hard_link(own / "job.toml", own / "hard.parquet");
  for (const char* output : {"job.toml", "link.parquet", "hard.parquet"}) {
    own.Write("job.toml", JobWith((own / output).string()));
    const std::string before = own.Text("job.toml");
    const Outcome outcome = own.Run({"--force"});
    EXPECT_EQ(outcome.exit, 2) << output << "\n" << outcome.err;
    EXPECT_TRUE(Has(outcome.err, "nothing was started")) << outcome.err;
    EXPECT_EQ(own.Text("job.toml"), before) << output;
  }
}

// A model that is read, by any verb, and whatever else a command reads besides tables.
TEST(Overwriting, OfWhatElseACommandReadsIsRefused) {
  const OwnJob& own = Machines();
  const fs::path model = own.Model();
  fs::create_hard_link(model / "pipeline.json", own / "hard.csv");
  own.Write("ludwig.yaml", "input_features: []\n");
  const std::string table = (own / "machines.csv").string();
  const std::string weights = (model / "weights.safetensors").string();
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"predict", "--model", model, "--input", table, "--output", own / "hard.csv"},
           {"export", model, "--to", "onnx", "--output", model / "pipeline.json"},
           {"export", model, "--to", "safetensors", "--output", weights},
           {"export", model.parent_path(), "--to", "csv", "--output",
            model.parent_path() / "run.json"},
           {"import", weights, "--model", model, "--output", model},
           {"init", table, "--label", "hours", "--output", table},
           {"config", "import", own / "ludwig.yaml", "--output", own / "ludwig.yaml"},
           {"sql", "SELECT * FROM m", "--table", "m=" + table, "--output", table},
           {"gang", "--input", table, "--output", table, "--", "true"}}) {
    std::vector<std::string> forced = words;
    forced.insert(forced.begin() + 1, "--force");
    const std::string table_before = own.Text("machines.csv"), file = ReadText(own / "hard.csv");
    const Outcome outcome = own.Protium(forced);
    EXPECT_EQ(outcome.exit, 2) << words[0] << "\n" << outcome.err;
    EXPECT_TRUE(Has(outcome.err, "choose another path")) << words[0] << "\n" << outcome.err;
    EXPECT_EQ(own.Text("machines.csv"), table_before) << words[0];
    EXPECT_EQ(ReadText(own / "hard.csv"), file) << words[0];
    EXPECT_EQ(own.Text("ludwig.yaml"), "input_features: []\n") << words[0];
  }
  fs::remove(own / "hard.csv");
}

TEST(Overwriting, ByTheExampleNeedsForce) {
  const OwnJob own;
  own.Write("flights.csv", "mine");
  const Outcome refused = own.Protium({"example", "flights", own.path(), "--rows", "10"});
  EXPECT_EQ(refused.exit, 2) << refused.err;
  EXPECT_TRUE(Has(refused.err, "flights.csv already exists")) << refused.err;
  EXPECT_EQ(own.Text("flights.csv"), "mine");
  EXPECT_FALSE(fs::exists(own / "weather.csv"));
  EXPECT_EQ(own.Protium({"example", "flights", own.path(), "--rows", "10", "--force"}).exit, 0);
  EXPECT_NE(own.Text("flights.csv"), "mine");
}

}  // namespace protium::whole
