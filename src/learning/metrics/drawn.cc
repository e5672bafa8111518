// SPDX-License-Identifier: Apache-2.0
#include "metrics/drawn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "metrics/decision.h"

namespace protium {
namespace {

constexpr size_t kMostPoints = 200;  // Per curve.
constexpr size_t kMostDots = 400;
constexpr size_t kBins = 30;  // For residuals.

// Returns every nth point and the last.
Json Thinned(const Json& points) {
  if (points.size() <= kMostPoints) return points;
  const size_t stride = (points.size() - 2) / (kMostPoints - 1) + 1;
  Json thinned = Json::array();
  for (size_t i = 0; i + 1 < points.size(); i += stride) thinned.push_back(points[i]);
  thinned.push_back(points.back());
  return thinned;
}

double Residual(const PairSample::Pair& pair) { return pair.label - pair.score; }

// The 1st and 99th percentiles of the residuals, by pair; a few outliers must not flatten all
// others.
std::pair<double, double> ResidualRange(const std::vector<PairSample::Pair>& pairs) {
  std::vector<double> residuals;
  for (const PairSample::Pair& pair : pairs) residuals.push_back(Residual(pair));
  std::sort(residuals.begin(), residuals.end());
  const size_t last = residuals.size() - 1;
  return {residuals[last / 100], residuals[last - last / 100]};
}

}  // namespace

Json DrawPairs(std::vector<PairSample::Pair> pairs) {
  if (pairs.empty()) return Json::object();
  const auto [low, high] = ResidualRange(pairs);
  std::vector<int64_t> counts(kBins);
  for (const PairSample::Pair& pair : pairs) {
    const double at = high > low ? (Residual(pair) - low) / (high - low) * double(kBins) : 0;
    counts[size_t(std::clamp(at, 0.0, double(kBins - 1)))] += pair.rows;
  }
  // Pairs are in the order of their hashes, so the first ones are a sample of the sample.
  Json dots = Json::array();
  for (size_t i = 0; i < std::min(pairs.size(), kMostDots); ++i) {
    dots.push_back({pairs[i].score, pairs[i].label});
  }
  return {{"predicted_actual", dots},
          {"residuals", {{"low", low}, {"high", high}, {"counts", counts}}}};
}

Json DrawCurves(const std::vector<Ranked>& sorted) {
  double positives = 0, negatives = 0;
  ForScores(sorted.begin(), sorted.end(), [&](double, double positive, double negative) {
    positives += positive;
    negatives += negative;
  });
  Json roc = Json::array(), precision_recall = Json::array();
  if (positives > 0 && negatives > 0) {
    double found = 0, wrong = 0;
    roc.push_back({0.0, 0.0});
    ForScores(sorted.rbegin(), sorted.rend(), [&](double, double positive, double negative) {
      found += positive;
      wrong += negative;
      roc.push_back({wrong / negatives, found / positives});
      precision_recall.push_back({found / positives, found / (found + wrong)});
    });
  }
  return {{"roc", Thinned(roc)}, {"precision_recall", Thinned(precision_recall)}};
}

Json DrawCalibration(const std::vector<Ranked>& sorted) {
  struct Bin {
    double probability = 0;
    double positive = 0;
    double weight = 0;
  };
  std::array<Bin, 10> bins;
  ForScores(sorted.begin(), sorted.end(), [&](double score, double positive, double negative) {
    const double probability = Sigmoid(score);
    Bin& bin = bins[std::min<size_t>(size_t(probability * 10), 9)];
    bin.probability += probability * (positive + negative);
    bin.positive += positive;
    bin.weight += positive + negative;
  });
  Json drawn = Json::array();
  for (const Bin& bin : bins) {
    if (bin.weight == 0) continue;
    drawn.push_back({bin.probability / bin.weight, bin.positive / bin.weight, bin.weight});
  }
  return drawn;
}

}  // namespace protium
