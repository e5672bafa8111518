// SPDX-License-Identifier: Apache-2.0
#include "search/tpe.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "base/splitmix.h"
#include "base/strict_math.h"
#include "search/space.h"

namespace protium {
namespace {

constexpr int64_t kRandomTrials = 10;
// The more candidates, the better their best: as many as an ask of this many components (candidates
// times trials) has the time for.
constexpr size_t kComponents = 24000;
constexpr size_t kFewestCandidates = 24, kMostCandidates = 128;
constexpr size_t kMostGood = 25;
// So often the estimators are asked anew for values that no trial has, and then random draws.
constexpr uint64_t kRounds = 8;
constexpr int64_t kFreshDraws = 1000;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Whole ones first, then pruned ones by their steps, then those that break what is required, then
// those without a value.
std::tuple<int, int64_t, double> RankOf(const Outcome& told) {
  const double loss = std::isnan(told.loss) ? kInfinity : told.loss;
  if (told.violation > 0) return {2, 0, told.violation};
  if (told.pruned > 0) return {1, -told.pruned, loss};
  return {loss == kInfinity ? 3 : 0, 0, loss};
}

bool IsFixed(const Dimension& dimension) {
  return dimension.kind != Dimension::Kind::kChoice && dimension.low == dimension.high;
}

double CoordinateOf(const Dimension& dimension, double number) {
  return IsLog(dimension.kind) ? StrictLog(number) : number;
}

// NaN is equal to NaN here: an option that neither has.
bool SamePoint(const Point& a, const Point& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  }
  return true;
}

struct Halves {
  std::vector<const Point*> good;
  std::vector<double> weights;  // Of the good ones; empty: by their age.
  std::vector<const Point*> bad;
};

// Marks the best `good`; of equal ones the earlier trial is the better one.
std::vector<bool> BestByRank(const std::vector<const Told*>& told, size_t good) {
  std::vector<std::pair<std::tuple<int, int64_t, double>, size_t>> order;
  for (size_t i = 0; i < told.size(); ++i) order.emplace_back(RankOf(told[i]->outcome), i);
  const auto cut = order.begin() + std::ptrdiff_t(good);
  if (good > 0) std::nth_element(order.begin(), cut - 1, order.end());
  std::vector<bool> best(told.size());
  for (auto each = order.begin(); each != cut; ++each) best[each->second] = true;
  return best;
}

// The same where there are several losses: those that have all of them come first.
std::vector<bool> BestOfSeveral(const std::vector<const Told*>& told, size_t good) {
  std::vector<size_t> whole;
  std::vector<Losses> losses;
  for (size_t i = 0; i < told.size(); ++i) {
    const Outcome& outcome = told[i]->outcome;
    if (outcome.losses.empty() || outcome.violation > 0) continue;
    whole.push_back(i);
    losses.push_back(outcome.losses);
  }
  if (whole.size() <= good) return BestByRank(told, good);
  std::vector<bool> best(told.size());
  for (const size_t i : BestRanked(losses, good)) best[whole[i]] = true;
  return best;
}

// Both in the order of trials.
Halves Halve(const std::vector<const Told*>& told) {
  const size_t share = (3 * told.size() + 19) / 20;  // 15 in 100.
  const bool several =
      std::ranges::any_of(told, [](const Told* each) { return !each->outcome.losses.empty(); });
  const std::vector<bool> best =
      several ? BestOfSeveral(told, share) : BestByRank(told, std::min(share, kMostGood));
  Halves halves;
  for (size_t i = 0; i < told.size(); ++i) {
    (best[i] ? halves.good : halves.bad).push_back(&told[i]->at);
  }
  if (several) halves.weights.assign(halves.good.size(), 1);
  return halves;
}

}  // namespace

Tpe::Tpe(Space space, int64_t seed, std::span<const Condition> conditions, std::vector<Json> first)
    : space_(std::move(space)), seed_(seed), first_(std::move(first)), groups_(1) {
  for (const Dimension& each : space_) choices_.push_back(GridPoints(each));
  const auto find = [&](const std::string& path) {
    return size_t(std::ranges::find(space_, path, &Dimension::path) - space_.begin());
  };
  for (size_t i = 0; i < space_.size(); ++i) {
    const auto found = std::ranges::find(conditions, space_[i].path, &Condition::path);
    Group wanted;
    if (found != conditions.end()) {
      wanted.condition_of = find(found->of);
      for (const Json& value : found->among) {
        const auto& all = choices_[wanted.condition_of];
        wanted.condition_is.push_back(double(std::ranges::find(all, value) - all.begin()));
      }
    }
    auto group = std::ranges::find_if(groups_, [&](const Group& each) {
      return each.condition_of == wanted.condition_of && each.condition_is == wanted.condition_is;
    });
    if (group == groups_.end()) group = groups_.insert(groups_.end(), wanted);
    if (IsFixed(space_[i])) {
      group->fixed.push_back(i);
      continue;
    }
    group->axes.push_back(AxisOf(space_[i], i));
  }
}

bool Tpe::TakesPart(const Group& group, const Point& point) const {
  return group.condition_is.empty() ||
         std::ranges::find(group.condition_is, point[group.condition_of]) !=
             group.condition_is.end();
}

Point Tpe::PointOf(const Json& values) const {
  Point point(space_.size(), kNone);
  for (size_t i = 0; i < space_.size(); ++i) {
    const auto found = values.find(space_[i].path);
    if (found == values.end()) continue;
    if (space_[i].kind == Dimension::Kind::kChoice) {
      point[i] = double(std::ranges::find(choices_[i], *found) - choices_[i].begin());
    } else {
      point[i] = CoordinateOf(space_[i], found->get<double>());
    }
  }
  return point;
}

Json Tpe::ValuesOf(const Point& point) const {
  Json values = Json::object();
  for (size_t i = 0; i < space_.size(); ++i) {
    if (std::isnan(point[i])) continue;
    const Dimension& dimension = space_[i];
    if (dimension.kind == Dimension::Kind::kChoice) {
      values[dimension.path] = choices_[i][size_t(point[i])];
    } else {
      const double number = IsLog(dimension.kind) ? StrictExpm1(point[i]) + 1 : point[i];
      values[dimension.path] = ValueIn(dimension, number);
    }
  }
  return values;
}

bool Tpe::History::Holds(const Point& point) const {
  const auto same = [&](const Point& each) { return SamePoint(each, point); };
  return std::ranges::any_of(running, same) || std::ranges::any_of(told, same, &Told::at);
}

Point Tpe::DrawEvenly(int64_t number, int64_t vain) const {
  Json values = Json::object();
  for (const Dimension& each : space_) {
    // Beyond the numbers of trials that a search can have.
    values[each.path] = DrawValue(each, seed_, number - 1 + vain * 1000000);
  }
  if (vain == 0 && number <= int64_t(first_.size())) values.update(first_[size_t(number - 1)]);
  Point point = PointOf(values);
  LeaveOut(point);
  return point;
}

// Removes the options whose condition does not hold.
void Tpe::LeaveOut(Point& point) const {
  for (const Group& group : groups_) {
    if (TakesPart(group, point)) continue;
    for (const Axis& axis : group.axes) point[axis.at] = kNone;
    for (const size_t i : group.fixed) point[i] = kNone;
  }
}

int64_t Tpe::CountPoints() const {
  if (groups_.size() == 1) return CountCombinations(space_);
  const size_t of = groups_[1].condition_of;
  int64_t all = 0;
  for (size_t choice = 0; choice < choices_[of].size(); ++choice) {
    Point point(space_.size(), 0);
    point[of] = double(choice);
    LeaveOut(point);
    Space rest;
    for (size_t i = 0; i < space_.size(); ++i) {
      if (i != of && !std::isnan(point[i])) rest.push_back(space_[i]);
    }
    const int64_t count = CountCombinations(rest);
    if (count == 0) return 0;
    all += count;
  }
  return all;
}

int64_t Tpe::Evenly() const { return std::max(kRandomTrials, int64_t(first_.size())); }

std::vector<Json> Tpe::First(int64_t count) const {
  std::vector<Json> first;
  std::vector<Point> points;
  for (int64_t number = 1; number <= std::min(count, Evenly()); ++number) {
    first.push_back(Ask(number, {}, points));
    points.push_back(PointOf(first.back()));
  }
  return first;
}

std::vector<Json> Tpe::Corners() const {
  Point lowest;
  for (const Dimension& each : space_) {
    lowest.push_back(each.kind == Dimension::Kind::kChoice ? 0 : CoordinateOf(each, each.low));
  }
  std::vector<Json> corners;
  const auto add = [&](Point point, size_t i, double coordinate) {
    point[i] = coordinate;
    LeaveOut(point);
    corners.push_back(ValuesOf(point));
  };
  for (const Group& group : groups_) {
    Point base = lowest;
    if (!group.condition_is.empty()) base[group.condition_of] = group.condition_is.front();
    for (const Axis& axis : group.axes) {
      const Dimension& dimension = space_[axis.at];
      for (size_t k = 0; k < axis.choices; ++k) add(base, axis.at, double(k));
      if (axis.choices == 0) add(base, axis.at, CoordinateOf(dimension, dimension.high));
    }
    add(base, 0, base[0]);
  }
  return corners;
}

Point Tpe::DrawFresh(int64_t number, const History& history) const {
  for (int64_t vain = 0; vain < kFreshDraws; ++vain) {
    Point point = DrawEvenly(number, vain);
    if (!history.Holds(point)) return point;
  }
  return DrawEvenly(number, 0);
}

void Tpe::ProposeGroup(const Group& group, const History& history, Draws& draws,
                       Point& into) const {
  std::vector<const Told*> told;
  for (const Told& each : history.told) {
    if (TakesPart(group, each.at)) told.push_back(&each);
  }
  Halves halves = Halve(told);
  for (const Point& each : history.running) {
    if (TakesPart(group, each)) halves.bad.push_back(&each);
  }
  const Parzen good(group.axes, halves.good, halves.weights), bad(group.axes, halves.bad);
  const size_t candidates =
      std::clamp(kComponents / (told.size() + 1), kFewestCandidates, kMostCandidates);
  Point candidate = into, best;
  double greatest = 0;
  for (size_t i = 0; i < candidates; ++i) {
    good.Draw(draws, candidate);
    const double gain = good.LogDensity(candidate) - bad.LogDensity(candidate);
    if (i > 0 && gain <= greatest) continue;
    greatest = gain;
    best = candidate;
  }
  into = best;
  for (const size_t i : group.fixed) into[i] = CoordinateOf(space_[i], space_[i].low);
}

Point Tpe::Propose(int64_t number, uint64_t round, const History& history) const {
  uint64_t key = SplitMix(uint64_t(seed_) + kSplitMixStep);
  key = SplitMix(key ^ (uint64_t(number) * kSplitMixStep));
  Draws draws(SplitMix(key ^ (round * kSplitMixStep)));
  Point point(space_.size(), kNone);
  for (const Group& group : groups_) {
    if (TakesPart(group, point)) ProposeGroup(group, history, draws, point);
  }
  return point;
}

Json Tpe::Ask(int64_t number, std::span<const Told> told, std::span<const Point> running) const {
  const History history{told, running};
  const bool begins = number <= int64_t(first_.size()) ||
                      (number <= kRandomTrials && int64_t(told.size()) < kRandomTrials);
  if (!begins && !told.empty()) {
    for (uint64_t round = 0; round < kRounds; ++round) {
      // As it will be told: real numbers have six digits.
      const Json values = ValuesOf(Propose(number, round, history));
      if (!history.Holds(PointOf(values))) return values;
    }
  }
  return ValuesOf(DrawFresh(number, history));
}

}  // namespace protium
