// SPDX-License-Identifier: Apache-2.0
// Where ranks are taken over, nobody may need a call that all ranks make to come to its tables:
// those that go on are in mid-training. So what a server has is shared together with packed rows,
// before the gang can lose anybody. The first server also shares the ids.
#include "tasks/serve_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "events/events.h"
#include "protium/events.h"
#include "rows/permutation.h"
#include "tasks/gang_rows.h"
#include "tasks/rank_ids.h"
#include "tasks/task_device.h"

namespace protium {
namespace {

// What the packed rows of all ranks leave of the memory for rows. Those on the disk are read
// through all of it.
int64_t MemoryLeft(const TrainConfig& config, const RankRows& rows) {
  if (config.memory_bytes == 0) return std::numeric_limits<int64_t>::max();
  if (rows.disk_bytes > 0) return 0;
  const auto bytes = [](const ShardedRows* of) {
    return of == nullptr ? 0 : of->total_rows() * of->schema().width();
  };
  const int64_t packed = bytes(rows.train.get()) + bytes(rows.held_out.get());
  return std::max<int64_t>(0, config.memory_bytes - packed);
}

ServedSpec SpecOf(const TaskRows& all, const TrainConfig& config, const NetInputs& inputs,
                  const RankRows& rows) {
  const auto make = [&all, &config, inputs](std::shared_ptr<const IdTables> ids) {
    NetInputs own = inputs;
    own.ids = std::move(ids);
    return BuildNetThere(all.nets, config.net.net, own);
  };
  return {.servers = config.servers,
          .all = inputs.ids,
          .make = make,
          .optimizer = config.train.optimizer,
          .batch_size = config.train.batch_size,
          .average = config.train.average,
          .memory_bytes = MemoryLeft(config, rows),
          .disk = ScratchFolder(config)};
}

// Rank 0 says where the rows are, unless it is memory.
void ReportPlace(const TrainConfig& config, const ServedTables& served, TaskContext& context) {
  if (served.disk().empty() || context.rank() > 0) return;
  context.Send(EventToJson(Note{fmt::format(
      "{} of rows of ids, with what the optimizer knows of them, do not fit "
      "engine.rows_memory ({}): {} keep{} them on the disk, in {}",
      BytesText(served.bytes()), BytesText(config.memory_bytes), Counted(config.servers, "server"),
      config.servers == 1 ? "s" : "", served.disk().string())}));
}

// Makes the rank the owner of its shards, which are the same in all generations.
void OwnShards(const TrainConfig& config, const Communicator& ranks, RankRows& rows) {
  const auto rank = size_t(ranks.rank());
  const auto first = ShardOwners(config.train.shards, ranks.world(), config.servers);
  rows.train->TakeOver({first[rank], first[rank + 1]});
}

Result<ServedTraining> BeginWithAll(const TaskRows& all, const TrainConfig& config,
                                    NetInputs inputs, TaskContext& context) {
  ServedTraining out{.membership = GangOfServers(config, context)};
  PT_LET(out.communicator, CommunicatorOf(context));
  Communicator& ranks = *out.communicator;
  PT_LET(out.rows, LoadRankRows(config, inputs, context, nullptr));
  context.SetPhase("collecting ids");
  PT_LET(inputs.ids, FindIds(*out.rows.train, config, context, false, &ranks));
  const ServedSpec spec = SpecOf(all, config, inputs, out.rows);
  if (out.membership == nullptr) {
    PT_LET(out.tables, ServedTables::Make(spec, *out.rows.train, ranks));
    return out;
  }
  PT_TRY(FailTogether(ServedTables::Begin(spec, *out.rows.train, ranks).Value(&out.tables), ranks));
  SharedPart part;
  PT_TRY(FailTogether(out.tables->Share().Value(&part), ranks));
  if (out.tables->own() == 0) {
    UniqueFd ids;
    PT_TRY(FailTogether(ShareIds(*inputs.ids).Value(&ids), ranks));
    part.memories.push_back(std::move(ids));
  }
  PT_LET(GangRows shared,
         ShareRankRows(std::move(out.rows), std::move(part), config, *out.membership));
  out.rows = std::move(shared.rows);
  OwnShards(config, ranks, out.rows);
  PT_TRY(out.tables->Open(std::move(shared.more), false));
  return out;
}

Result<ServedTraining> TakeRank(const TaskRows& all, const TrainConfig& config, NetInputs inputs,
                                TaskContext& context) {
  ServedTraining out{.membership = MembershipOf(context), .taken = true};
  PT_LET(GangRows shared, JoinRankRows(inputs.rows, config, *out.membership));
  out.rows = std::move(shared.rows);
  context.SetPhase("collecting ids");
  const size_t first = shared.more.size() - size_t(config.servers);
  PT_LET(inputs.ids, TakeIds(std::move(shared.more[first].memories.back())));
  context.SetPhase("waiting to take a rank");
  PT_LET(out.communicator, out.membership->Enter(Status::OK()));
  if (out.communicator == nullptr) return Status::Cancelled("no rank was left to be taken");
  context.SetPhase("taking a rank");
  OwnShards(config, *out.communicator, out.rows);
  const ServedSpec spec = SpecOf(all, config, inputs, out.rows);
  PT_LET(out.tables, ServedTables::Begin(spec, *out.rows.train, *out.communicator));
  PT_TRY(out.tables->Open(std::move(shared.more), true));
  return out;
}

}  // namespace

GangMembership* GangOfServers(const TrainConfig& config, TaskContext& context) {
  const bool goes_on = !config.train.asynchronous() && config.train.average == 0;
  return goes_on ? MembershipOf(context) : nullptr;
}

Result<ServedTraining> ServeTables(const TaskRows& all, const TrainConfig& config, NetInputs inputs,
                                   TaskContext& context) {
  GangMembership* const gang = GangOfServers(config, context);
  if (gang != nullptr && gang->newcomer()) return TakeRank(all, config, inputs, context);
  PT_LET(ServedTraining out, BeginWithAll(all, config, inputs, context));
  ReportPlace(config, *out.tables, context);
  return out;
}

}  // namespace protium
