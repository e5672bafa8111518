// SPDX-License-Identifier: Apache-2.0
// Users' own nets: in a program, in an extension and as a TorchScript file.
#include <gtest/gtest.h>

#include "format/file.h"
#include "model/net_library.h"
#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

fs::path Library(const std::string& name) {
  return fs::path(PROTIUM_LIBRARIES) / ("lib" + name + ".so");
}

std::string WideJob(const std::string& library) {
  const std::string job = With(kMachinesJob, "name = \"machines\"\n",
                               "name = \"machines\"\nextensions = [\"" + library + "\"]\n");
  return With(job, "label = ", "net = { name = \"wide\", width = 12 }\nlabel = ");
}

std::string WeightsOfRun(const OwnJob& own, const Outcome& run) {
  return ReadWeightsHash(run.json["model"].get<std::string>(), own.path());
}

}  // namespace

TEST(Extension, TrainsItsNetWithTheSameBitsForAnyNumberOfWorkers) {
  const OwnJob own(MachinesTable(600), WideJob(Library("own_nets")));
  const Outcome one = own.Run({"--json"});
  ASSERT_EQ(one.exit, 0) << one.err;
  for (const char* workers : {"2", "3", "4"}) {
    const Outcome more = own.Run({"--json", "--set", std::string("gang.workers=") + workers});
    ASSERT_EQ(more.exit, 0) << more.err;
    EXPECT_EQ(WeightsOfRun(own, more), WeightsOfRun(own, one)) << workers;
  }
}

TEST(Extension, ReadsColumnsOfLists) {
  std::string job = With(WideJob(Library("own_nets")), "SELECT * FROM machines",
                         "SELECT id, kind, age, load, hours, array(age, id / 100) AS pair "
                         "FROM machines");
  job = With(job, "{ name = \"wide\", width = 12 }",
             "\"pair\"\nvectors = [{ column = \"pair\", length = 2 }]");
  const OwnJob own(MachinesTable(300), job);
  const Outcome one = own.Run({"--json"});
  ASSERT_EQ(one.exit, 0) << one.err;
  const Outcome two = own.Run({"--json", "--set", "gang.workers=2"});
  EXPECT_EQ(WeightsOfRun(own, two), WeightsOfRun(own, one)) << two.err;
  const Outcome scored =
      own.Protium({"predict", "--model", one.json["model"], "--data", own.path(), "--extension",
                   Library("own_nets"), "--output", own / "out.parquet"});
  EXPECT_EQ(scored.exit, 0) << scored.err;
  const Outcome longer = own.Run({"--set", "pipeline.3.vectors=[{column=\"pair\",length=3}]"});
  EXPECT_EQ(longer.exit, 3) << longer.err;
  EXPECT_TRUE(Has(longer.err, "column pair is a list of another length")) << longer.err;
}

TEST(Extension, IsNeededToScoreWithItsNet) {
  const OwnJob own(MachinesTable(600), WideJob(Library("own_nets")));
  ASSERT_EQ(own.Run().exit, 0);
  std::vector<std::string> words = {"predict",  "--model",  own.Model(),    "--data",
                                    own.path(), "--output", own / "out.csv"};
  const Outcome without = own.Protium(words);
  EXPECT_NE(without.exit, 0);
  EXPECT_TRUE(Has(without.err, "unknown net \"wide\"")) << without.err;
  words.insert(words.end(), {"--extension", Library("own_nets")});
  const Outcome with = own.Protium(words);
  EXPECT_EQ(with.exit, 0) << with.err;
}

TEST(Extension, IsKeptInTheRunAndOpenedThereWhereItsFileIsMissingOrAnotherOne) {
  const OwnJob own(MachinesTable(60), WideJob(Library("own_nets")));
  const NetLibrary library = *KeepExtension(own.path(), Library("own_nets"));
  EXPECT_EQ(OpenExtension(library)->nets.front().extension, library.file);
  for (const fs::path& file : {Library("missing"), Library("own_nets_taken")}) {
    const NetLibrary elsewhere{file.string(), library.kept, library.sha256};
    EXPECT_EQ(OpenExtension(elsewhere)->nets.front().extension, library.kept);
  }
}

TEST(Extension, IsKeptBesideAnotherOfTheSameName) {
  const Scratch scratch;
  const auto copy = [&](const char* folder, const std::string& library) {
    fs::create_directories(scratch.path() / folder);
    fs::copy_file(library, scratch.path() / folder / "nets.so");
    return *KeepExtension(scratch.path() / "run", scratch.path() / folder / "nets.so");
  };
  const NetLibrary a = copy("a", Library("own_nets")), b = copy("b", Library("own_nets_taken"));
  EXPECT_NE(a.sha256, b.sha256);
  EXPECT_EQ(*FileSha256(a.kept), a.sha256);
  EXPECT_EQ(*FileSha256(b.kept), b.sha256);
}

TEST(Extension, ThatCannotBeUsedIsRefusedWithTheReason) {
  const auto refused = [](const std::string& library) {
    const OwnJob own(MachinesTable(60), WideJob(library));
    const Outcome run = own.Run();
    EXPECT_NE(run.exit, 0) << library;
    return run.err;
  };
  EXPECT_TRUE(Has(refused("nowhere.so"), "there is no such file"));
  EXPECT_TRUE(Has(refused("machines.csv"), "cannot be used"));
  EXPECT_TRUE(Has(refused(Library("protium")), "it is not an extension"));
  EXPECT_TRUE(Has(refused(Library("own_nets_other_version")), "it was built for protium 7.5"));
  EXPECT_TRUE(Has(refused(Library("own_nets_taken")), "are named \"linear\""));
}

TEST(Extension, RefusesOptionsThatItsNetDoesNotHave) {
  const OwnJob own(MachinesTable(60), WideJob(Library("own_nets")));
  const Outcome run = own.Run({"--set", "net.widht=3"});
  EXPECT_EQ(run.exit, 2) << run.err;
  EXPECT_TRUE(Has(run.err, "did you mean \"width\"?")) << run.err;
}

TEST(Extension, BringsALossAndAMetric) {
  const std::string job = With(WideJob(Library("own_nets")), "{ name = \"wide\", width = 12 }",
                               "\"linear\"\nloss = { name = \"log_cosh\", scale = 0.5 }");
  const OwnJob own(MachinesTable(600), job);
  const Outcome one = own.Run({"--json", "--set", "train.metrics=[\"near\",\"rmse\"]"});
  ASSERT_EQ(one.exit, 0) << one.err;
  for (const char* part : {"validation", "test"}) {
    EXPECT_TRUE(one.json["metrics"][part]["near"].is_number()) << one.json["metrics"];
  }
  const Outcome two =
      own.Run({"--json", "--set", "train.metrics=[\"near\",\"rmse\"]", "--set", "gang.workers=2"});
  EXPECT_EQ(WeightsOfRun(own, two), WeightsOfRun(own, one)) << two.err;
  EXPECT_EQ(two.json["metrics"], one.json["metrics"]);
  const Outcome scored =
      own.Protium({"predict", "--model", one.json["model"], "--data", own.path(), "--extension",
                   Library("own_nets"), "--output", own / "out.parquet", "--json"});
  ASSERT_EQ(scored.exit, 0) << scored.err;
  EXPECT_TRUE(scored.json["metrics"]["test"]["near"].is_number()) << scored.json;
  const Outcome wrong = own.Run({"--set", "loss.scale=0"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_TRUE(Has(wrong.err, "loss.scale must be above 0")) << wrong.err;
}

TEST(Program, TrainsItsOwnNetWithTheSameBitsAgain) {
  const OwnJob own(MachinesTable(600));
  std::string weights;
  for (const char* workers : {"1", "4"}) {
    Running program({fs::path(PROTIUM_BINARIES) / "own_nets_program", "--runs-dir", own / "runs",
                     "--json", "--set", "data=" + (own / "machines.csv").string(), "--set",
                     std::string("gang.workers=") + workers},
                    own.path());
    const Outcome run = program.Wait();
    ASSERT_EQ(run.exit, 0) << run.err;
    if (weights.empty()) weights = WeightsOfRun(own, run);
    EXPECT_EQ(WeightsOfRun(own, run), weights) << workers;
    EXPECT_TRUE(run.json["metrics"]["validation"]["near"].is_number()) << run.json["metrics"];
  }
}

}  // namespace protium::whole
