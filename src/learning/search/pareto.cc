// SPDX-License-Identifier: Apache-2.0
#include "search/pareto.h"

#include <algorithm>
#include <numeric>

namespace protium {
namespace {

constexpr double kLittle = 1e-12;

std::vector<Losses> Of(std::span<const Losses> all, std::span<const size_t> indices) {
  std::vector<Losses> chosen;
  for (const size_t i : indices) chosen.push_back(all[i]);
  return chosen;
}

double BoxOf(const Losses& point, const Losses& reference) {
  double volume = 1;
  for (size_t k = 0; k < point.size(); ++k) volume *= reference[k] - point[k];
  return volume;
}

std::vector<Losses> OnFront(std::vector<Losses> points) {
  const std::vector<size_t> front = FrontOf(points);
  return Of(points, front);
}

// What `point` dominates and none of `others` does: its box, less what they dominate of it.
double GainOf(const Losses& point, std::span<const Losses> others, const Losses& reference) {
  std::vector<Losses> within;
  for (Losses other : others) {
    for (size_t k = 0; k < other.size(); ++k) other[k] = std::max(other[k], point[k]);
    within.push_back(std::move(other));
  }
  return BoxOf(point, reference) - Hypervolume(std::move(within), reference);
}

// Two losses are swept along the first.
double AreaOf(std::vector<Losses> points, const Losses& reference) {
  std::ranges::sort(points);
  double area = 0, reached = reference[1];
  for (const Losses& each : points) {
    if (each[1] >= reached) continue;
    area += (reference[0] - each[0]) * (reached - each[1]);
    reached = each[1];
  }
  return area;
}

// Gains only shrink as others are taken, so one that was once less than the best of this round
// need not be computed anew.
std::vector<size_t> TakeByGain(std::span<const Losses> all, std::vector<size_t> left,
                               size_t count) {
  std::ranges::stable_sort(left, {}, [&](size_t i) -> const Losses& { return all[i]; });
  const Losses reference = ReferenceOf(Of(all, left));
  std::vector<double> gains;
  for (const size_t i : left) gains.push_back(BoxOf(all[i], reference));
  std::vector<size_t> taken;
  while (taken.size() < count) {
    const std::vector<Losses> chosen = Of(all, taken);
    size_t best = 0;
    double greatest = -1;
    for (size_t i = 0; i < left.size(); ++i) {
      if (gains[i] <= greatest) continue;
      gains[i] = std::max(GainOf(all[left[i]], chosen, reference), 0.0);
      if (gains[i] <= greatest) continue;
      greatest = gains[i];
      best = i;
    }
    taken.push_back(left[best]);
    left.erase(left.begin() + std::ptrdiff_t(best));
    gains.erase(gains.begin() + std::ptrdiff_t(best));
  }
  return taken;
}

}  // namespace

bool Dominates(const Losses& a, const Losses& b) {
  bool better = false;
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k] > b[k]) return false;
    better = better || a[k] < b[k];
  }
  return better;
}

// In the order of their losses only one that is on the front already can dominate the next.
std::vector<size_t> FrontOf(std::span<const Losses> all) {
  std::vector<size_t> order(all.size()), front;
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) -> const Losses& { return all[i]; });
  for (const size_t i : order) {
    const bool behind =
        std::ranges::any_of(front, [&](size_t other) { return Dominates(all[other], all[i]); });
    if (!behind) front.push_back(i);
  }
  std::ranges::sort(front);
  return front;
}

Losses ReferenceOf(std::span<const Losses> all) {
  Losses reference = all.front();
  for (const Losses& each : all) {
    for (size_t k = 0; k < each.size(); ++k) reference[k] = std::max(reference[k], each[k]);
  }
  for (double& worst : reference) {
    worst = std::max(1.1 * worst, 0.9 * worst);
    if (worst == 0) worst = kLittle;
  }
  return reference;
}

double Hypervolume(std::vector<Losses> points, const Losses& reference) {
  if (points.empty()) return 0;
  if (reference.size() == 2) return AreaOf(std::move(points), reference);
  points = OnFront(std::move(points));
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  double volume = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    volume += GainOf(points[i], std::span(points).subspan(i + 1), reference);
  }
  return volume;
}

std::vector<size_t> BestRanked(std::span<const Losses> all, size_t count) {
  std::vector<size_t> left(all.size()), best;
  std::iota(left.begin(), left.end(), size_t{0});
  while (best.size() < std::min(count, all.size())) {
    const std::vector<size_t> front = FrontOf(Of(all, left));
    std::vector<size_t> rank;
    for (const size_t i : front) rank.push_back(left[i]);
    const size_t room = count - best.size();
    if (rank.size() > room) rank = TakeByGain(all, std::move(rank), room);
    best.insert(best.end(), rank.begin(), rank.end());
    std::erase_if(left, [&](size_t i) { return std::ranges::find(rank, i) != rank.end(); });
  }
  std::ranges::sort(best);
  return best;
}

size_t KneeOf(std::span<const Losses> all) {
  Losses least = all.front(), most = all.front();
  for (const Losses& each : all) {
    for (size_t k = 0; k < each.size(); ++k) {
      least[k] = std::min(least[k], each[k]);
      most[k] = std::max(most[k], each[k]);
    }
  }
  size_t knee = 0;
  double nearest = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    double distance = 0;
    for (size_t k = 0; k < least.size(); ++k) {
      const double width = most[k] - least[k];
      const double scaled = width > 0 ? (all[i][k] - least[k]) / width : 0;
      distance += scaled * scaled;
    }
    if (i > 0 && distance >= nearest) continue;
    nearest = distance;
    knee = i;
  }
  return knee;
}

}  // namespace protium
