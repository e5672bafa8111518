// SPDX-License-Identifier: Apache-2.0
// Metrics of the order of rows by score. They need every score.
#include <memory>
#include <vector>

#include "metrics/kinds.h"
#include "metrics/score_bag.h"

namespace protium {
namespace {

class Ranking final : public Metric {
 public:
  using Finish = double (*)(const std::vector<Ranked>& sorted);
  explicit Ranking(Finish finish) : finish_(finish) {}

  void Add(const Judged& row) override { bag_.Add(row.scores[0], row.labels[0] > 0.5, row.weight); }
  Json ToJson() const override { return bag_.ToJson(); }
  Status Merge(const Json& json) override { return bag_.Merge(json); }
  double Value() const override { return finish_(bag_.Sorted()); }

 private:
  Finish finish_;
  ScoreBag bag_;
};

// The area under the curve of true over false positives, as the share of pairs in the right order
// (Hanley and McNeil, 1982). NaN if all rows are of one class.
double Auc(const std::vector<Ranked>& sorted) {
  double positives = 0, negatives = 0, pairs = 0;
  ForScores(sorted.begin(), sorted.end(), [&](double, double positive, double negative) {
    pairs += positive * (negatives + negative / 2);
    positives += positive;
    negatives += negative;
  });
  return pairs / (positives * negatives);
}

// The sum over falling thresholds of precision times the recall that each adds: average precision,
// without interpolation between points, which would be too high (Davis and Goadrich, 2006). 0 if
// there are rows but none is positive.
double AveragePrecision(const std::vector<Ranked>& sorted) {
  double found = 0, taken = 0, area = 0;
  ForScores(sorted.rbegin(), sorted.rend(), [&](double, double positive, double negative) {
    found += positive;
    taken += positive + negative;
    if (positive > 0) area += positive * (found / taken);
  });
  return found == 0 && taken > 0 ? 0 : area / found;
}

}  // namespace

std::unique_ptr<Metric> MakeAuc(TargetKind) { return std::make_unique<Ranking>(Auc); }
std::unique_ptr<Metric> MakePrAuc(TargetKind) {
  return std::make_unique<Ranking>(AveragePrecision);
}

}  // namespace protium
