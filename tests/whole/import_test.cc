// SPDX-License-Identifier: Apache-2.0
// Weights of other programs as models here, and as the start of a training. Compares with PyTorch's
// own predictions if it is installed (bench/peers/setup.sh).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "whole/own_job.h"

namespace protium::whole {
namespace {

using testing::HasSubstr;

std::string Job() {
  std::string job = With(kMachinesJob, "numeric = [{ stage = \"scale\" }]",
                         "numeric = [\"age\"]\nnet = { name = \"tabular_mlp\", hidden = [16], "
                         "batch_norm = true }");
  return With(job, "SELECT * FROM", "SELECT id, kind, age, load, hours FROM");
}

Outcome Predicted(const OwnJob& own, const std::string& model, const std::string& to) {
  return own.Protium({"predict", "--model", model, "--input", (own / "machines.csv").string(),
                      "--output", (own / to).string()});
}

Outcome Check(const OwnJob& own, std::vector<std::string> words) {
  const std::string python = (Repository() / ".deps/peers/bin/python3").string();
  words.insert(words.begin(), {python, (Repository() / "tests/whole/import_check.py").string()});
  Running check(std::move(words), own.path());
  return check.Wait();
}

TEST(Import, GivesBackTheBitsThatExportWrote) {
  const OwnJob own;
  ASSERT_EQ(own.Run().exit, 0);
  const std::string weights = (own / "w.safetensors").string(), out = (own / "again").string();
  ASSERT_EQ(own.Protium({"export", own.Model(), "--to", "safetensors", "--output", weights}).exit,
            0);
  const Outcome made = own.Protium({"import", weights, "--model", own.Model(), "--output", out});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_EQ(made.out, out + "\n");
  EXPECT_EQ(ReadWeightsHash(out, own.path()), ReadWeightsHash(own.Model(), own.path()));
  ASSERT_EQ(Predicted(own, own.Model(), "one.csv").exit, 0);
  ASSERT_EQ(Predicted(own, out, "two.csv").exit, 0);
  EXPECT_EQ(own.Text("one.csv"), own.Text("two.csv"));
  // Existing files are not overwritten unless asked for.
  const Outcome twice = own.Protium({"import", weights, "--model", own.Model(), "--output", out});
  EXPECT_EQ(twice.exit, 2);
  EXPECT_THAT(twice.err, HasSubstr("already exists"));
}

TEST(Import, StartsATraining) {
  const OwnJob own;
  ASSERT_EQ(own.Run().exit, 0);
  const std::string model = own.Model();
  const Outcome from_model = own.Run({"--json", "--set", "train.from=" + model});
  const std::string expected =
      ReadWeightsHash(from_model.json["model"].get<std::string>(), own.path());
  for (const auto& [format, file] :
       {std::pair{"safetensors", "w.safetensors"}, std::pair{"torchscript", "w.pt"}}) {
    const std::string weights = (own / file).string();
    const Outcome written = own.Protium({"export", model, "--to", format, "--output", weights});
    ASSERT_EQ(written.exit, 0) << written.err;
    const Outcome from_file = own.Run({"--json", "--set", std::string("train.from=") + file});
    ASSERT_EQ(from_file.exit, 0) << from_file.err;
    EXPECT_EQ(ReadWeightsHash(from_file.json["model"].get<std::string>(), own.path()), expected)
        << file;
  }
}

TEST(Import, NamesTheTensorOfATorchScriptModuleThatATrainingCannotStartFrom) {
  const OwnJob own;
  ASSERT_EQ(own.Run().exit, 0);
  const std::string weights = (own / "w.pt").string();
  ASSERT_EQ(own.Protium({"export", own.Model(), "--to", "torchscript", "--output", weights}).exit,
            0);
  const Outcome other = own.Run({"--set", "train.from=w.pt", "--set", "net.hidden=[7]"});
  EXPECT_EQ(other.exit, 3);
  EXPECT_THAT(other.err, HasSubstr("its dense.0.weight is F32 ["));
}

TEST(Import, NamesAllThatDoesNotFit) {
  const OwnJob own;
  ASSERT_EQ(own.Run().exit, 0);
  const std::string weights = (own / "w.safetensors").string();
  ASSERT_EQ(own.Protium({"export", own.Model(), "--to", "safetensors", "--output", weights}).exit,
            0);
  ASSERT_EQ(own.Run({"--set", "net.hidden=[7]"}).exit, 0);
  const Outcome other = own.Protium({"import", weights, "--model", "last", "--output", "new",
                                     "--runs-dir", (own / "runs").string()});
  EXPECT_EQ(other.exit, 3);
  EXPECT_THAT(other.err, HasSubstr("its dense.0.weight is ["));
  EXPECT_THAT(other.err, HasSubstr("its output.weight is ["));
  EXPECT_FALSE(std::filesystem::exists(own / "new"));
  own.Write("w.pt", "PK\3\4 cut off");
  const Outcome damaged = own.Protium({"import", (own / "w.pt").string(), "--model", own.Model(),
                                       "--output", (own / "new").string()});
  EXPECT_EQ(damaged.exit, 3);
  EXPECT_THAT(damaged.err, HasSubstr("does not end as an archive does"));
}

TEST(Import, PredictsAsTheModuleOfPyTorchDoes) {
  if (!std::filesystem::exists(Repository() / ".deps/peers/bin/python3")) {
    GTEST_SKIP() << "no PyTorch for Python: bench/peers/setup.sh sets it up";
  }
  const OwnJob own(MachinesTable(600), Job());
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string weights = (own / "w.pt").string(), out = (own / "new").string();
  const Outcome saved = Check(own, {"make", own.Model(), weights});
  ASSERT_EQ(saved.exit, 0) << saved.err;
  const Outcome named = own.Protium({"import", weights, "--model", own.Model(), "--output", out});
  EXPECT_EQ(named.exit, 3);
  EXPECT_THAT(named.err, HasSubstr("--rename '^module\\.='"));
  const Outcome made = own.Protium(
      {"import", weights, "--model", own.Model(), "--output", out, "--rename", "^module\\.="});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("norm.0.num_batches_tracked"));
  for (const char* protocol : {".3", ".4", ".5"}) {
    const Outcome same = own.Protium({"import", weights + protocol, "--model", own.Model(),
                                      "--output", out + protocol, "--rename", "^module\\.="});
    ASSERT_EQ(same.exit, 0) << same.err;
    EXPECT_EQ(ReadWeightsHash(out + protocol, own.path()), ReadWeightsHash(out, own.path()));
  }
  // Its names are those of the module, without the prefix of DistributedDataParallel.
  const Outcome script = own.Protium(
      {"import", weights + ".script", "--model", own.Model(), "--output", out + ".script"});
  ASSERT_EQ(script.exit, 0) << script.err;
  EXPECT_EQ(ReadWeightsHash(out + ".script", own.path()), ReadWeightsHash(out, own.path()));
  ASSERT_EQ(Predicted(own, out, "scored.parquet").exit, 0);
  const Outcome checked = Check(own, {"compare", out, weights, (own / "scored.parquet").string()});
  EXPECT_EQ(checked.exit, 0) << checked.err;
  EXPECT_EQ(checked.out, "600\n");
}

}  // namespace
}  // namespace protium::whole
