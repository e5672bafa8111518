// SPDX-License-Identifier: Apache-2.0
#include "search/tpe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "base/json.h"
#include "search/space.h"

namespace protium {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Loss = std::function<double(const Json&)>;

// Asks for trials one after the other; each learns from those before it but the last `lag`.
std::vector<Json> Trials(const Tpe& tpe, int64_t trials, const Loss& loss, int64_t lag = 0) {
  std::vector<Json> values;
  std::vector<Told> told;
  for (int64_t number = 1; number <= trials; ++number) {
    const auto known = size_t(std::max(number - 1 - lag, int64_t{0}));
    std::vector<Point> running;
    for (size_t i = known; i < told.size(); ++i) running.push_back(told[i].at);
    values.push_back(tpe.Ask(number, std::span(told).first(known), running));
    told.push_back({tpe.PointOf(values.back()), loss(values.back())});
  }
  return values;
}

Space Mixed() {
  return {LogUniform("rate", 1e-4, 1), Uniform("share", -1, 2), IntUniform("rounds", 1, 50),
          LogIntUniform("batch", 16, 4096), OneOf("net", {"a", "b", Json{1, 2}})};
}

// Least at rate 0.01, share 0.5, rounds 20, batch 256, net b.
double FromBest(const Json& values) {
  return std::pow(std::log10(values["rate"].get<double>()) + 2, 2) +
         std::pow(values["share"].get<double>() - 0.5, 2) +
         std::pow((values["rounds"].get<double>() - 20) / 25, 2) +
         std::pow(std::log2(values["batch"].get<double>() / 256) / 4, 2) +
         (values["net"] == "b" ? 0 : 0.5);
}

double BestOf(const std::vector<Json>& trials, const Loss& loss) {
  double best = std::numeric_limits<double>::infinity();
  for (const Json& each : trials) best = std::min(best, loss(each));
  return best;
}

TEST(Tpe, LearnsWhereTheBestOnesAre) {
  double ours = 0, random = 0, behind = 0;
  for (int64_t seed = 0; seed < 9; ++seed) {
    ours += BestOf(Trials(Tpe(Mixed(), seed), 100, FromBest), FromBest);
    behind += BestOf(Trials(Tpe(Mixed(), seed), 100, FromBest, 4), FromBest);
    const auto drawn = ProposeTrials({.trials = 100, .seed = seed, .space = Mixed()}, "search");
    random += BestOf(*drawn, FromBest);
  }
  EXPECT_LT(ours, 0.5 * random);
  EXPECT_LT(behind, 0.5 * random);
}

TEST(Tpe, DependsOnItsArgumentsAlone) {
  const Tpe tpe(Mixed(), 3), again(Mixed(), 3), other(Mixed(), 4);
  const auto trials = Trials(tpe, 40, FromBest, 4);
  EXPECT_EQ(trials, Trials(tpe, 40, FromBest, 4));
  EXPECT_EQ(trials, Trials(again, 40, FromBest, 4));
  EXPECT_NE(trials, Trials(other, 40, FromBest, 4));
  const auto more = Trials(tpe, 50, FromBest, 4);
  EXPECT_TRUE(std::equal(trials.begin(), trials.end(), more.begin()));
}

TEST(Tpe, BeginsWithTheDrawsOfARandomSearch) {
  const auto drawn = ProposeTrials({.trials = 10, .seed = 3, .space = Mixed()}, "search");
  const Tpe tpe(Mixed(), 3);
  EXPECT_EQ(tpe.First(30), *drawn);
  EXPECT_EQ(tpe.First(4).size(), 4u);
  auto trials = Trials(tpe, 11, FromBest);
  EXPECT_EQ(std::vector<Json>(trials.begin(), trials.begin() + 10), *drawn);
}

TEST(Tpe, KeepsToItsRangesAndNeverRepeats) {
  std::set<std::string> different;
  for (const Json& each : Trials(Tpe(Mixed(), 1), 120, FromBest)) {
    EXPECT_GE(each["rate"], 1e-4);
    EXPECT_LE(each["rate"], 1);
    EXPECT_GE(each["rounds"], 1);
    EXPECT_LE(each["rounds"], 50);
    EXPECT_TRUE(each["batch"].is_number_integer());
    EXPECT_GE(each["batch"], 16);
    EXPECT_LE(each["batch"], 4096);
    different.insert(Dump(each));
  }
  EXPECT_EQ(different.size(), 120u);
}

// With any loss: whether all trials fail, are equal, or only some have none.
TEST(Tpe, GoesOnWhateverTheLossesAre) {
  const std::vector<Loss> losses = {
      [](const Json&) { return kNan; }, [](const Json&) { return 1.0; },
      [](const Json&) { return std::numeric_limits<double>::infinity(); },
      [](const Json&) { return -std::numeric_limits<double>::infinity(); },
      [](const Json& v) { return v["net"] == "a" ? kNan : FromBest(v); }};
  for (const Loss& loss : losses) {
    const auto trials = Trials(Tpe(Mixed(), 2), 60, loss);
    std::set<std::string> different;
    for (const Json& each : trials) different.insert(Dump(each));
    EXPECT_EQ(different.size(), 60u);
  }
  // What fails is avoided.
  int64_t failing = 0;
  const auto last = Trials(Tpe(Mixed(), 2), 90, losses.back());
  for (size_t i = 60; i < last.size(); ++i) failing += last[i]["net"] == "a";
  EXPECT_LT(failing, 8);
}

// However good their values are; of pruned ones those that came farther are better.
TEST(Tpe, TakesPrunedTrialsForWorseThanWholeOnes) {
  const Tpe tpe({Uniform("x", -1, 1)}, 3);
  const auto asked_below = [&](int64_t at_low, int64_t at_high) {
    std::vector<Told> told;
    for (int i = 0; i < 30; ++i) {
      const double x = double(2 * i - 29) / 30;
      told.push_back({{x}, x < 0 ? 1.0 : -100.0, x < 0 ? at_low : at_high});
    }
    int below = 0;
    for (int64_t number = 31; number <= 70; ++number) {
      below += tpe.Ask(number, told, {})["x"].get<double>() < 0;
    }
    return below;
  };
  EXPECT_GT(asked_below(0, 9), 30);
  EXPECT_LT(asked_below(0, 0), 10);
  EXPECT_GT(asked_below(9, 3), 30);
}

// However good their losses are; of two the one is better that breaks it less.
TEST(Tpe, TakesTrialsThatBreakWhatIsRequiredForWorseThanPrunedOnes) {
  const Tpe tpe({Uniform("x", -1, 1)}, 3);
  const auto asked_below = [&](const Outcome& at_low, const Outcome& at_high) {
    std::vector<Told> told;
    for (int i = 0; i < 30; ++i) {
      const double x = double(2 * i - 29) / 30;
      told.push_back({{x}, x < 0 ? at_low : at_high});
    }
    int below = 0;
    for (int64_t number = 31; number <= 70; ++number) {
      below += tpe.Ask(number, told, {})["x"].get<double>() < 0;
    }
    return below;
  };
  EXPECT_GT(asked_below({.loss = 1}, {.loss = -100, .violation = 0.1}), 30);
  EXPECT_GT(asked_below({.loss = 1, .pruned = 1}, {.loss = -100, .violation = 0.1}), 30);
  EXPECT_GT(asked_below({.loss = 1, .violation = 0.1}, {.loss = -100, .violation = 0.2}), 30);
  EXPECT_GT(asked_below({.loss = 1, .violation = 9}, {.loss = kNan}), 30);
}

// ZDT1 (Zitzler, Deb and Thiele, 2000) of three variables.
Losses Zdt1(const Json& at) {
  const double x = at["x"].get<double>();
  const double g = 1 + 9 * (at["y"].get<double>() + at["z"].get<double>()) / 2;
  return {x, g * (1 - std::sqrt(x / g))};
}

TEST(Tpe, FindsAFrontOfSeveralLosses) {
  const Space space = {Uniform("x", 0, 1), Uniform("y", 0, 1), Uniform("z", 0, 1)};
  double ours = 0, random = 0;
  for (int64_t seed = 0; seed < 5; ++seed) {
    const Tpe tpe(space, seed);
    std::vector<Told> told;
    std::vector<Losses> found, drawn;
    for (int64_t number = 1; number <= 100; ++number) {
      const Json values = tpe.Ask(number, told, {});
      found.push_back(Zdt1(values));
      told.push_back({tpe.PointOf(values), {.loss = found.back()[0], .losses = found.back()}});
    }
    const auto proposed = ProposeTrials({.trials = 100, .seed = seed, .space = space}, "search");
    for (const Json& values : *proposed) drawn.push_back(Zdt1(values));
    ours += Hypervolume(found, {1.1, 10});
    random += Hypervolume(drawn, {1.1, 10});
  }
  // Of the whole front it would be 10.32 each.
  EXPECT_GT(ours, random + 5 * 0.5) << random / 5;
  EXPECT_GT(ours / 5, 9.9);
}

TEST(Tpe, TakesRangesOfOneNumber) {
  const Space space = {LogUniform("one", 0.1, 0.1), IntUniform("two", 2, 2), Uniform("x", 0, 1),
                       LogIntUniform("four", 4, 4), OneOf("only", {"this"})};
  for (const Json& each :
       Trials(Tpe(space, 0), 30, [](const Json& v) { return v["x"].get<double>(); })) {
    EXPECT_EQ(each["one"], 0.1);
    EXPECT_EQ(each["two"], 2);
    EXPECT_EQ(each["four"], 4);
    EXPECT_EQ(each["only"], "this");
  }
  const Tpe fixed({LogUniform("one", 0.1, 0.1)}, 0);
  EXPECT_EQ(Trials(fixed, 14, [](const Json&) { return 0.0; }).back()["one"], 0.1);
}

TEST(Tpe, DrawsEvenlyAsLongAsTheLagHidesAllResults) {
  const Tpe tpe(Mixed(), 3);
  const auto drawn = ProposeTrials({.trials = 30, .seed = 3, .space = Mixed()}, "search");
  EXPECT_EQ(Trials(tpe, 30, FromBest, 100), *drawn);
}

TEST(Tpe, TriesASmallSpaceWhole) {
  const Tpe tpe({IntUniform("a", 1, 6), OneOf("b", {"x", "y", "x"})}, 0);
  EXPECT_EQ(tpe.CountPoints(), 12);
  std::set<std::string> different;
  const auto trials = Trials(tpe, 12, [](const Json& v) { return v["a"].get<double>(); });
  for (const Json& each : trials) different.insert(Dump(each));
  EXPECT_EQ(different.size(), 12u);
}

// Liars keep the trials that run at the same time apart.
TEST(Tpe, TakesRunningTrialsForBadOnes) {
  const Tpe tpe({Uniform("x", 0, 1)}, 0);
  std::vector<Told> told;
  for (int i = 0; i < 20; ++i) told.push_back({{i / 20.0}, std::fabs(i / 20.0 - 0.5)});
  const std::vector<Point> running(12, Point{0.5});
  double alone = 0, beside = 0;
  for (int64_t number = 21; number < 61; ++number) {
    alone += std::fabs(tpe.Ask(number, told, {})["x"].get<double>() - 0.5);
    beside += std::fabs(tpe.Ask(number, told, running)["x"].get<double>() - 0.5);
  }
  EXPECT_GT(beside, 1.2 * alone);
}

class Kinds : public testing::Test {
 protected:
  const std::vector<Condition> conditions_ = {
      {"leaves", "kind", {"trees"}}, {"hidden", "kind", {"net"}}, {"dropout", "kind", {"net"}}};
  const Space space_ = {OneOf("kind", {"trees", "net"}), LogUniform("rate", 1e-3, 1),
                        IntUniform("leaves", 2, 100), OneOf("hidden", {8, 64}),
                        Uniform("dropout", 0, 0.5)};
};

TEST_F(Kinds, HaveTheirOwnOptionsOnly) {
  const Tpe tpe(space_, 1, conditions_);
  const Loss loss = [](const Json& v) {
    return v["kind"] == "net" ? 1 + v["dropout"].get<double>()
                              : std::fabs(v["leaves"].get<double>() - 30) / 100;
  };
  int64_t nets = 0;
  const auto trials = Trials(tpe, 80, loss, 4);
  for (const Json& each : trials) {
    const bool net = each["kind"] == "net";
    EXPECT_EQ(each.contains("leaves"), !net);
    EXPECT_EQ(each.contains("hidden"), net);
    EXPECT_EQ(each.contains("dropout"), net);
    EXPECT_TRUE(each.contains("rate"));
  }
  for (size_t i = 50; i < trials.size(); ++i) nets += trials[i]["kind"] == "net";
  EXPECT_LT(nets, 10);
  EXPECT_LT(BestOf(trials, loss), 0.05);
}

TEST_F(Kinds, AreCountedWithoutOptionsThatTheyLack) {
  const Tpe tpe(
      {OneOf("kind", {"trees", "net"}), IntUniform("leaves", 2, 4), OneOf("hidden", {8, 64})}, 0,
      conditions_);
  EXPECT_EQ(tpe.CountPoints(), 5);
  EXPECT_EQ(Tpe(space_, 0, conditions_).CountPoints(), 0);
}

TEST_F(Kinds, AreAllAmongTheCorners) {
  std::string text;
  for (const Json& each : Tpe(space_, 0, conditions_).Corners()) text += Dump(each) + "\n";
  EXPECT_EQ(text,
            "{\"kind\":\"trees\",\"rate\":0.001,\"leaves\":2}\n"
            "{\"kind\":\"net\",\"rate\":0.001,\"hidden\":8,\"dropout\":0.0}\n"
            "{\"kind\":\"trees\",\"rate\":1.0,\"leaves\":2}\n"
            "{\"kind\":\"trees\",\"rate\":0.001,\"leaves\":2}\n"
            "{\"kind\":\"trees\",\"rate\":0.001,\"leaves\":100}\n"
            "{\"kind\":\"trees\",\"rate\":0.001,\"leaves\":2}\n"
            "{\"kind\":\"net\",\"rate\":0.001,\"hidden\":8,\"dropout\":0.0}\n"
            "{\"kind\":\"net\",\"rate\":0.001,\"hidden\":64,\"dropout\":0.0}\n"
            "{\"kind\":\"net\",\"rate\":0.001,\"hidden\":8,\"dropout\":0.5}\n"
            "{\"kind\":\"net\",\"rate\":0.001,\"hidden\":8,\"dropout\":0.0}\n");
}

}  // namespace
}  // namespace protium
