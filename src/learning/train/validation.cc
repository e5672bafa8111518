// SPDX-License-Identifier: Apache-2.0
#include "train/validation.h"

#include <utility>

#include "metrics/fit_decision.h"

namespace protium {
namespace {

// A multiple of the heights that predictions are padded to (ComputeDevice::predict_rows()), so that
// only a shard's last block is padded.
constexpr int64_t kBlockRows = 16384;

// Collective. Merges the states of all ranks, in their order and including the own one, into `all`,
// which has seen no rows: every rank does exactly the same.
template <class State>
Status MergeRanks(State own, Communicator& communicator, State& all) {
  if (communicator.world() == 1) {
    all = std::move(own);
    return Status::OK();
  }
  PT_LET(const auto states, communicator.AllGather(Dump(own.ToJson())));
  for (const std::string& text : states) {
    PT_LET(const Json state, ParseJson(text));
    PT_TRY(all.Merge(state));
  }
  return Status::OK();
}

}  // namespace

Validation::Validation(const ShardedRows& rows, PredictRows predict, const Target& target,
                       std::vector<std::string> metrics, std::vector<MetricSpec> own)
    : rows_(rows),
      predict_(std::move(predict)),
      target_(target),
      metrics_(std::move(metrics)),
      own_(std::move(own)) {}

Status Validation::ForBatch(const PackedRows& rows, const EachRow& each) {
  const auto outputs = size_t(target_.outputs());
  outputs_.resize(size_t(rows.size()) * outputs);
  PT_TRY(predict_(rows, outputs_));
  std::vector<double> labels(size_t(target_.label_count())), scores(outputs);
  const FieldRows<float> weights = rows.floats(kWeightField);
  const FieldRows<int32_t> groups = rows.ints(kGroupField);
  std::vector<SeasonScale> scales = Target::SeasonsIn(rows.schema());
  for (int64_t i = 0; i < rows.size(); ++i) {
    target_.Labels(rows, i, labels);
    target_.Scores(outputs_.data() + size_t(i) * outputs, scores);
    Target::Scales(rows, i, scales);
    each(target_.Judge(labels, scores, *weights.at(i), GroupAt(groups, i), scales));
  }
  return Status::OK();
}

Status Validation::ForOwnRows(const EachRow& each) {
  for (int32_t shard = 0; shard < rows_.shards(); ++shard) {
    if (!rows_.owns(shard)) continue;
    const auto scan = rows_.Scan(shard);
    while (true) {
      PT_LET(const auto rows, scan->Next(kBlockRows));
      if (rows.empty()) break;
      const int64_t count = int64_t(rows.size()) / rows_.schema().width();
      PT_TRY(ForBatch({rows_.schema(), rows.data(), count}, each));
    }
  }
  return Status::OK();
}

Result<Json> Validation::Measure(Communicator& communicator, Diagnostics* diagnostics) {
  PT_LET(MetricState mine, MetricState::Make(metrics_, target_.kind, own_));
  Diagnostics drawn(target_.kind);
  PT_TRY(ForOwnRows([&](const Judged& row) {
    mine.Add(row);
    if (diagnostics != nullptr) drawn.Add(row);
  }));
  PT_LET(MetricState all, MetricState::Make(metrics_, target_.kind, own_));
  PT_TRY(MergeRanks(std::move(mine), communicator, all));
  if (diagnostics != nullptr) PT_TRY(MergeRanks(std::move(drawn), communicator, *diagnostics));
  return all.Values();
}

Result<Json> Validation::MeasureThese(std::span<const std::span<const std::byte>> parts,
                                      const std::string& metric, Communicator& communicator) {
  PT_LET(MetricState mine, MetricState::Make({metric}, target_.kind, own_));
  for (const std::span<const std::byte> part : parts) {
    const int64_t count = int64_t(part.size()) / rows_.schema().width();
    PT_TRY(
        ForBatch({rows_.schema(), part.data(), count}, [&](const Judged& row) { mine.Add(row); }));
  }
  PT_LET(MetricState all, MetricState::Make({metric}, target_.kind, own_));
  PT_TRY(MergeRanks(std::move(mine), communicator, all));
  return all.Values();
}

Status Validation::FitTemperature(Communicator& communicator) {
  TemperatureFit fit;
  for (int round = 0; round < TemperatureFit::kRounds; ++round) {
    TemperatureFit mine = fit;
    PT_TRY(ForOwnRows([&](const Judged& row) { mine.Add(row, target_.kind); }));
    PT_TRY(MergeRanks(std::move(mine), communicator, fit));
    fit.Narrow();
  }
  target_.decision.temperature = fit.temperature();
  return Status::OK();
}

// For two classes.
Result<std::vector<Ranked>> Validation::RankScores(Communicator& communicator) {
  ScoreBag mine, all;
  PT_TRY(ForOwnRows(
      [&](const Judged& row) { mine.Add(row.scores[0], row.labels[0] > 0.5, row.weight); }));
  PT_TRY(MergeRanks(std::move(mine), communicator, all));
  return all.Sorted();
}

Result<Decision> Validation::FitDecision(const DecisionSpec& spec, Communicator& communicator) {
  if (spec.calibration == Calibration::kTemperature) {
    PT_TRY(FitTemperature(communicator));
  } else if (spec.calibration == Calibration::kIsotonic) {
    PT_LET(const std::vector<Ranked> scores, RankScores(communicator));
    FitIsotonic(scores, target_.decision);
  }
  if (!spec.threshold_by.empty()) {
    PT_LET(const std::vector<Ranked> scores, RankScores(communicator));
    target_.decision.cut = ChooseCut(scores, spec.threshold_by);
  }
  return target_.decision;
}

}  // namespace protium
