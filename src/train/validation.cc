// SPDX-License-Identifier: Apache-2.0
#include "train/validation.h"

#include <utility>

namespace protium {
namespace {

// A multiple of the heights that predictions are padded to (ComputeDevice::predict_rows()), so that
// only a shard's last block is padded.
constexpr int64_t kBlockRows = 16384;

}  // namespace

Validation::Validation(const ShardedRows& rows, Net& net, const ComputeDevice& device,
                       const Target& target, std::vector<std::string> metrics,
                       std::vector<MetricSpec> own)
    : rows_(rows),
      target_(target),
      metrics_(std::move(metrics)),
      own_(std::move(own)),
      predictor_(net, target.outputs(), device) {}

Status Validation::Add(const Batch& rows, MetricState& state) {
  const auto outputs = size_t(target_.outputs());
  outputs_.resize(size_t(rows.size()) * outputs);
  PT_TRY(predictor_.Predict(rows, outputs_));
  std::vector<double> labels(size_t(target_.label_count())), scores(outputs);
  const FieldRows<float> weights = rows.floats(kWeightField);
  for (int64_t i = 0; i < rows.size(); ++i) {
    target_.Labels(rows, i, labels);
    target_.Scores(outputs_.data() + size_t(i) * outputs, scores);
    state.Add({labels, scores, *weights.at(i)});
  }
  return Status::OK();
}

Status Validation::AddShard(int32_t shard, MetricState& state) {
  const auto scan = rows_.Scan(shard);
  while (true) {
    PT_LET(const auto rows, scan->Next(kBlockRows));
    if (rows.empty()) return Status::OK();
    const int64_t count = int64_t(rows.size()) / rows_.schema().width();
    PT_TRY(Add({rows_.schema(), rows.data(), count}, state));
  }
}

Result<Json> Validation::Measure(Communicator& communicator) {
  PT_LET(MetricState mine, MetricState::Make(metrics_, target_.kind, own_));
  for (int32_t shard = 0; shard < rows_.shards(); ++shard) {
    if (!rows_.owns(shard)) continue;
    PT_TRY(AddShard(shard, mine));
  }
  PT_LET(const auto states, communicator.AllGather(Dump(mine.ToJson())));
  // All states are merged in the order of ranks into a fresh one, the own one included: every rank
  // does exactly the same.
  PT_LET(MetricState all, MetricState::Make(metrics_, target_.kind, own_));
  for (const std::string& text : states) {
    PT_LET(const Json state, ParseJson(text));
    PT_TRY(all.Merge(state));
  }
  return all.Values();
}

}  // namespace protium
