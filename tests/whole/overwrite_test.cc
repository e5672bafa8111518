// SPDX-License-Identifier: Apache-2.0
// What is a person's own stays as it is, whatever a command is told to write.
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
