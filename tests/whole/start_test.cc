// SPDX-License-Identifier: Apache-2.0
// Training that starts from the weights of an earlier run's model.
#include <gtest/gtest.h>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

std::string WeightsOfRun(const OwnJob& own, const Outcome& run) {
  return ReadWeightsHash(run.json["model"].get<std::string>(), own.path());
}

}  // namespace

TEST(Start, TakesTheWeightsOfAModelForAnyNumberOfWorkers) {
  const OwnJob own;
  const Outcome first = own.Run({"--json"});
  ASSERT_EQ(first.exit, 0) << first.err;
  fs::rename(first.json["model"].get<std::string>(), own / "start");
  std::string weights;
  for (const char* workers : {"1", "3"}) {
    const Outcome next = own.Run(
        {"--json", "--set", "train.from=start", "--set", std::string("gang.workers=") + workers});
    ASSERT_EQ(next.exit, 0) << next.err;
    EXPECT_LT(next.json["metrics"]["validation"]["rmse"].get<double>(),
              first.json["metrics"]["validation"]["rmse"].get<double>());
    if (weights.empty()) weights = WeightsOfRun(own, next);
    EXPECT_EQ(WeightsOfRun(own, next), weights) << workers;
    EXPECT_TRUE(fs::exists(fs::path(next.json["folder"].get<std::string>()) / "start.safetensors"));
    fs::remove_all(fs::path(next.json["folder"].get<std::string>()));
  }
}

TEST(Start, RefusesWhatIsNoModelOrDoesNotFit) {
  const OwnJob own;
  const Outcome nothing = own.Run({"--set", "train.from=nowhere"});
  EXPECT_EQ(nothing.exit, 3) << nothing.err;
  EXPECT_TRUE(Has(nothing.err, "there is no folder")) << nothing.err;
  EXPECT_TRUE(Has(nothing.err, "--set train.from=nowhere")) << nothing.err;
  const Outcome first = own.Run();
  ASSERT_EQ(first.exit, 0) << first.err;
  const Outcome other = own.Run({"--set", "train.from=" + own.Model(), "--set", "net.hidden=[7]"});
  EXPECT_EQ(other.exit, 3) << other.err;
  EXPECT_TRUE(Has(other.err, "do not fit the net")) << other.err;
  const Outcome unknown =
      own.Run({"--set", "train.from=" + own.Model(), "--set", "train.from.parameters=[\"x*\"]"});
  EXPECT_NE(unknown.exit, 0);
}

}  // namespace protium::whole
