// SPDX-License-Identifier: Apache-2.0
#include "trees/lambdarank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/exp.h"
#include "base/fault.h"
#include "base/strict_math.h"
#include "metrics/relevance.h"

namespace protium {
namespace {

// Of groups in which nothing is to be learned, since H + l2 must stay above 0.
constexpr double kFlatHessian = 1e-16;
constexpr double kRowScale = 16;
// So that pairs of almost equal margins do not outweigh all others.
constexpr double kNear = 0.01;

double Log2Of1Plus(double x) { return StrictLog1p(x) / StrictLog1p(1.0); }

// What a round gives a row.
struct RowResult {
  float gradient = 0;
  float hessian = 0;
  float loss = 0;
};

Status CheckLabels(const TreeTargets& targets) {
  for (const float label : targets.labels) {
    if (IsRelevance(label)) continue;
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("a row has the label {}, but lambdarank learns whole numbers "
                                     "from 0 to 31",
                                     label),
                 .why = "a row of relevance r counts 2^r - 1",
                 .fix = "number the grades of relevance from 0 on"});
  }
  return Status::OK();
}

// Collective. The values of all ranks, one rank after another.
template <class T>
Result<std::vector<T>> GatherAll(std::span<const T> own, Communicator& communicator) {
  if (communicator.world() == 1) return std::vector<T>(own.begin(), own.end());
  PT_LET(const auto messages,
         communicator.AllGather({reinterpret_cast<const char*>(own.data()), own.size_bytes()}));
  size_t bytes = 0;
  for (const std::string& each : messages) bytes += each.size();
  std::vector<T> all(bytes / sizeof(T));
  auto* to = reinterpret_cast<char*>(all.data());
  for (const std::string& each : messages) {
    std::memcpy(to, each.data(), each.size());
    to += each.size();
  }
  return all;
}

// One group's gradients. Keeps its memory from group to group.
class GroupLambdas {
 public:
  explicit GroupLambdas(int64_t top) : top_(size_t(top)) {}

  // Rows in the order of their keys.
  void Compute(std::span<const float> labels, std::span<const float> margins,
               std::span<RowResult> out) {
    Sort(margins);
    const double best = BestDcg(labels);
    std::ranges::fill(out, RowResult{0, float(kFlatHessian), 0});
    if (best == 0) return;
    gradients_.assign(labels.size(), 0);
    hessians_.assign(labels.size(), 0);
    const double factor = Normaliser(AddPairs(labels, margins, best));
    const auto loss = float(1 - Dcg(labels, places_) / best);
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = {float(factor * gradients_[i]), float(std::max(factor * hessians_[i], kFlatHessian)),
                loss};
    }
  }

 private:
  void Sort(std::span<const float> margins) {
    places_.resize(margins.size());
    std::iota(places_.begin(), places_.end(), uint32_t{0});
    std::ranges::stable_sort(places_, std::greater<>(), [&](uint32_t i) { return margins[i]; });
    for (size_t p = discounts_.size(); p < margins.size(); ++p) {
      discounts_.push_back(1 / Log2Of1Plus(double(p + 1)));
    }
  }

  double Dcg(std::span<const float> labels, std::span<const uint32_t> places) const {
    double sum = 0;
    for (size_t p = 0; p < std::min(top_, places.size()); ++p) {
      sum += GainOf(labels[places[p]]) * discounts_[p];
    }
    return sum;
  }

  double BestDcg(std::span<const float> labels) {
    best_ = places_;
    std::ranges::stable_sort(best_, std::greater<>(), [&](uint32_t i) { return labels[i]; });
    return Dcg(labels, best_);
  }

  // Returns the sum of 2 p d.
  double AddPairs(std::span<const float> labels, std::span<const float> margins, double best) {
    const bool differ = margins[places_.front()] != margins[places_.back()];
    double sum = 0;
    for (size_t a = 0; a < std::min(top_, places_.size()); ++a) {
      for (size_t b = a + 1; b < places_.size(); ++b) {
        uint32_t high = places_[a], low = places_[b];
        if (labels[high] == labels[low]) continue;
        double change = (discounts_[a] - discounts_[b]) / best *
                        std::fabs(GainOf(labels[high]) - GainOf(labels[low]));
        if (labels[high] < labels[low]) std::swap(high, low);
        const double apart = double(margins[high]) - double(margins[low]);
        if (differ) change /= kNear + std::fabs(apart);
        const double wrong = 1 / (1 + ReproducibleExp(apart));
        gradients_[low] += wrong * change;
        gradients_[high] -= wrong * change;
        const double bend = wrong * (1 - wrong) * change;
        hessians_[low] += bend;
        hessians_[high] += bend;
        sum += 2 * wrong * change;
      }
    }
    return sum;
  }

  static double Normaliser(double sum) {
    return kRowScale * (sum > 0 ? Log2Of1Plus(sum) / sum : 1);
  }

  const size_t top_;
  std::vector<uint32_t> places_, best_;  // Rows by margin, and by label, falling.
  std::vector<double> discounts_;
  std::vector<double> gradients_, hessians_;
};

class RankingLoss final : public TreeLoss {
 public:
  explicit RankingLoss(const LambdarankOptions& options) : lambdas_(options.top) {}

  Status Prepare(const LossRows& rows, Communicator& communicator) override {
    PT_TRY(FailTogether(CheckOwn(rows), communicator));
    const TreeTargets& own = rows.targets;
    const std::span<const uint64_t> mine = own.groups;
    PT_LET(const auto groups, GatherAll(mine, communicator));
    PT_LET(const auto keys, GatherAll(rows.keys, communicator));
    PT_LET(const auto labels, GatherAll(std::span<const float>(own.labels), communicator));
    const int64_t count = own.rows;
    PT_LET(const auto counts, GatherAll(std::span(&count, 1), communicator));
    PT_TRY(FailTogether(CheckCount(groups.size()), communicator));
    std::vector<uint32_t> order(groups.size());
    std::iota(order.begin(), order.end(), uint32_t{0});
    std::ranges::sort(order, {},
                      [&](uint32_t i) { return std::tuple(groups[i], keys[i], labels[i], i); });
    PlaceOwn(order, counts, communicator.rank());
    TakePart(order, groups, labels, communicator);
    return FailTogether(CheckHeldOut(rows, groups, order), communicator);
  }

  Status Follow(std::span<const float> margins, const TreeTargets&,
                Communicator& communicator) override {
    PT_LET(const auto all, GatherAll(margins, communicator));
    std::vector<float> sorted(rows_.size());
    for (size_t i = 0; i < sorted.size(); ++i) sorted[i] = all[rows_[i]];
    std::vector<RowResult> part(rows_.size());
    for (size_t g = 0; g + 1 < ends_.size(); ++g) {
      const size_t first = ends_[g], count = ends_[g + 1] - first;
      lambdas_.Compute(std::span(labels_).subspan(first, count),
                       std::span(sorted).subspan(first, count),
                       std::span(part).subspan(first, count));
    }
    // Parts are consecutive, so together they are in the order of groups and keys.
    PT_LET(const auto results, GatherAll(std::span<const RowResult>(part), communicator));
    own_.resize(places_.size());
    for (size_t i = 0; i < own_.size(); ++i) own_[i] = results[places_[i]];
    return Status::OK();
  }

  void Gradients(int64_t, std::span<const float>, const TreeTargets& targets,
                 std::span<GradientPair> out) const override {
    for (size_t i = 0; i < out.size(); ++i) {
      const float weight = targets.weights[i];
      out[i] = {weight * own_[i].gradient, weight * own_[i].hessian};
    }
  }
  double LossOf(size_t row, std::span<const float>, std::span<const float>) const override {
    return own_[row].loss;
  }
  bool has_level() const override { return false; }

 private:
  static Status CheckOwn(const LossRows& rows) {
    if (rows.targets.groups.size() != size_t(rows.targets.rows)) {
      return Fail({.exit = Exit::kBug, .what = "rows that are to be ranked have no groups"});
    }
    PT_TRY(CheckLabels(rows.targets));
    return rows.held_out == nullptr ? Status::OK() : CheckLabels(*rows.held_out);
  }

  static Status CheckCount(size_t rows) {
    if (rows <= std::numeric_limits<uint32_t>::max()) return Status::OK();
    return Fail(
        {.exit = Exit::kInput,
         .what = fmt::format("lambdarank ranks at most 2^32 rows, and there are {}", rows)});
  }

  // The positions of the own rows in `order`.
  void PlaceOwn(std::span<const uint32_t> order, std::span<const int64_t> counts, int32_t rank) {
    const int64_t first = std::accumulate(counts.begin(), counts.begin() + rank, int64_t{0});
    const int64_t end = first + counts[size_t(rank)];
    places_.resize(size_t(end - first));
    for (size_t p = 0; p < order.size(); ++p) {
      const int64_t row = order[p];
      if (row >= first && row < end) places_[size_t(row - first)] = uint32_t(p);
    }
  }

  // The groups whose first row is in the rank's part of all rows.
  void TakePart(std::span<const uint32_t> order, std::span<const uint64_t> groups,
                std::span<const float> labels, const Communicator& communicator) {
    const auto world = size_t(communicator.world()), rank = size_t(communicator.rank());
    const size_t begin = order.size() * rank / world, end = order.size() * (rank + 1) / world;
    const auto starts = [&](size_t p) {
      return p == order.size() || p == 0 || groups[order[p]] != groups[order[p - 1]];
    };
    size_t first = begin, last = end;
    while (!starts(first)) ++first;
    while (!starts(last)) ++last;
    rows_.assign(order.begin() + ptrdiff_t(first), order.begin() + ptrdiff_t(last));
    labels_.clear();
    ends_.clear();
    for (size_t p = first; p < last; ++p) {
      labels_.push_back(labels[order[p]]);
      if (starts(p)) ends_.push_back(p - first);
    }
    ends_.push_back(last - first);
  }

  // A group that is cut in two would be measured and learned as two smaller ones.
  static Status CheckHeldOut(const LossRows& rows, std::span<const uint64_t> groups,
                             std::span<const uint32_t> order) {
    if (rows.held_out == nullptr) return Status::OK();
    for (const uint64_t group : rows.held_out->groups) {
      const auto found =
          std::ranges::lower_bound(order, group, {}, [&](uint32_t i) { return groups[i]; });
      if (found == order.end() || groups[*found] != group) continue;
      return Fail({.exit = Exit::kInput,
                   .what = "rows of one group are among both the training and the validation rows",
                   .where = "train.validation.by",
                   .why = "lambdarank learns and measures the order of whole groups",
                   .fix = "leave train.validation.by out"});
    }
    return Status::OK();
  }

  GroupLambdas lambdas_;
  std::vector<uint32_t> places_;  // Of the own rows, among all by group and key.
  // The rows of the groups that this rank computes, by group and key.
  std::vector<uint32_t> rows_;  // As all ranks' rows are gathered.
  std::vector<float> labels_;
  std::vector<size_t> ends_;  // Of the groups, from 0.
  std::vector<RowResult> own_;
};

}  // namespace

std::unique_ptr<TreeLoss> MakeLambdarank(const LambdarankOptions& options) {
  return std::make_unique<RankingLoss>(options);
}

}  // namespace protium
