// SPDX-License-Identifier: Apache-2.0
// Forests in elastic gangs: ranks die at every collective call, others come, and the forest is that
// of a rank left alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "protium/losses.h"
#include "trees/testing/elastic_world.h"

namespace protium {
namespace {

using testing::IsEmpty;

// Two numbers with gaps and a category; small, since training is repeated hundreds of times.
TreeTable MakeSmallTable(float (*label)(double score, int64_t row)) {
  TreeTable table{.columns = {{"a"}, {"b"}, {"k", 9}}};
  table.features.resize(3);
  std::mt19937 random(3);
  for (int64_t i = 0; i < 300; ++i) {
    const double a = double(random() % 1000) / 1000, b = double(random() % 1000) / 1000;
    const auto k = int32_t(random() % 9);
    table.features[0].push_back(float(a));
    table.features[1].push_back(i % 6 == 0 ? kMissing : float(b));
    table.features[2].push_back(float(k));
    const double score = std::sin(7 * a) + (i % 6 == 0 ? 1 : b) + (k % 4 == 1 ? 1 : 0);
    table.labels.push_back(label(score, i));
    table.weights.push_back(float(1 + i % 3));
  }
  return table;
}

float AsItIs(double score, int64_t) { return float(score); }
float Shaken(double score, int64_t row) { return float(score + double(row * 7919 % 101) / 50); }
float OfThree(double score, int64_t) { return score < 0.7 ? 0 : score < 1.4 ? 1 : 2; }

BoostSpec Small(Choice loss, int64_t classes = 0) {
  BoostSpec spec = SpecFor(std::move(loss), classes);
  spec.trees = {.rounds = 3, .learning_rate = 0.5, .leaves = 4, .min_weight = 1};
  return spec;
}

struct ElasticCase {
  const char* name;
  Choice loss;
  float (*label)(double, int64_t);
  int64_t classes = 0;
  int stride = 1;  // Which calls ranks die at, since these make more of them.
};

class ElasticForest : public testing::TestWithParam<ElasticCase> {
 protected:
  ElasticForest()
      : table_(MakeSmallTable(GetParam().label)),
        world_{.spec = Small(GetParam().loss, GetParam().classes)} {}

  // Who dies at which call.
  using Deaths = std::map<size_t, int>;

  ElasticWorld::Outcome Train(const Deaths& deaths, size_t members = 3) {
    world_.lives.assign(members, ElasticWorld::kForEver);
    for (const auto& [member, life] : deaths) world_.lives[member] = life;
    auto outcome = world_.Train(table_);
    deaths_ = outcome.deaths;
    worlds_ = outcome.worlds;
    return outcome;
  }
  // Of one rank that nobody disturbs.
  const BoostOutcome& Alone() {
    if (alone_) return *alone_;
    const int newcomers = std::exchange(world_.newcomers, 0);
    const auto outcome = Train({}, 1);
    world_.newcomers = newcomers;
    EXPECT_THAT(outcome.failures, IsEmpty());
    return alone_.emplace(outcome.results.at(0));
  }
  // How many calls each of three ranks makes that nobody disturbs.
  int CallsOfThree() {
    Alone();
    const auto outcome = Train({});
    ExpectAlike(outcome);
    EXPECT_EQ(outcome.deaths, 0);
    return outcome.calls;
  }
  // Whatever happened, the same forest was handed out. A rank that has handed it out cannot know
  // that another one dies in its last call: then the next leader hands it out again.
  void ExpectAlike(const ElasticWorld::Outcome& outcome) {
    ASSERT_THAT(outcome.failures, IsEmpty());
    ASSERT_GE(outcome.results.size(), 1u);
    for (const BoostOutcome& result : outcome.results) {
      EXPECT_EQ(result.weights_sha256, Alone().weights_sha256);
      EXPECT_EQ(result.rounds, Alone().rounds);
      EXPECT_EQ(result.best_round, Alone().best_round);
      EXPECT_EQ(result.validation, Alone().validation);
      EXPECT_EQ(result.history.size(), Alone().history.size());
    }
  }

  TreeTable table_;
  ElasticWorld world_;
  std::optional<BoostOutcome> alone_;
  int deaths_ = 0;  // Of the last training, like the next.
  std::vector<int> worlds_;
};

TEST_P(ElasticForest, OutlivesADeathAtAnyCall) {
  world_.spec.train.checkpoint.every_steps = 2;
  const int calls = CallsOfThree();
  EXPECT_GT(calls, 20);
  for (int life = 0; life < calls; life += GetParam().stride) {
    const auto dying = size_t(life % 3);
    SCOPED_TRACE(testing::Message() << dying << " dies at call " << life);
    ExpectAlike(Train({{dying, life}}));
    EXPECT_EQ(deaths_, 1);
    ASSERT_FALSE(HasFailure());
  }
}

// The second one dies while the others enter the next generation, or soon after.
TEST_P(ElasticForest, OutlivesTwoDeathsInARow) {
  const int calls = CallsOfThree();
  for (int life = 0; life < calls; life += 4 * GetParam().stride) {
    for (const int more : {0, 1, 2, 4}) {
      const auto one = size_t(life / 4 % 3), other = (one + 1 + size_t(more) % 2) % 3;
      SCOPED_TRACE(testing::Message() << one << " and " << other << " die at calls " << life
                                      << " and " << life + more);
      ExpectAlike(Train({{one, life}, {other, life + more}}));
      ASSERT_FALSE(HasFailure());
    }
  }
}

// The newcomer, or one of those that it copies from, dies at every call.
TEST_P(ElasticForest, TakesAnotherIn) {
  world_.newcomers = 1;
  const int calls = CallsOfThree();
  EXPECT_EQ(worlds_, (std::vector<int>{2, 3}));
  for (int life = 0; life < calls; life += GetParam().stride) {
    const auto dying = size_t(life % 3);
    SCOPED_TRACE(testing::Message() << dying << " dies at call " << life);
    ExpectAlike(Train({{dying, life}}));
    ASSERT_FALSE(HasFailure());
  }
}

TEST_P(ElasticForest, EndsEarlyWhereARankDies) {
  world_.spec.trees.rounds = 60;
  world_.spec.train.early_stopping.patience = 1;
  const int calls = CallsOfThree();
  ASSERT_LT(Alone().rounds, 60);
  for (int life = calls - 10; life < calls; ++life) {
    const auto dying = size_t(life % 3);
    SCOPED_TRACE(testing::Message() << dying << " dies at call " << life);
    ExpectAlike(Train({{dying, life}}));
    EXPECT_EQ(deaths_, 1);
    ASSERT_FALSE(HasFailure());
  }
}

INSTANTIATE_TEST_SUITE_P(All, ElasticForest,
                         testing::Values(ElasticCase{"mse", MeanSquaredError(), Shaken},
                                         ElasticCase{"quantile", Quantile(), AsItIs, 0, 5},
                                         ElasticCase{"cross_entropy", CrossEntropy(), OfThree, 3,
                                                     4}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace protium
