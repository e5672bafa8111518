// SPDX-License-Identifier: Apache-2.0
#include "tasks/rank_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "events/events.h"
#include "nets/id_rows.h"
#include "os/memfd.h"
#include "protium/events.h"
#include "train/start.h"

namespace protium {
namespace {

using Ids = std::vector<uint64_t>;

constexpr int64_t kMostSharedBytes = int64_t{1} << 40;

// Of ids in memory; each column's number of ids, ids and epochs unread, if there are any, follow.
struct IdsHead {
  int64_t columns = 0;
  int64_t unread = 0;  // Columns with such epochs: all or none.
  uint64_t seed = 0;
};

Result<std::vector<IdSet>> IdsHere(const ShardedRows& rows, size_t columns, bool all_here) {
  constexpr int64_t kBlockRows = 4096;
  std::vector<IdSet> found(columns);
  for (int32_t shard = 0; shard < rows.shards(); ++shard) {
    if (!(all_here ? rows.holds(shard) : rows.owns(shard))) continue;
    const auto scan = rows.Scan(shard, {0, rows.rows(shard)});
    while (true) {
      PT_LET(const auto bytes, scan->Next(kBlockRows));
      if (bytes.empty()) break;
      const PackedRows block(rows.schema(), bytes.data(),
                             int64_t(bytes.size()) / rows.schema().width());
      const FieldRows<int32_t> ids = block.ints(kIdsField);
      for (int64_t i = 0; i < block.size(); ++i) {
        for (size_t c = 0; c < columns; ++c) {
          PT_TRY(found[c].Add(IdRows::IdAt(ids, i, int64_t(c))));
        }
      }
    }
  }
  return found;
}

// Collective. Adds the ids of other ranks; all of them ascend.
Result<Ids> WithOthers(Ids mine, Communicator& communicator) {
  if (communicator.world() == 1) return mine;
  PT_LET(const std::vector<std::string> all,
         communicator.AllGather(
             {reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(uint64_t)}));
  Ids merged;
  for (const std::string& bytes : all) {
    Ids next(bytes.size() / sizeof(uint64_t)), both;
    std::memcpy(next.data(), bytes.data(), next.size() * sizeof(uint64_t));
    std::ranges::set_union(merged, next, std::back_inserter(both));
    merged = std::move(both);
  }
  return merged;
}

// The epochs that had gone by without an id at the end of the model's training.
int64_t UnreadAtEnd(const IdTables& model, size_t column, size_t at, int64_t epochs) {
  const int64_t then = model.unread.empty() ? 0 : model.unread[column][at];
  return then == 0 ? 0 : then - 1 + epochs;
}

struct Column {
  Ids ids;
  std::vector<int64_t> unread;
};

// Both sets of ids ascend.
Column MergeColumn(const IdSet& here, const IdTables& model, size_t column,
                   const StartOptions& from, StartedIds& counts) {
  const std::span<const uint64_t> mine = here.ids(), theirs = model.columns[column].ids();
  Column out;
  size_t m = 0, t = 0;
  while (m < mine.size() || t < theirs.size()) {
    const bool own = t == theirs.size() || (m < mine.size() && mine[m] <= theirs[t]);
    if (own) {
      const bool both = t < theirs.size() && mine[m] == theirs[t];
      (both ? counts.continued : counts.begun) += 1;
      t += both ? 1 : 0;
      out.ids.push_back(mine[m++]);
      out.unread.push_back(0);
      continue;
    }
    const int64_t unread = UnreadAtEnd(model, column, t, from.epochs);
    if (from.expire_epochs > 0 && unread >= from.expire_epochs) {
      ++counts.expired;
    } else {
      ++counts.kept;
      out.ids.push_back(theirs[t]);
      out.unread.push_back(unread + 1);
    }
    ++t;
  }
  return out;
}

// Collective. Returns the numbers of rank 0.
template <class Number>
Result<std::vector<Number>> FromRank0(std::span<const Number> mine, Communicator& communicator) {
  PT_LET(const std::vector<std::string> all,
         communicator.AllGather({reinterpret_cast<const char*>(mine.data()), mine.size_bytes()}));
  std::vector<Number> out(all[0].size() / sizeof(Number));
  if (!out.empty()) std::memcpy(out.data(), all[0].data(), out.size() * sizeof(Number));
  return out;
}

Result<std::shared_ptr<const IdTables>> ReadIds(const StartOptions& from, size_t columns) {
  PT_LET(const Safetensors file, ReadStart(from));
  return IdTables::Read(file, columns, from.model);
}

// Collective. Other hosts may not see the file.
Result<std::shared_ptr<const IdTables>> IdsOfModel(const StartOptions& from, size_t columns,
                                                   Communicator* communicator) {
  if (communicator == nullptr || communicator->world() == 1) return ReadIds(from, columns);
  std::shared_ptr<const IdTables> model = std::make_shared<IdTables>();
  if (communicator->rank() == 0) {
    PT_TRY(FailTogether(ReadIds(from, columns).Value(&model), *communicator));
  }
  std::vector<Ids> ids(columns);
  std::vector<std::vector<int64_t>> unread(columns);
  for (size_t c = 0; c < columns; ++c) {
    const bool here = c < model->columns.size(), counted = c < model->unread.size();
    PT_LET(ids[c],
           FromRank0(here ? model->columns[c].ids() : std::span<const uint64_t>(), *communicator));
    PT_LET(unread[c], FromRank0(counted ? std::span<const int64_t>(model->unread[c])
                                        : std::span<const int64_t>(),
                                *communicator));
    // A model whose rows no training went on with has none.
    if (unread[c].empty()) unread[c].resize(ids[c].size());
  }
  return IdTables::Make(ids, 0, std::move(unread));
}

std::string DescribeIds(const StartedIds& ids) {
  std::string text =
      fmt::format("ids: {} go on with the rows of the model, {} begin", ids.continued, ids.begun);
  if (ids.kept > 0) text += fmt::format(", {} of the model stay unread", ids.kept);
  if (ids.expired > 0) text += fmt::format(", {} have expired", ids.expired);
  return text;
}

}  // namespace

Result<StartedIds> WithStart(std::shared_ptr<const IdTables> ids, const StartOptions& from,
                             Communicator* communicator) {
  if (from.weights.empty() || !from.parameters.empty()) return StartedIds{.tables = std::move(ids)};
  PT_LET(const auto model, IdsOfModel(from, ids->columns.size(), communicator));
  StartedIds out;
  std::vector<Ids> columns;
  std::vector<std::vector<int64_t>> unread;
  for (size_t c = 0; c < ids->columns.size(); ++c) {
    Column merged = MergeColumn(ids->columns[c], *model, c, from, out);
    columns.push_back(std::move(merged.ids));
    unread.push_back(std::move(merged.unread));
  }
  PT_LET(out.tables, IdTables::Make(columns, ids->seed, std::move(unread)));
  return out;
}

Result<std::shared_ptr<const IdTables>> CollectIds(const ShardedRows& rows, uint64_t seed,
                                                   bool all_here, Communicator* communicator) {
  const RowField* const field = rows.schema().Find(kIdsField);
  if (field == nullptr) return nullptr;
  PT_LET(std::vector<IdSet> found, IdsHere(rows, field->columns.size(), all_here));
  std::vector<Ids> columns;
  for (IdSet& each : found) {
    Ids ids = each.Ascending();
    each = {};
    if (!all_here) {
      PT_LET(ids, WithOthers(std::move(ids), *communicator));
    }
    columns.push_back(std::move(ids));
  }
  return IdTables::Make(columns, seed);
}

Result<UniqueFd> ShareIds(const IdTables& ids) {
  IdsHead head{.columns = int64_t(ids.columns.size()),
               .unread = int64_t(ids.unread.size()),
               .seed = ids.seed};
  int64_t numbers = head.columns;
  for (const IdSet& each : ids.columns) numbers += each.count() * (head.unread > 0 ? 2 : 1);
  const int64_t bytes = int64_t(sizeof(head)) + numbers * int64_t(sizeof(int64_t));
  PT_LET(Memfd memory, Memfd::Make("protium-ids", bytes));
  PT_LET(const Mapping mapping, memory.Map());
  std::byte* to = mapping.data();
  const auto put = [&to](const void* from, size_t size) {
    if (size > 0) std::memcpy(to, from, size);
    to += size;
  };
  put(&head, sizeof(head));
  for (size_t c = 0; c < ids.columns.size(); ++c) {
    const int64_t count = ids.columns[c].count();
    put(&count, sizeof(count));
    put(ids.columns[c].ids().data(), ids.columns[c].ids().size_bytes());
    if (head.unread > 0) put(ids.unread[c].data(), ids.unread[c].size() * sizeof(int64_t));
  }
  return memory.Take();
}

Result<std::shared_ptr<const IdTables>> TakeIds(UniqueFd memory) {
  PT_LET(const Memfd ids, Memfd::Adopt(std::move(memory), kMostSharedBytes));
  PT_LET(const Mapping mapping, ids.Map());
  const std::byte* from = mapping.data();
  const auto take = [&from](void* to, size_t size) {
    if (size > 0) std::memcpy(to, from, size);
    from += size;
  };
  IdsHead head;
  take(&head, sizeof(head));
  std::vector<Ids> columns(static_cast<size_t>(head.columns));
  std::vector<std::vector<int64_t>> unread(static_cast<size_t>(head.unread));
  for (size_t c = 0; c < columns.size(); ++c) {
    int64_t count = 0;
    take(&count, sizeof(count));
    columns[c].resize(size_t(count));
    take(columns[c].data(), columns[c].size() * sizeof(uint64_t));
    if (unread.empty()) continue;
    unread[c].resize(size_t(count));
    take(unread[c].data(), unread[c].size() * sizeof(int64_t));
  }
  return IdTables::Make(columns, head.seed, std::move(unread));
}

Result<std::shared_ptr<const IdTables>> FindIds(const ShardedRows& rows, const TrainConfig& config,
                                                TaskContext& context, bool all_here,
                                                Communicator* communicator) {
  PT_LET(auto ids, CollectIds(rows, uint64_t(config.train.seed), all_here, communicator));
  PT_LET(const StartedIds started,
         WithStart(std::move(ids), config.train.from, all_here ? nullptr : communicator));
  const StartOptions& from = config.train.from;
  if (context.rank() == 0 && !from.weights.empty() && from.parameters.empty()) {
    context.Send(EventToJson(Note{DescribeIds(started)}));
  }
  return started.tables;
}

}  // namespace protium
