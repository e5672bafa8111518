// SPDX-License-Identifier: Apache-2.0
#include "search/population.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "search/space.h"

namespace protium {
namespace {

constexpr double kDrawnAnew = 0.25;
constexpr double kLess = 0.8, kMore = 1.2;

bool HasNone(double loss) { return std::isnan(loss); }

// The places, the best one first.
std::vector<size_t> Ranked(std::span<const double> losses) {
  std::vector<size_t> places(losses.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::ranges::stable_sort(places, [&](size_t a, size_t b) {
    if (HasNone(losses[a]) || HasNone(losses[b])) return !HasNone(losses[a]) && HasNone(losses[b]);
    return losses[a] < losses[b];
  });
  return places;
}

}  // namespace

int64_t Population::EpochsAfter(int64_t generation) const {
  return std::min((generation + 1) * every_, epochs_);
}

std::vector<Descent> Population::Next(int64_t generation, std::span<const Json> values,
                                      std::span<const double> losses) const {
  const std::vector<size_t> ranked = Ranked(losses);
  const size_t members = ranked.size();
  const size_t quarter = std::min((members + 3) / 4, members / 2);
  const auto alive = size_t(std::ranges::count_if(losses, [](double x) { return !HasNone(x); }));
  std::vector<Descent> next(members);
  for (size_t rank = 0; rank < members; ++rank) {
    const size_t place = ranked[rank];
    const bool goes_on = (rank < members - quarter && rank < alive) || alive == 0;
    const int64_t draw = generation * members_ + int64_t(place);
    const double share = DrawShare("population", seed_, draw);
    next[place].parent = goes_on ? place : ranked[size_t(share * double(std::min(quarter, alive)))];
    next[place].values = values[next[place].parent];
    if (goes_on) continue;
    for (const Dimension& each : space_) {
      Json& value = next[place].values[each.path];
      value = Changed(each, value, generation, int64_t(place));
    }
  }
  return next;
}

Json Population::Changed(const Dimension& dimension, const Json& value, int64_t generation,
                         int64_t place) const {
  const int64_t draw = generation * members_ + place;
  // Draws of the first generation have lower numbers.
  constexpr int64_t kAnew = int64_t{1} << 40;
  if (DrawShare("anew." + dimension.path, seed_, draw) < kDrawnAnew) {
    return DrawValue(dimension, seed_, kAnew + draw);
  }
  const bool less = DrawShare("less." + dimension.path, seed_, draw) < 0.5;
  if (dimension.kind != Dimension::Kind::kChoice) {
    return ValueIn(dimension, value.get<double>() * (less ? kLess : kMore));
  }
  const std::vector<Json>& choices = dimension.choices;
  const auto at = std::ranges::find(choices, value) - choices.begin();
  const auto last = std::ptrdiff_t(choices.size()) - 1;
  return choices[size_t(std::clamp<std::ptrdiff_t>(at + (less ? -1 : 1), 0, last))];
}

Json Population::OptionsOf(std::span<const Json> lineage) const {
  Json options = lineage.front();
  Json changes = Json::array();
  for (size_t i = 1; i < lineage.size(); ++i) {
    if (lineage[i] == lineage[i - 1]) continue;
    Json optimizer = Json::object();
    for (const auto& [path, value] : lineage[i].items()) {
      if (value != lineage[i - 1][path]) optimizer[path.substr(kOptimizerPath.size())] = value;
    }
    changes.push_back({{"after", EpochsAfter(int64_t(i) - 1)}, {"optimizer", optimizer}});
  }
  options["train.changes"] = std::move(changes);
  options["train.epochs"] = EpochsAfter(int64_t(lineage.size()) - 1);
  return options;
}

std::vector<const Trial*> LineageOf(std::span<const Trial> trials, int64_t number) {
  std::vector<const Trial*> lineage;
  while (number > 0) {
    const auto found = std::ranges::find(trials, number, &Trial::number);
    if (found == trials.end()) break;
    lineage.push_back(&*found);
    number = found->parent.value_or(0);
  }
  std::ranges::reverse(lineage);
  return lineage;
}

Json ScheduleOf(const Population& population, std::span<const Trial> trials, int64_t number) {
  Json schedule = Json::array();
  const std::vector<const Trial*> lineage = LineageOf(trials, number);
  int64_t first = 1;
  for (size_t i = 0; i < lineage.size(); ++i) {
    const Trial& each = *lineage[i];
    const int64_t last = std::min(population.EpochsAfter(int64_t(i)), lineage.back()->best_epoch);
    if (last < first) break;
    if (!schedule.empty() && schedule.back()["values"] == each.values) {
      schedule.back()["epochs"][1] = last;
    } else {
      schedule.push_back(
          {{"epochs", {first, last}}, {"trial", each.number}, {"values", each.values}});
    }
    first = last + 1;
  }
  return schedule;
}

}  // namespace protium
