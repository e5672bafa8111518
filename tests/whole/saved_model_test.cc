// SPDX-License-Identifier: Apache-2.0
// What a run leaves: a model folder that scores new tables, and verbs that read the run.
#include <gtest/gtest.h>

#include <fstream>

#include "whole/flights.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

struct Trained {
  Scratch scratch;
  Outcome run = RunFlights(scratch, ExampleTables(3000), {});
  fs::path model() const { return run.json["model"].get<std::string>(); }
  fs::path folder() const { return run.json["folder"].get<std::string>(); }
};

const Trained& Once() {
  static const Trained trained;
  return trained;
}

Outcome Protium(const Scratch& scratch, std::vector<std::string> argv) {
  argv.insert(argv.begin(), ProtiumCommand());
  Running command(std::move(argv), scratch.path());
  return command.Wait();
}

}  // namespace

TEST(Predict, ScoresNewTablesThroughTheSavedEtl) {
  ASSERT_EQ(Once().run.exit, 0) << Once().run.err;
  const Scratch scratch;
  const fs::path output = scratch.path() / "scored.parquet";
  const Outcome scored = Protium(scratch, {"predict", "--model", Once().model().string(), "--data",
                                           ExampleTables(500, 9), "--output", output.string()});
  ASSERT_EQ(scored.exit, 0) << scored.err;
  const Outcome seen = Protium(scratch, {"inspect", output.string(), "--json"});
  ASSERT_EQ(seen.exit, 0) << seen.err;
  EXPECT_NE(seen.out.find("prediction"), std::string::npos);
}

TEST(Predict, GivesATableTheSamePredictionsAgain) {
  ASSERT_EQ(Once().run.exit, 0) << Once().run.err;
  const Scratch scratch;
  const fs::path a = scratch.path() / "a.csv";
  const fs::path b = scratch.path() / "b.csv";
  for (const fs::path& output : {a, b}) {
    const Outcome scored =
        Protium(scratch, {"predict", "--model", Once().model().string(), "--data",
                          ExampleTables(500, 9), "--output", output.string()});
    ASSERT_EQ(scored.exit, 0) << scored.err;
  }
  EXPECT_EQ(ReadText(a).size(), ReadText(b).size());
}

TEST(Predict, NamesTheColumnsThatAreMissing) {
  ASSERT_EQ(Once().run.exit, 0) << Once().run.err;
  const Scratch scratch;
  const fs::path input = scratch.path() / "few.csv";
  std::ofstream(input) << "dep_delay,distance\n1,2\n";
  const Outcome outcome = Protium(scratch, {"predict", "--model", Once().model().string(),
                                            "--input", input.string(), "--output", "x.parquet"});
  EXPECT_EQ(outcome.exit, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("airline"), std::string::npos) << outcome.err;
}

TEST(Model, ThatIsDamagedOrForeignIsRefusedByName) {
  ASSERT_EQ(Once().run.exit, 0) << Once().run.err;
  for (const char* name : {"pipeline.json", "weights.safetensors"}) {
    const Scratch scratch;
    const fs::path model = scratch.path() / "model";
    fs::copy(Once().model(), model, fs::copy_options::recursive);
    ASSERT_TRUE(fs::exists(model / name));
    fs::resize_file(model / name, fs::file_size(model / name) / 2);
    const Outcome outcome = Protium(scratch, {"predict", "--model", model.string(), "--data",
                                              ExampleTables(500, 9), "--output", "x.parquet"});
    EXPECT_NE(outcome.exit, 0) << name;
    EXPECT_NE(outcome.err.find(name), std::string::npos) << outcome.err;
  }
  const Scratch scratch;
  EXPECT_EQ(Protium(scratch, {"predict", "--model", scratch.path().string(), "--data",
                              ExampleTables(500, 9), "--output", "x.parquet"})
                .exit,
            3);
}

TEST(Verbs, ReadTheRun) {
  ASSERT_EQ(Once().run.exit, 0) << Once().run.err;
  const Scratch scratch;
  const std::string runs = Once().folder().parent_path().string();
  for (const std::vector<std::string>& argv :
       {std::vector<std::string>{"runs", "list", "--runs-dir", runs},
        std::vector<std::string>{"runs", "show", "last", "--runs-dir", runs},
        std::vector<std::string>{"inspect", Once().folder().string()},
        std::vector<std::string>{"inspect", Once().model().string()},
        std::vector<std::string>{"logs", Once().folder().string()}}) {
    const Outcome outcome = Protium(scratch, argv);
    EXPECT_EQ(outcome.exit, 0) << argv[0] << " " << argv[1] << "\n" << outcome.err;
  }
}

}  // namespace protium::whole
