// SPDX-License-Identifier: Apache-2.0
#include "search/parzen.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/json.h"
#include "search/normal_mass.h"
#include "search/tpe.h"

namespace protium {
namespace {

struct Worst {
  int histories = 0;
  double error = 0;
};

// Compares the densities of a line of testing/optuna_densities.py with ours.
void Compare(const std::string& line, Worst& worst) {
  const auto json = ParseJson(line);
  ASSERT_TRUE(json.ok()) << json.status();
  Space space;
  ASSERT_TRUE(FromJson((*json)["space"], "space", space).ok());
  const Tpe tpe(space, 0);
  std::vector<Axis> axes;
  for (const Dimension& each : space) axes.push_back(AxisOf(each, axes.size()));
  std::vector<Point> told;
  for (const Json& values : (*json)["told"]) told.push_back(tpe.PointOf(values));
  std::vector<const Point*> points;
  for (const Point& each : told) points.push_back(&each);
  const Parzen parzen(axes, points);
  for (size_t i = 0; i < (*json)["asked"].size(); ++i) {
    const double wanted = (*json)["logs"][i];
    const double log = parzen.LogDensity(tpe.PointOf((*json)["asked"][i]));
    ASSERT_NEAR(log, wanted, 1e-9) << line;
    worst.error = std::max(worst.error, std::fabs(log - wanted));
  }
  ++worst.histories;
}

TEST(Parzen, HasTheDensitiesThatOptunaRecorded) {
  std::ifstream lines(PROTIUM_SEARCH_FIXTURES "/optuna_densities.jsonl");
  Worst worst;
  for (std::string line; std::getline(lines, line);) Compare(line, worst);
  EXPECT_EQ(worst.histories, 40);
}

TEST(Parzen, HasTheDensitiesOfTheRealOptunaOnAThousandHistories) {
  if (!std::filesystem::exists(PROTIUM_OPTUNA)) {
    GTEST_SKIP() << "there is no " PROTIUM_OPTUNA
                    "; testing/optuna_densities.py says how to make it";
  }
  const std::string command =
      PROTIUM_OPTUNA " " PROTIUM_SEARCH_FIXTURES "/optuna_densities.py 1000 7";
  FILE* const pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  Worst worst;
  std::string line;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c != '\n') {
      line += char(c);
      continue;
    }
    Compare(line, worst);
    line.clear();
  }
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_EQ(worst.histories, 1000);
  RecordProperty("greatest_difference", std::to_string(worst.error));
}

TEST(NormalMass, IsPreciseInTheMiddleAndInBothTails) {
  for (double a = -12; a < 12; a += 0.0371) {
    for (const double width : {1e-3, 0.3, 30.0}) {
      const long double low = a, high = a + width, root = std::sqrt(2.0L);
      long double mass = 0;
      if (low > 0) {
        mass = (std::erfc(low / root) - std::erfc(high / root)) / 2;
      } else if (high < 0) {
        mass = (std::erfc(-high / root) - std::erfc(-low / root)) / 2;
      } else {
        mass = (std::erf(high / root) - std::erf(low / root)) / 2;
      }
      EXPECT_NEAR(LogNormalMass(a, a + width), double(std::log(mass)), 1e-10) << a << " " << width;
    }
  }
}

TEST(NormalMass, HasExpOfItsOwn) {
  for (double x = 0; x > -600; x -= 0.731) {
    EXPECT_NEAR(ExpOfNegative(x) / std::exp(x), 1, 1e-14) << x;
  }
  EXPECT_EQ(ExpOfNegative(0), 1);
  EXPECT_LT(ExpOfNegative(-1e300), 1e-300);
}

// The share of draws below a bound is the integral of the density up to it.
TEST(Parzen, DrawsAsItsDensitySays) {
  const std::vector<Axis> axes = {AxisOf(LogUniform("a", 1e-3, 1), 0),
                                  AxisOf(IntUniform("b", 1, 4), 1),
                                  AxisOf(OneOf("c", {"x", "y", "z"}), 2)};
  const std::vector<Point> told = {{std::log(0.01), 2, 0}, {std::log(0.3), 4, 2}};
  const std::vector<const Point*> points = {&told[0], &told[1]};
  const Parzen parzen(axes, points);
  constexpr int kDraws = 20000;
  Draws draws(5);
  std::vector<double> drawn(24), wanted(24);
  Point point(3);
  // By quarter of the first range and the combinations of the others (2 of 4 numbers, 3 choices).
  const double part = (axes[0].high - axes[0].low) / 4;
  for (int i = 0; i < kDraws; ++i) {
    parzen.Draw(draws, point);
    ASSERT_GE(point[0], axes[0].low);
    ASSERT_LE(point[0], axes[0].high);
    const auto quarter = std::min(size_t((point[0] - axes[0].low) / part), size_t{3});
    if (point[1] == 2 || point[1] == 3) {
      drawn[quarter * 6 + size_t(point[1] - 2) * 3 + size_t(point[2])] += 1.0 / kDraws;
    }
  }
  constexpr int kSteps = 400;
  for (size_t quarter = 0; quarter < 4; ++quarter) {
    for (size_t cell = 0; cell < 6; ++cell) {
      for (int k = 0; k < kSteps; ++k) {
        const double at = axes[0].low + (double(quarter) + (k + 0.5) / kSteps) * part;
        const double log = parzen.LogDensity({at, 2.0 + double(cell / 3), double(cell % 3)});
        wanted[quarter * 6 + cell] += std::exp(log) * part / kSteps;
      }
    }
  }
  // Five standard deviations of the widest cell are 0.018.
  for (size_t i = 0; i < 24; ++i) EXPECT_NEAR(drawn[i], wanted[i], 0.018) << i;
}

TEST(Parzen, SumsToOneOverWholeNumbersAndChoices) {
  const std::vector<Axis> axes = {AxisOf(LogIntUniform("a", 1, 9), 0),
                                  AxisOf(OneOf("b", {1, 2}), 1)};
  const std::vector<Point> told = {{0, 0}, {std::log(3), 1}, {std::log(3), 1}, {std::log(9), 0}};
  std::vector<const Point*> points;
  for (size_t many = 0; many <= told.size(); ++many) {
    const Parzen parzen(axes, points);
    double sum = 0;
    for (int a = 1; a <= 9; ++a) {
      for (const double b : {0.0, 1.0}) sum += std::exp(parzen.LogDensity({std::log(a), b}));
    }
    EXPECT_NEAR(sum, 1, 1e-12) << many;
    if (many < told.size()) points.push_back(&told[many]);
  }
}

}  // namespace
}  // namespace protium
