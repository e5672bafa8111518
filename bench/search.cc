// SPDX-License-Identifier: Apache-2.0
// bench_search [SEEDS]: the median over seeds (30) of the best of 100 trials on published
// functions, with trials that learn from all before them and with the usual lag of 4; and the time
// of one ask.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "base/json.h"
#include "search/space.h"
#include "search/tpe.h"

namespace protium {
namespace {

constexpr int64_t kTrials = 100, kSeeds = 30;
constexpr int kAsks = 50;
constexpr double kPi = std::numbers::pi;

using X = std::vector<double>;
using Function = std::function<double(const X&)>;

double Sphere(const X& x) {
  double sum = 0;
  for (const double a : x) sum += (a - 1.3) * (a - 1.3);
  return sum;
}

double Rosenbrock(const X& x) {
  double sum = 0;
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    sum += 100 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1 - x[i], 2);
  }
  return sum;
}

double Rastrigin(const X& x) {
  double sum = 10 * double(x.size());
  for (const double a : x) sum += a * a - 10 * std::cos(2 * kPi * a);
  return sum;
}

double Ackley(const X& x) {
  double squares = 0, waves = 0;
  for (const double a : x) {
    squares += (a - 1.7) * (a - 1.7);
    waves += std::cos(2 * kPi * (a - 1.7));
  }
  const auto n = double(x.size());
  return -20 * std::exp(-0.2 * std::sqrt(squares / n)) - std::exp(waves / n) + 20 + std::numbers::e;
}

double Branin(const X& x) {
  const double a = x[0] * 15 - 5, b = x[1] * 15;
  return std::pow(b - 5.1 / (4 * kPi * kPi) * a * a + 5 / kPi * a - 6, 2) +
         10 * (1 - 1 / (8 * kPi)) * std::cos(a) + 10 - 0.397887;
}

double Hartmann(const X& x) {
  constexpr double kA[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                               {0.05, 10, 17, 0.1, 8, 14},
                               {3, 3.5, 1.7, 10, 17, 8},
                               {17, 8, 0.05, 10, 0.1, 14}};
  constexpr double kP[4][6] = {{1312, 1696, 5569, 124, 8283, 5886},
                               {2329, 4135, 8307, 3736, 1004, 9991},
                               {2348, 1451, 3522, 2883, 3047, 6650},
                               {4047, 8828, 8732, 5743, 1091, 381}};
  constexpr double kWeights[4] = {1, 1.2, 3, 3.2};
  double sum = 3.32237;
  for (size_t k = 0; k < 4; ++k) {
    double far = 0;
    for (size_t i = 0; i < 6; ++i) far += kA[k][i] * std::pow(x[i] - 1e-4 * kP[k][i], 2);
    sum -= kWeights[k] * std::exp(-far);
  }
  return sum;
}

double Levy(const X& x) {
  const auto w = [&](size_t i) { return 1 + (x[i] - 1) / 4; };
  double sum = std::pow(std::sin(kPi * w(0)), 2);
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    sum += std::pow(w(i) - 1, 2) * (1 + 10 * std::pow(std::sin(kPi * w(i) + 1), 2));
  }
  const double last = w(x.size() - 1);
  return sum + std::pow(last - 1, 2) * (1 + std::pow(std::sin(2 * kPi * last), 2));
}

double Styblinski(const X& x) {
  double sum = 39.16617 * double(x.size());
  for (const double a : x) sum += 0.5 * (std::pow(a, 4) - 16 * a * a + 5 * a);
  return sum;
}

double Griewank(const X& x) {
  double sum = 1, product = 1;
  for (size_t i = 0; i < x.size(); ++i) {
    sum += (x[i] - 77) * (x[i] - 77) / 4000;
    product *= std::cos((x[i] - 77) / std::sqrt(double(i + 1)));
  }
  return sum - product;
}

double Michalewicz(const X& x) {
  double sum = 4.687658;
  for (size_t i = 0; i < x.size(); ++i) {
    sum -= std::sin(x[i]) * std::pow(std::sin(double(i + 1) * x[i] * x[i] / kPi), 20);
  }
  return sum;
}

struct Case {
  const char* name;
  Function function;
  double low, high;
  size_t options;
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {{"sphere5", Sphere, -5, 5, 5},
                                          {"rosenbrock4", Rosenbrock, -2, 2, 4},
                                          {"rastrigin4", Rastrigin, -5.12, 5.12, 4},
                                          {"ackley5", Ackley, -10, 10, 5},
                                          {"branin", Branin, 0, 1, 2},
                                          {"hartmann6", Hartmann, 0, 1, 6},
                                          {"levy4", Levy, -10, 10, 4},
                                          {"styblinski4", Styblinski, -5, 5, 4},
                                          {"griewank4", Griewank, -600, 600, 4},
                                          {"michalewicz5", Michalewicz, 0, kPi, 5}};
  return cases;
}

double BestOf(const Case& of, int64_t seed, int64_t lag) {
  Space space;
  for (size_t i = 0; i < of.options; ++i) {
    space.push_back(Uniform("x" + std::to_string(i), of.low, of.high));
  }
  const Tpe tpe(space, seed);
  std::vector<Told> told;
  double best = std::numeric_limits<double>::infinity();
  for (int64_t number = 1; number <= kTrials; ++number) {
    const auto known = size_t(std::max(number - 1 - lag, int64_t{0}));
    std::vector<Point> running;
    for (size_t i = known; i < told.size(); ++i) running.push_back(told[i].at);
    const Point at = tpe.PointOf(tpe.Ask(number, std::span(told).first(known), running));
    told.push_back({at, {.loss = of.function(at)}});
    best = std::min(best, told.back().outcome.loss);
  }
  return best;
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void Print(const std::string& figure, double value, const char* unit, const Json& all = {}) {
  Json line = {{"figure", figure}, {"value", value}, {"unit", unit}};
  if (!all.is_null()) line["all"] = all;
  fmt::print("{}\n", Dump(line));
}

// The median, and all values for the sum of ranks (searched.py).
void Print(const std::string& figure, const std::vector<double>& losses) {
  Print(figure, Median(losses), "loss", losses);
}

// Of this thread alone, so that others on its core do not count.
double Millis() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
}

double AskMillis() {
  Space space;
  for (int i = 0; i < 6; ++i) space.push_back(LogUniform("x" + std::to_string(i), 1e-4, 1));
  space.push_back(OneOf("c", {"a", "b", "c"}));
  const Tpe tpe(space, 1);
  std::vector<Told> told;
  for (int64_t i = 0; i < 1000; ++i) {
    Json values = Json::object();
    double sum = 0;
    for (const Dimension& each : space) values[each.path] = DrawValue(each, 2, i);
    for (int k = 0; k < 6; ++k) sum += values["x" + std::to_string(k)].get<double>();
    told.push_back({tpe.PointOf(values), {.loss = sum}});
  }
  std::vector<double> times;
  for (int64_t i = 0; i < kAsks; ++i) {
    const double since = Millis();
    (void)tpe.Ask(1001 + i, told, {});
    times.push_back(Millis() - since);
  }
  return Median(times);
}

void Measure(int64_t seeds) {
  for (const int64_t lag : {int64_t{0}, int64_t{4}}) {
    for (const Case& each : Cases()) {
      std::vector<double> values;
      for (int64_t seed = 0; seed < seeds; ++seed) values.push_back(BestOf(each, seed, lag));
      const std::string name = fmt::format("{}, best of {}", each.name, kTrials);
      Print(lag == 0 ? name : fmt::format("{}, lag {}", name, lag), values);
    }
  }
  Print("ask after 1,000 trials", AskMillis(), "ms");
}

}  // namespace
}  // namespace protium

int main(int argc, char** argv) {
  protium::Measure(argc > 1 ? std::stoll(argv[1]) : protium::kSeeds);
  return 0;
}
