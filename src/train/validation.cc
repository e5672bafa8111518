// SPDX-License-Identifier: Apache-2.0
#include "train/validation.h"

#include "column/metrics.h"
#include "train/feed.h"

namespace protium {

Validation::Validation(const ShardedRows& rows, Net& net, std::vector<std::string> metrics)
    : rows_(rows), metrics_(std::move(metrics)), predictor_(net, ShapeOf(rows.layout())) {}

Result<Json> Validation::Measure(Communicator& communicator) {
  PT_LET(MetricState mine, MetricState::Make(metrics_));
  const RowLayout& layout = rows_.layout();
  for (int32_t shard = 0; shard < rows_.shards(); ++shard) {
    if (!rows_.owns(shard)) continue;
    const RowBlock block{reinterpret_cast<const float*>(rows_.shard(shard).data()),
                         rows_.rows(shard), ShapeOf(layout)};
    outputs_.resize(size_t(block.rows));
    PT_TRY(predictor_.Predict(block, outputs_));
    for (int64_t i = 0; i < block.rows; ++i) {
      mine.Add(block.label(i) * layout.label_deviation + layout.label_mean,
               outputs_[size_t(i)] * layout.label_deviation + layout.label_mean, block.weight(i));
    }
  }
  PT_LET(const auto states, communicator.AllGather(Dump(mine.ToJson())));
  PT_LET(MetricState all, MetricState::Make(metrics_));
  for (const std::string& text : states) {
    PT_LET(const Json state, ParseJson(text));
    PT_TRY(all.Merge(state));
  }
  return all.Values();
}

}  // namespace protium
