// SPDX-License-Identifier: Apache-2.0
// The built-in nets that are recorded or composed of parts, as jobs: the same weights for any
// number of workers, with dropout, with micro-batches, and after a kill.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

struct Case {
  const char* name;
  const char* net;
  bool lists;  // It reads the lists `pixels` or `ids` instead of the usual columns.
};

constexpr Case kCases[] = {
    {"WideAndDeep",
     R"({ name = "wide_and_deep", hidden = [16], dropout = 0.2, wide_only = ["kind__index"] })",
     false},
    {"FactorizationMachine", R"({ name = "factorization_machine", factors = 4 })", false},
    {"Dlrm", R"({ name = "dlrm", bottom = [8], top = [8], embedding = 4 })", false},
    {"Tabm", R"({ name = "tabm", members = 4, hidden = [16, 8], dropout = 0.2 })", false},
    {"FtTransformer", R"({ name = "ft_transformer", width = 16, heads = 2, layers = 2 })", false},
    {"Cnn",
     R"({ name = "cnn", filters = [4], dropout = 0.2, batch_norm = true, divide_by = 10 })"
     "\nvectors = [{ column = \"pixels\", length = 16 }]",
     true},
    {"TextClassifier",
     R"({ name = "text_classifier", vocabulary = 30, embedding = 8, layers = 1, dropout = 0.2 })"
     "\nvectors = [{ column = \"ids\", length = 4 }]",
     true}};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// The job on machines with this net. A machine's "image" and "text" are related to its hours.
std::string JobOf(const Case& c) {
  std::string job = With(kMachinesJob, "SELECT * FROM machines",
                         "SELECT *, transform(sequence(1, 16), i -> (age * i) % 10 + 1) AS pixels,"
                         " array(age + 1, id % 5, 0, 0) AS ids FROM machines");
  job = With(job, "label = ", std::string("net = ") + c.net + "\nlabel = ");
  return c.lists ? With(job, "categorical = [{ stage = \"index\" }]\n", "") : job;
}

std::string Weights(const OwnJob& own, const Outcome& run) {
  EXPECT_EQ(run.exit, 0) << run.err;
  return run.exit == 0 ? ReadWeightsHash(run.json["model"].get<std::string>(), own.path()) : "";
}

class NetOfAJob : public testing::TestWithParam<Case> {};

}  // namespace

TEST_P(NetOfAJob, HasTheSameWeightsForAnyNumberOfWorkers) {
  const OwnJob own(MachinesTable(300), JobOf(GetParam()));
  for (const char* setting : {"train.micro_batches=1", "train.micro_batches=2"}) {
    const Outcome one = own.Run({"--json", "--set", setting});
    const std::string expected = Weights(own, one);
    for (const char* workers : {"2", "3", "4"}) {
      const Outcome more =
          own.Run({"--json", "--set", setting, "--set", std::string("gang.workers=") + workers});
      EXPECT_EQ(Weights(own, more), expected) << workers << " workers, " << setting;
      EXPECT_EQ(more.json["metrics"], one.json["metrics"]);
    }
  }
}

TEST_P(NetOfAJob, HasTheSameWeightsAfterAKillAndPredicts) {
  const std::string job =
      With(JobOf(GetParam()), "epochs = 2", "epochs = 80\ncheckpoint = { every_steps = 5 }");
  const OwnJob own(MachinesTable(300), job);
  const Outcome undisturbed = own.Run({"--json"});
  const std::string expected = Weights(own, undisturbed);

  const OwnJob killed(MachinesTable(300), job);
  Running command({ProtiumCommand(), "run", (killed / "job.toml").string(), "--runs-dir",
                   (killed / "runs").string(), "--set", "gang.workers=2"},
                  killed.path());
  const auto run = [&] { return fs::path(killed.Model()).parent_path(); };
  ASSERT_TRUE(command.AwaitChange(killed / "runs", [&] {
    return fs::is_directory(killed / "runs") && LastEventValue(run(), "step") >= 12;
  }));
  command.Signal(SIGKILL);
  EXPECT_EQ(command.Wait().exit, -SIGKILL);
  const Outcome resumed = killed.Protium({"resume", run().string(), "--json"});
  EXPECT_EQ(Weights(killed, resumed), expected);

  const Outcome scored = killed.Protium({"predict", "--model", resumed.json["model"], "--data",
                                         killed.path(), "--output", killed / "out.parquet"});
  EXPECT_EQ(scored.exit, 0) << scored.err;
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, NetOfAJob, testing::ValuesIn(kCases),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Precision, OfBfloat16GivesOtherWeightsTheSameForAnyNumberOfWorkers) {
  const Case& transformer = *std::ranges::find(kCases, std::string("FtTransformer"), &Case::name);
  const OwnJob own(MachinesTable(300), JobOf(transformer));
  const std::string plain = Weights(own, own.Run({"--json"}));
  const std::vector<std::string> half = {"--json", "--set", "train.precision=bfloat16"};
  const std::string one = Weights(own, own.Run(half));
  EXPECT_NE(one, plain);
  for (const char* workers : {"2", "4"}) {
    std::vector<std::string> words = half;
    words.insert(words.end(), {"--set", std::string("gang.workers=") + workers});
    EXPECT_EQ(Weights(own, own.Run(words)), one) << workers;
  }
}

TEST(Gradients, OfBfloat16GiveOtherWeightsTheSameForAnyNumberOfWorkers) {
  const OwnJob own(MachinesTable(300), kMachinesJob);
  const std::string plain = Weights(own, own.Run({"--json"}));
  const std::vector<std::string> rounded = {"--json", "--set", "train.gradients=bfloat16"};
  const std::string one = Weights(own, own.Run(rounded));
  EXPECT_NE(one, plain);
  for (const char* workers : {"2", "4"}) {
    std::vector<std::string> words = rounded;
    words.insert(words.end(), {"--set", std::string("gang.workers=") + workers});
    EXPECT_EQ(Weights(own, own.Run(words)), one) << workers;
  }
}

TEST(SharedOptimizer, GoesOnAfterAKillToTheWeightsOfAWholeOne) {
  const std::string job =
      With(kMachinesJob, "epochs = 2", "epochs = 80\ncheckpoint = { every_steps = 5 }");
  const OwnJob own(MachinesTable(300), job);
  const std::string expected = Weights(own, own.Run({"--json"}));
  const OwnJob killed(MachinesTable(300), job);
  Running command({ProtiumCommand(), "run", (killed / "job.toml").string(), "--runs-dir",
                   (killed / "runs").string(), "--set", "gang.workers=3", "--set",
                   "train.share_optimizer=true"},
                  killed.path());
  const auto run = [&] { return fs::path(killed.Model()).parent_path(); };
  ASSERT_TRUE(command.AwaitChange(killed / "runs", [&] {
    return fs::is_directory(killed / "runs") && LastEventValue(run(), "step") >= 12;
  }));
  command.Signal(SIGKILL);
  EXPECT_EQ(command.Wait().exit, -SIGKILL);
  const Outcome resumed = killed.Protium({"resume", run().string(), "--json"});
  EXPECT_EQ(Weights(killed, resumed), expected);
}

TEST(SharedOptimizer, IsRefusedWhereWorkersMayLeaveOrStepAlone) {
  const OwnJob own(MachinesTable(60), kMachinesJob);
  const auto refusal = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> words;
    for (const std::string& each : settings) words.insert(words.end(), {"--set", each});
    const Outcome run = own.Run(words);
    EXPECT_EQ(run.exit, 2) << run.err;
    return run.err;
  };
  EXPECT_TRUE(Has(refusal({"train.share_optimizer=true", "gang.workers={min=1,max=3}"}),
                  "workers of an elastic gang cannot share the optimizer"));
  EXPECT_TRUE(Has(refusal({"train.share_optimizer=true", "train.mode=local"}),
                  "with mode \"local\" workers cannot share the optimizer"));
  EXPECT_TRUE(Has(refusal({"train.gradients=bfloat16", "train.mode=local"}),
                  "with mode \"local\" no gradients travel that could be rounded"));
  EXPECT_TRUE(Has(refusal({"train.from.model=nowhere", "train.from.expire_epochs=3"}),
                  "no ids are read that could expire"));
}

TEST(Precision, IsRefusedByNetsThatComputeInFloat32OnlyBeforeAnythingStarts) {
  const OwnJob own(MachinesTable(60), kMachinesJob);
  const Outcome run = own.Run({"--set", "train.precision=bfloat16"});
  EXPECT_EQ(run.exit, 2) << run.err;
  EXPECT_TRUE(Has(run.err, "the net tabular_mlp computes in float32 only")) << run.err;
  EXPECT_TRUE(Has(run.err, "\"ft_transformer\"")) << run.err;
}

}  // namespace protium::whole
