// SPDX-License-Identifier: Apache-2.0
#include "train/schedule.h"

#include <algorithm>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "base/unknown_name.h"

namespace protium {
namespace {

// From `from` to `to` along half a wave of the cosine, as t goes from 0 to 1.
double Swing(double from, double to, double t) {
  return to + (from - to) * (1 + CosineOfHalfTurns(t)) / 2;
}

// factor^floor(step / every), as in torch.optim.lr_scheduler.StepLR. Multiplies, since std::pow may
// differ in the last bit; the loop ends at the latest when the rate is 0.
Schedule Stepwise(const StepScheduleOptions& options, int64_t steps) {
  const int64_t share = std::max<int64_t>(1, int64_t(options.every * double(steps)));
  const int64_t every = options.every_steps > 0 ? options.every_steps : share;
  return [every, factor = options.factor](int64_t step) {
    double rate = 1;
    for (int64_t drops = step / every; drops > 0 && rate > 0; --drops) rate *= factor;
    return rate;
  };
}

// As torch.optim.lr_scheduler.CosineAnnealingLR with T_max = steps (Loshchilov and Hutter, 2017,
// without restarts): `final` would be reached in the step after the last.
Schedule CosineOver(const CosineOptions& options, int64_t steps) {
  return [final = options.final, steps](int64_t step) {
    return Swing(1, final, double(step) / double(std::max<int64_t>(1, steps)));
  };
}

// As torch.optim.lr_scheduler.OneCycleLR: the peak is at the last step of its share, and the end at
// the last step of all.
Schedule OneCycleOver(const OneCycleOptions& options, int64_t steps) {
  const double peak = std::max(0.0, options.peak * double(steps) - 1);
  const double end = double(steps) - 1;
  return [options, peak, end](int64_t step) {
    const double at = double(step);
    if (at <= peak && peak > 0) return Swing(options.start, 1, at / peak);
    return end > peak ? Swing(1, options.final, (at - peak) / (end - peak)) : options.final;
  };
}

template <class Options>
using Maker = Schedule (*)(const Options& options, int64_t steps);

template <class Options, Maker<Options> make>
Result<Schedule> Read(const Json& given, int64_t steps) {
  Options options;
  PT_TRY(FieldsFromJson(given, "train.schedule", options));
  return make(options, steps);
}

Result<Schedule> Level(const Json&, int64_t) {
  return Schedule([](int64_t) { return 1.0; });
}

// reduce_on_plateau is constant here: its factor is Plateau::rate.
struct Row {
  const char* name;
  Result<Schedule> (*make)(const Json& options, int64_t steps);
};
constexpr Row kSchedules[] = {{"constant", Level},
                              {"step", Read<StepScheduleOptions, Stepwise>},
                              {"cosine", Read<CosineOptions, CosineOver>},
                              {"one_cycle", Read<OneCycleOptions, OneCycleOver>},
                              {"reduce_on_plateau", Level}};

// At most all steps, so that the following schedule never gets a negative number of them.
int64_t WarmUpSteps(const WarmUpOptions& options, int64_t steps) {
  const int64_t share = int64_t(options.share * double(steps));
  return std::min(steps, options.steps > 0 ? options.steps : share);
}

}  // namespace

// cos(x) = 1 - x^2/2! + x^4/4! - ... for x up to a quarter turn, where 12 terms are exact to the
// last digit or two; beyond it cos(pi - x) = -cos(x).
double CosineOfHalfTurns(double t) {
  if (t > 0.5) return -CosineOfHalfTurns(1 - t);
  const double x = t * std::numbers::pi;
  double sum = 0, term = 1;
  for (int n = 1; n <= 12; ++n) {
    sum += term;
    term *= -x * x / double((2 * n - 1) * (2 * n));
  }
  return sum;
}

// The warm-up rises to the first rate of the schedule and never begins at 0, since that step would
// change nothing. The schedule itself covers the steps after it.
Result<Schedule> MakeSchedule(const TrainOptions& train, int64_t steps) {
  const int64_t warm_up = WarmUpSteps(train.warm_up, steps);
  std::vector<std::string> known;
  for (const Row& row : kSchedules) {
    known.emplace_back(row.name);
    if (train.schedule.name != row.name) continue;
    PT_LET(const Schedule after, row.make(train.schedule.options, steps - warm_up));
    return Schedule([warm_up, after](int64_t step) {
      if (step >= warm_up) return after(step - warm_up);
      return double(step + 1) / double(warm_up + 1) * after(0);
    });
  }
  return UnknownName("schedule", train.schedule.name, known, "train.schedule");
}

}  // namespace protium
