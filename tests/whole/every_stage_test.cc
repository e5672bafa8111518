// SPDX-License-Identifier: Apache-2.0
// A job of all sorts of stages, those of SQL and those that workers apply: it trains, resumes and
// predicts, and gets the same weights with any number of workers.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// Sales of shops, with texts about them.
std::string SalesTable(int rows) {
  const char* const words[] = {"red", "green", "The", "cat", "dog", "old", "new", "fast"};
  std::string text = "id,shop,about,a,b,sales\n";
  for (int i = 0; i < rows; ++i) {
    std::string about;
    double worth = 0;
    for (int k = 0; k < i % 5; ++k) {
      const int word = (i * 7 + k * 3) % 8;
      about += (k > 0 ? " " : "") + std::string(words[word]);
      worth += word;
    }
    const int shop = i % 6;
    const double a = (i * 37 % 101) / 10.0, b = i * 11 % 23;
    text += fmt::format("{},{},{},{},{},{:.3f}\n", i, shop, about,
                        i % 9 == 4 ? "" : fmt::format("{}", a), b, worth + a + 2 * b + shop);
  }
  return text;
}

constexpr const char* kSalesJob = R"(name = "sales"
[tables]
sales = { csv = "machines.csv" }
[etl]
sql = "SELECT * FROM sales"
[split]
by = ["id"]
[[pipeline]]
kind = "imputer"
inputs = ["a"]
outputs = ["filled"]
by = ["shop"]
with = "mean"
[[pipeline]]
kind = "sql_transformer"
inputs = ["filled", "b"]
statement = "SELECT *, filled * b AS product FROM __THIS__"
[[pipeline]]
kind = "tokenizer"
inputs = ["about"]
outputs = ["words"]
[[pipeline]]
kind = "stop_words_remover"
inputs = ["words"]
outputs = ["few"]
words = ["the"]
[[pipeline]]
kind = "count_vectorizer"
inputs = ["few"]
outputs = ["counts"]
vocab_size = 8
[[pipeline]]
kind = "tf_idf"
inputs = ["counts"]
outputs = ["rare"]
[[pipeline]]
kind = "vector_assembler"
inputs = ["filled", "b", "product", "rare"]
output = "all"
[[pipeline]]
kind = "pca"
inputs = ["all"]
outputs = ["main"]
k = 4
[[pipeline]]
kind = "vector_columns"
id = "apart"
inputs = ["main", "rare"]
[[pipeline]]
kind = "standard_scaler"
id = "scale"
inputs = [{ stage = "apart" }, "b"]
[[pipeline]]
kind = "variance_threshold_selector"
id = "vary"
inputs = [{ stage = "scale" }]
[[pipeline]]
kind = "string_indexer"
id = "index"
inputs = ["shop"]
[[pipeline]]
kind = "torch_estimator"
categorical = [{ stage = "index" }]
numeric = [{ stage = "vary" }]
label = "sales"
[train]
epochs = 3
batch_size = 64
shards = 4
validation = { share = 0.1, by = ["id"] }
)";

std::vector<std::string> Command(const OwnJob& job, int workers) {
  return {ProtiumCommand(),
          "run",
          (job / "job.toml").string(),
          "--runs-dir",
          (job / "runs").string(),
          "--json",
          "--set",
          "gang.workers=" + std::to_string(workers)};
}

std::string WeightsOf(const OwnJob& job, const Outcome& run) {
  EXPECT_EQ(run.exit, 0) << run.err;
  if (!run.json.contains("model")) return run.out;
  return ReadWeightsHash(run.json["model"].get<std::string>(), job.path());
}

std::string WeightsWith(const OwnJob& job, int workers) {
  Running command(Command(job, workers), job.path());
  return WeightsOf(job, command.Wait());
}

fs::path OnlyRun(const OwnJob& job) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(job / "runs", ignored)) {
    if (entry.is_directory()) return entry.path();
  }
  return {};
}

}  // namespace

TEST(Stages, OfEverySortComeToTheSameWeightsWithAnyWorkersAndPredict) {
  const OwnJob job(SalesTable(900), kSalesJob);
  const std::string one = WeightsWith(job, 1);
  EXPECT_EQ(WeightsWith(job, 2), one);
  job.Write("new.csv", SalesTable(50));
  const Outcome predicted =
      job.Protium({"predict", "--model", job.Model(), "--input", (job / "new.csv").string(),
                   "--output", (job / "out.csv").string()});
  EXPECT_EQ(predicted.exit, 0) << predicted.err;
  EXPECT_TRUE(Has(job.Text("out.csv"), "prediction"));
}

TEST(Stages, OfEverySortAreResumedToTheSameWeights) {
  const std::string longer =
      With(kSalesJob, "epochs = 3", "epochs = 60\ncheckpoint.every_steps = 5");
  const OwnJob job(SalesTable(900), longer);
  {
    Running command(Command(job, 1), job.path());
    ASSERT_TRUE(command.AwaitChange(job / "runs", [&] {
      const fs::path run = OnlyRun(job);
      return !run.empty() && LastEventValue(run, "step") >= 20;
    }));
    command.Signal(SIGKILL);
    command.Wait();
  }
  Running again({ProtiumCommand(), "resume", OnlyRun(job).string(), "--json"}, job.path());
  const std::string resumed = WeightsOf(job, again.Wait());
  const OwnJob whole(SalesTable(900), longer);
  EXPECT_EQ(resumed, WeightsWith(whole, 1));
}

}  // namespace protium::whole
