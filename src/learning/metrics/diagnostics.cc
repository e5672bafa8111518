// SPDX-License-Identifier: Apache-2.0
#include "metrics/diagnostics.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/fault.h"
#include "base/splitmix.h"
#include "metrics/drawn.h"
#include "metrics/kinds.h"
#include "protium/fields.h"

namespace protium {
namespace {

// The 16 high bits of a float32: three digits, and at most a few thousand distinct scores.
double Coarse(double score) {
  return double(std::bit_cast<float>(std::bit_cast<uint32_t>(float(score)) & 0xffff0000u));
}

// The JSON of a state: DiagnosticsState, whose "labels" are LabelStates.
struct PairsJson {
  std::vector<double> labels;
  std::vector<double> scores;
  std::vector<int64_t> rows;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("labels", labels);
    visit("scores", scores);
    visit("rows", rows);
  }
};

struct ConfusionJson {
  int64_t label = 0;
  int64_t predicted = 0;
  int64_t rows = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("label", label);
    visit("predicted", predicted);
    visit("rows", rows);
  }
};

struct LabelState {
  Json pairs = Json::object();
  Json scores = Json::object();
  std::vector<Json> below;
  Json weight = Json::object();
  std::vector<ConfusionJson> confusion;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("pairs", pairs);
    visit("scores", scores);
    visit("below", below);
    visit("weight", weight);
    visit("confusion", confusion);
  }
};

struct DiagnosticsState {
  TargetKind kind = TargetKind::kValues;
  std::vector<double> levels;
  int64_t classes = 0;
  std::vector<Json> labels;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("kind", kind);
    visit("levels", levels);
    visit("classes", classes);
    visit("labels", labels);
  }
};

Status DamagedState() { return Fail({.what = "a state of diagnostics is damaged"}); }

}  // namespace

void PairSample::Add(double label, double score, int64_t rows) {
  if (!std::isfinite(label) || !std::isfinite(score)) return;
  // Here and below, + 0.0 turns -0.0 into 0.0.
  const uint64_t hash = SplitMix(SplitMix(std::bit_cast<uint64_t>(label + 0.0)) +
                                 std::bit_cast<uint64_t>(score + 0.0));
  // The greatest retained hash only falls, so a dropped pair never returns, and the `rows` of
  // retained pairs are complete.
  if (pairs_.size() >= kMostPairs && hash > pairs_.rbegin()->first) return;
  Pair& pair = pairs_[hash];
  pair = {label + 0.0, score + 0.0, pair.rows + rows};
  if (pairs_.size() > kMostPairs) pairs_.erase(std::prev(pairs_.end()));
}

Json PairSample::ToJson() const {
  PairsJson out;
  for (const auto& [hash, pair] : pairs_) {
    out.labels.push_back(pair.label);
    out.scores.push_back(pair.score);
    out.rows.push_back(pair.rows);
  }
  return FieldsToJson(out);
}

Status PairSample::Merge(const Json& json) {
  PairsJson in;
  PT_TRY(FieldsFromJson(json, "state", in));
  if (in.scores.size() != in.labels.size() || in.rows.size() != in.labels.size())
    return DamagedState();
  for (size_t i = 0; i < in.labels.size(); ++i) Add(in.labels[i], in.scores[i], in.rows[i]);
  return Status::OK();
}

Result<Diagnostics> Diagnostics::FromJson(const Json& json) {
  DiagnosticsState state;
  PT_TRY(FieldsFromJson(json, "diagnostics", state));
  Diagnostics out(state.kind);
  // Merge() reads the JSON again and checks its contents.
  PT_TRY(out.Merge(json));
  return out;
}

Diagnostics::Label& Diagnostics::At(size_t label) {
  if (labels_.size() <= label) labels_.resize(label + 1);
  return labels_[label];
}

void Diagnostics::Add(const Judged& row) {
  if (OfClasses(kind_)) return AddClass(row);
  for (size_t i = 0; i < std::min(row.labels.size(), kMostLabels); ++i) {
    if (kind_ == TargetKind::kFlags) {
      AddAnswer(row.labels[i], row.scores[i], row, At(i));
    } else {
      AddNumber(row, i);
    }
  }
}

void Diagnostics::AddNumber(const Judged& row, size_t label) {
  Label& out = At(label);
  const size_t levels = row.levels.size();
  if (levels == 0) return out.pairs.Add(row.labels[label], row.scores[label]);
  // All rows of an estimator have the same levels.
  if (levels_.empty()) levels_.assign(row.levels.begin(), row.levels.end());
  const auto scores = row.scores.subspan(label * levels, levels);
  out.pairs.Add(row.labels[label], scores[levels / 2]);
  out.below.resize(levels);
  out.weight.Add(row.weight);
  for (size_t q = 0; q < levels; ++q) {
    if (row.labels[label] <= scores[q]) out.below[q].Add(row.weight);
  }
}

void Diagnostics::AddAnswer(double label, double score, const Judged& row, Label& out) {
  if (std::isnan(score)) return;
  out.scores.Add(Coarse(score), label > 0.5, row.weight);
  ++out.confusion[{label > 0.5, score > row.cut}];
}

// For many classes the score is the logit of the predicted class, and the label whether that class
// is correct.
void Diagnostics::AddClass(const Judged& row) {
  Label& out = At(0);
  if (kind_ == TargetKind::kTwoClasses) {
    return AddAnswer(row.labels[0], row.scores[0], row, out);
  }
  classes_ = int64_t(row.scores.size());
  // With p the probability of `best`, ln(p / (1 - p)) is minus the logarithm of the sum of
  // exp(other - best), which does not overflow.
  const auto best = std::max_element(row.scores.begin(), row.scores.end());
  double others = 0;
  for (auto each = row.scores.begin(); each != row.scores.end(); ++each) {
    if (each != best) others += std::exp(*each - *best);
  }
  const auto predicted = int64_t(best - row.scores.begin()), label = int64_t(row.labels[0]);
  if (std::isnan(others)) return;
  out.scores.Add(Coarse(-std::log(others)), predicted == label, row.weight);
  if (row.scores.size() <= kMostClasses) ++out.confusion[{label, predicted}];
}

Json Diagnostics::LabelToJson(const Label& label) {
  LabelState out{.pairs = label.pairs.ToJson(),
                 .scores = label.scores.ToJson(),
                 .weight = label.weight.ToJson()};
  for (const ExactSum& each : label.below) out.below.push_back(each.ToJson());
  for (const auto& [at, rows] : label.confusion) {
    out.confusion.push_back({at.first, at.second, rows});
  }
  return FieldsToJson(out);
}

Status Diagnostics::MergeLabel(const Json& json, int64_t classes, Label& label) {
  LabelState in;
  PT_TRY(FieldsFromJson(json, "label", in));
  PT_TRY(label.pairs.Merge(in.pairs));
  PT_TRY(label.scores.Merge(in.scores));
  PT_TRY(MergeSum(in.weight, label.weight));
  label.below.resize(std::max(label.below.size(), in.below.size()));
  for (size_t q = 0; q < in.below.size(); ++q) PT_TRY(MergeSum(in.below[q], label.below[q]));
  for (const ConfusionJson& each : in.confusion) {
    // Drawn() uses these as indices into a matrix of this many classes.
    const bool inside = classes <= int64_t(kMostClasses) && each.label >= 0 &&
                        each.predicted >= 0 && each.label < classes && each.predicted < classes;
    if (!inside) return DamagedState();
    label.confusion[{each.label, each.predicted}] += each.rows;
  }
  return Status::OK();
}

Json Diagnostics::ToJson() const {
  DiagnosticsState out{.kind = kind_, .levels = levels_, .classes = classes_};
  for (const Label& label : labels_) out.labels.push_back(LabelToJson(label));
  return FieldsToJson(out);
}

Status Diagnostics::Merge(const Json& json) {
  DiagnosticsState in;
  PT_TRY(FieldsFromJson(json, "diagnostics", in));
  if (in.kind != kind_ || in.labels.size() > kMostLabels) return DamagedState();
  if (levels_.empty()) levels_ = in.levels;
  classes_ = std::max(classes_, in.classes);
  const int64_t classes = kind_ == TargetKind::kClasses ? in.classes : 2;
  for (size_t i = 0; i < in.labels.size(); ++i) PT_TRY(MergeLabel(in.labels[i], classes, At(i)));
  return Status::OK();
}

Json Diagnostics::DrawLabel(const Label& label) const {
  if (OfNumbers(kind_)) {
    std::vector<PairSample::Pair> pairs;
    for (const auto& [hash, pair] : label.pairs.pairs()) pairs.push_back(pair);
    Json drawn = DrawPairs(std::move(pairs));
    // A score only orders rows: it is not meant to be near the label.
    if (kind_ == TargetKind::kRelevance) drawn.erase("residuals");
    for (size_t q = 0; q < std::min(levels_.size(), label.below.size()); ++q) {
      drawn["below"].push_back({levels_[q], label.below[q].Rounded() / label.weight.Rounded()});
    }
    return drawn;
  }
  const bool many = kind_ == TargetKind::kClasses;
  const std::vector<Ranked> sorted = label.scores.Sorted();
  Json drawn = {{"calibration", DrawCalibration(sorted)}};
  if (!many) drawn.update(DrawCurves(sorted));
  if (label.confusion.empty()) return drawn;
  const auto classes = size_t(many ? classes_ : 2);
  drawn["confusion"] = std::vector(classes, std::vector<int64_t>(classes));
  for (const auto& [at, rows] : label.confusion) drawn["confusion"][at.first][at.second] = rows;
  return drawn;
}

Json Diagnostics::Drawn() const {
  if (labels_.empty()) return Json::object();
  Json drawn = {{"kind", fields::Write(kind_)}, {"labels", Json::array()}};
  for (const Label& label : labels_) drawn["labels"].push_back(DrawLabel(label));
  return drawn;
}

}  // namespace protium
