// SPDX-License-Identifier: Apache-2.0
#include "search/population.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace protium {
namespace {

constexpr const char* kLearningRate = "train.optimizer.learning_rate";
constexpr const char* kDecay = "train.optimizer.weight_decay";

Population Eight(int64_t every = 2, int64_t epochs = 7) {
  return Population({LogUniform(kLearningRate, 1e-4, 1e-1), OneOf(kDecay, {0.0, 0.1, 0.2, 0.3})}, 5,
                    8, every, epochs);
}

std::vector<Json> EightValues() {
  std::vector<Json> values;
  for (int i = 0; i < 8; ++i) {
    values.push_back({{kLearningRate, 0.001 * (i + 1)}, {kDecay, 0.1 * (i % 4)}});
  }
  for (Json& each : values) {
    for (const double choice : {0.0, 0.1, 0.2, 0.3}) {
      if (std::fabs(each[kDecay].get<double>() - choice) < 1e-9) each[kDecay] = choice;
    }
  }
  return values;
}

TEST(Population, CountsGenerationsOfWhichTheLastMayBeShorter) {
  EXPECT_EQ(Eight().generations(), 4);
  EXPECT_EQ(Eight().CountTrials(), 32);
  EXPECT_EQ(Eight().EpochsAfter(0), 2);
  EXPECT_EQ(Eight().EpochsAfter(3), 7);
}

TEST(Population, LetsTheWorstQuarterGoOnFromTheBestWithOtherOptions) {
  const std::vector<Json> values = EightValues();
  const std::vector<double> losses = {5, 1, 9, 4, 8, 2, 3, 6};
  int64_t changed = 0;
  for (int64_t generation = 0; generation < 20; ++generation) {
    const std::vector<Descent> next = Eight().Next(generation, values, losses);
    ASSERT_EQ(next.size(), 8u);
    for (size_t i = 0; i < 8; ++i) {
      if (i == 2 || i == 4) {
        EXPECT_TRUE(next[i].parent == 1 || next[i].parent == 5) << next[i].parent;
        changed += next[i].values != values[next[i].parent];
        const double rate = next[i].values[kLearningRate];
        EXPECT_TRUE(1e-4 <= rate && rate <= 1e-1) << rate;
      } else {
        EXPECT_EQ(next[i].parent, i);
        EXPECT_EQ(next[i].values, values[i]);
      }
    }
  }
  EXPECT_EQ(changed, 40) << "a learning rate never stays as it was";
}

// Of 2,000 changes a quarter are drawn anew, and the others lie at 0.8 and 1.2 times the value.
TEST(Population, ChangesNumbersByAFifthAndChoicesToTheirNeighbours) {
  const std::vector<Json> values(8, Json{{kLearningRate, 0.01}, {kDecay, 0.1}});
  const std::vector<double> losses = {1, 2, 3, 4, 5, 6, 7, 8};
  std::map<double, int> rates, decays;
  for (int64_t generation = 0; generation < 1000; ++generation) {
    const std::vector<Descent> next = Eight().Next(generation, values, losses);
    for (const size_t i : {6, 7}) {
      ++rates[next[i].values[kLearningRate].get<double>()];
      ++decays[next[i].values[kDecay].get<double>()];
    }
  }
  EXPECT_NEAR(rates[0.008], 750, 80);
  EXPECT_NEAR(rates[0.012], 750, 80);
  EXPECT_GT(rates.size(), 400u);
  EXPECT_NEAR(decays[0.0], 875, 90);
  EXPECT_NEAR(decays[0.2], 875, 90);
  EXPECT_NEAR(decays[0.1], 125, 40);
}

TEST(Population, LetsAllThatFailedGoOnFromOneThatDidNot) {
  const std::vector<Json> values = EightValues();
  const double nan = std::nan("");
  const std::vector<Descent> next =
      Eight().Next(0, values, std::vector<double>{nan, nan, nan, 7, nan, nan, nan, nan});
  for (const Descent& each : next) EXPECT_EQ(each.parent, 3u);
  EXPECT_EQ(next[3].values, values[3]);
  const std::vector<Descent> none = Eight().Next(0, values, std::vector<double>(8, nan));
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(none[i].parent, i);
}

TEST(Population, OrdersEqualOnesByTheirNumbersAndDrawsTheSameAgain) {
  const std::vector<Json> values = EightValues();
  const std::vector<double> equal(8, 1.0);
  const std::vector<Descent> next = Eight().Next(3, values, equal);
  const std::vector<Descent> again = Eight().Next(3, values, equal);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(next[i].parent == i, i < 6);
    EXPECT_EQ(next[i].parent, again[i].parent);
    EXPECT_EQ(next[i].values, again[i].values);
  }
}

TEST(Population, MakesALineageTheChangesOfOneTraining) {
  const std::vector<Json> lineage = {{{kLearningRate, 0.01}, {kDecay, 0.1}},
                                     {{kLearningRate, 0.01}, {kDecay, 0.1}},
                                     {{kLearningRate, 0.012}, {kDecay, 0.1}},
                                     {{kLearningRate, 0.012}, {kDecay, 0.2}}};
  const Json options = Eight().OptionsOf(lineage);
  EXPECT_EQ(options[kLearningRate], 0.01);
  EXPECT_EQ(options["train.epochs"], 7);
  EXPECT_EQ(options["train.changes"],
            Json::parse(R"([{"after": 4, "optimizer": {"learning_rate": 0.012}},
                            {"after": 6, "optimizer": {"weight_decay": 0.2}}])"));
}

TEST(Population, TellsTheScheduleOfATrialUpToItsBestEpoch) {
  std::vector<Trial> trials;
  for (int64_t i = 1; i <= 3; ++i) {
    trials.push_back(
        {.number = i, .values = {{kLearningRate, 0.01 * double(i)}}, .best_epoch = 2 * i - 1});
  }
  trials[1].parent = 1;
  trials[2].parent = 2;
  trials[2].values = trials[1].values;
  EXPECT_EQ(ScheduleOf(Eight(), trials, 3), Json::parse(R"([
    {"epochs": [1, 2], "trial": 1, "values": {"train.optimizer.learning_rate": 0.01}},
    {"epochs": [3, 5], "trial": 2, "values": {"train.optimizer.learning_rate": 0.02}}])"));
  EXPECT_EQ(ScheduleOf(Eight(), trials, 1)[0]["epochs"], Json::parse("[1, 1]"));
}

}  // namespace
}  // namespace protium
