// SPDX-License-Identifier: Apache-2.0
// Handwritten digits of 8 x 8 pixels, read by the net `cnn`. The table comes with scikit-learn,
// which is one of the peers (bench/peers); PROTIUM_SKLEARN_DATA may name its folder
// sklearn/datasets/data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// Empty if it is not installed.
fs::path DigitsTable() {
  std::vector<fs::path> folders;
  if (const char* given = std::getenv("PROTIUM_SKLEARN_DATA")) folders.emplace_back(given);
  std::error_code ignored;
  for (const auto& python : fs::directory_iterator(Repository() / ".deps/peers/lib", ignored)) {
    folders.push_back(python.path() / "site-packages/sklearn/datasets/data");
  }
  for (const fs::path& folder : folders) {
    if (fs::is_regular_file(folder / "digits.csv.gz", ignored)) return folder / "digits.csv.gz";
  }
  return {};
}

// The table has no header: 64 columns of pixels from 0 to 16, then the digit.
std::string DigitsJob() {
  std::string pixels;
  for (int i = 0; i < 64; ++i) pixels += fmt::format("{}column{}", i > 0 ? ", " : "", i + 1);
  return fmt::format(R"(name = "digits"
[tables]
digits = {{ csv = "digits.csv", header = false }}
[etl]
sql = "SELECT array({}) AS pixels, column65 AS digit FROM digits"
[split]
test = 0.2
[[pipeline]]
kind = "torch_estimator"
net = {{ name = "cnn", divide_by = 16, batch_norm = true, dropout = 0.2 }}
vectors = [{{ column = "pixels", length = 64 }}]
label = "digit"
loss = "cross_entropy"
[train]
epochs = 15
batch_size = 64
optimizer = {{ name = "adam", learning_rate = 0.003 }}
schedule = "cosine"
)",
                     pixels);
}

}  // namespace

TEST(Digits, AreReadByTheCnn) {
  const fs::path table = DigitsTable();
  if (table.empty()) {
    GTEST_SKIP()
        << "scikit-learn's digits.csv.gz is not there: install scikit-learn in .deps/peers";
  }
  const OwnJob own("", DigitsJob());
  fs::copy_file(table, own / "digits.csv.gz");
  ASSERT_EQ(Running({"/bin/gunzip", (own / "digits.csv.gz").string()}, own.path()).Wait().exit, 0);
  std::vector<double> accuracies;
  for (const char* seed : {"1", "2", "3", "4", "5"}) {
    const Outcome run = own.Run({"--json", "--set", std::string("train.seed=") + seed, "--set",
                                 std::string("split.seed=") + seed});
    ASSERT_EQ(run.exit, 0) << run.err;
    accuracies.push_back(run.json["metrics"]["test"]["accuracy"].get<double>());
  }
  std::ranges::sort(accuracies);
  EXPECT_GE(accuracies[2], 0.98) << accuracies[0] << " to " << accuracies[4];
}

}  // namespace protium::whole
