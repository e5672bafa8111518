// SPDX-License-Identifier: Apache-2.0
#include "train/served_layout.h"

#include <algorithm>
#include <memory>

#include "tensor/weights.h"
#include "train/optimizer.h"
#include "train/row_journal.h"
#include "train/update_rule.h"

namespace protium {
namespace {

// The most rows of a step in a shard.
int64_t MostRowsOf(const ShardedRows& rows, int32_t shard, int64_t batch_size) {
  const __int128 share = __int128(rows.rows(shard)) * batch_size;
  const auto step = int64_t((share + rows.total_rows() - 1) / rows.total_rows());
  return std::min(rows.rows(shard), step);
}

// Each row of a step has one id of a column.
int64_t MostIds(const ShardedRows& rows, int64_t batch_size) {
  int64_t most = 0;
  for (int32_t s = 0; s < rows.shards(); ++s) most += MostRowsOf(rows, s, batch_size);
  return most;
}

}  // namespace

int64_t MostStepRows(const ShardedRows& rows, int64_t batch_size) {
  int64_t own = 0, any = 0;
  for (int32_t s = 0; s < rows.shards(); ++s) {
    const int64_t most = MostRowsOf(rows, s, batch_size);
    if (rows.owns(s)) own += most;
    any = std::max(any, most);
  }
  return std::max(own, any);
}

Result<ServedLayout> ServedLayout::Of(const Net& net, const Choice& optimizer,
                                      const ShardedRows& rows, int64_t batch_size) {
  PT_LET(const std::unique_ptr<UpdateRule> rule, MakeUpdateRule(optimizer));
  ServedLayout layout{.weights = Weights::SizeOf(net),
                      .state = Optimizer::StateSize(*rule, net),
                      .states = int64_t(rule->state().size())};
  std::vector<RowJournal::Room> room;
  for (const Variable& each : net.parameters()) {
    if (each.ids < 0) continue;
    const int64_t width = each.shape[1];
    const int64_t floats = width + layout.states * (rule->state_by_row() ? 1 : width);
    room.push_back({.rows = std::min(each.shape[0], MostIds(rows, batch_size)),
                    .row_bytes = floats * int64_t(sizeof(float))});
  }
  layout.journal = RowJournal::BytesFor(room);
  return layout;
}

std::vector<int64_t> TableOffsets(const Net& net) {
  constexpr int64_t kAligned = 16;  // Floats: tensor/weights.h.
  std::vector<int64_t> offsets;
  int64_t at = 0;
  for (const Variable& each : net.parameters()) {
    if (each.table) offsets.push_back(at);
    at += (each.count() + kAligned - 1) / kAligned * kAligned;
  }
  PT_CHECK(at == Weights::SizeOf(net));
  return offsets;
}

}  // namespace protium
