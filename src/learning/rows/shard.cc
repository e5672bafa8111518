// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/digest.h"
#include "base/fault.h"
#include "rows/cuts.h"
#include "rows/exchange.h"
#include "rows/packer.h"

// From a rank's packed rows to the shards that it owns. In order, all of it collective: ranks
// compare layouts and what they had to refuse, each sorts its rows, the cuts are found, rows are
// sent to their owners, identities are exchanged. A rank that fails by itself aborts the
// communicator, so that the others stop waiting at once.

namespace protium {
namespace {

Status CheckOwners(const std::vector<int32_t>& first, int32_t world) {
  if (first.size() == size_t(world) + 1 && first.front() == 0 && first.back() >= 1 &&
      std::is_sorted(first.begin(), first.end())) {
    return Status::OK();
  }
  std::string text;
  for (const int32_t each : first) text += " " + std::to_string(each);
  return Fail({.exit = Exit::kBug,
               .what = fmt::format("shards cannot be divided as{} in a world of {}", text, world)});
}

// A hash of what ranks must have in common: the layout of rows and the owners of shards.
std::string LayoutText(const RowSchema& schema, const std::vector<int32_t>& first) {
  return Sha256Hex(Dump(Json{{"rows", schema.ToJson()}, {"first", first}}));
}

// Collective: every rank fails alike if any could not pack its rows, or has another layout.
Status AgreeOnRows(const RowPacker& packer, const std::vector<int32_t>& first,
                   Communicator& communicator) {
  const Json own{{"layout", LayoutText(packer.schema(), first)},
                 {"refused", RefusedToJson(packer.refused())}};
  PT_LET(const auto all, communicator.AllGather(Dump(own)));
  std::vector<Refused> refused;
  for (size_t r = 0; r < all.size(); ++r) {
    PT_LET(const Json json, ParseJson(all[r]));
    if (json.value("layout", "") != LayoutText(packer.schema(), first)) {
      return Fail({.exit = Exit::kBug,
                   .what = fmt::format("ranks {} and {} lay out rows or shards in different ways",
                                       communicator.rank(), r)});
    }
    PT_LET(Refused one, RefusedFromJson(json.value("refused", Json())));
    refused.push_back(std::move(one));
  }
  return MergeRefused(refused).ToStatus();
}

// Where each shard ends among all rows, if one rank has them all.
std::vector<int64_t> ShardEnds(int64_t rows, int32_t shards) {
  std::vector<int64_t> ends;
  for (int32_t s = 1; s <= shards; ++s) ends.push_back(ShardBegin(rows, shards, s));
  return ends;
}

Result<std::vector<ShardIdentity>> ShareIdentities(const std::vector<ShardIdentity>& own,
                                                   const std::vector<int32_t>& first,
                                                   Communicator& communicator) {
  const std::string_view text(reinterpret_cast<const char*>(own.data()),
                              own.size() * sizeof(ShardIdentity));
  PT_LET(const auto all, communicator.AllGather(text));
  std::vector<ShardIdentity> identities(size_t(first.back()));
  for (size_t r = 0; r < all.size(); ++r) {
    const size_t shards = size_t(first[r + 1] - first[r]);
    if (all[r].size() != shards * sizeof(ShardIdentity)) {
      return Fail(
          {.exit = Exit::kBug, .what = fmt::format("rank {} has other shards than it owns", r)});
    }
    if (shards > 0) std::memcpy(&identities[size_t(first[r])], all[r].data(), all[r].size());
  }
  return identities;
}

// Collective. Returns the number of pieces in which a shard is sent to its owner: one if the rows
// of all ranks fit their memory; else so many that the rows of a piece, even if one rank had packed
// all of them, take a quarter of its budget.
Result<int64_t> AgreeOnPieces(const RowStore& store, const RowRoom& room,
                              const std::vector<int32_t>& first, Communicator& communicator) {
  // Cuts are found by sums of 256 counts each, so their number is limited.
  constexpr int64_t kMostCuts = 4096;
  std::array<int64_t, 1> rows{store.rows()};
  PT_TRY(communicator.AllReduce(AsBuffer(std::span<int64_t>(rows)), Op::kSum));
  const int64_t bytes = rows[0] * store.width(), budget = room.memory->bytes();
  // Servers own no shards.
  int64_t owners = 0, wanted = 1;
  for (size_t r = 1; r < first.size(); ++r) owners += first[r] > first[r - 1] ? 1 : 0;
  if (!room.disk.empty() && bytes / owners > budget) {
    wanted = std::min(bytes / std::max<int64_t>(budget / 4, 1) + 1, kMostCuts / first.back());
  }
  std::array<int64_t, 1> pieces{std::max<int64_t>(wanted, 1)};
  PT_TRY(communicator.AllReduce(AsBuffer(std::span<int64_t>(pieces)), Op::kMax));
  return pieces[0];
}

// Collective. Cuts the sorted rows of all ranks and sends them to their owners.
Result<OwnedShards> BringToOwners(std::unique_ptr<RowStore> sorted, const RowRoom& room,
                                  const std::vector<int32_t>& first, Communicator& communicator) {
  PT_LET(const int64_t pieces, AgreeOnPieces(*sorted, room, first, communicator));
  PT_LET(const Cuts cuts, FindCuts(*sorted, int32_t(first.back() * pieces), communicator));
  return ExchangeRows(std::move(sorted), cuts, {.first = first, .pieces = pieces, .room = room},
                      communicator);
}

Result<std::unique_ptr<ShardedRows>> Shard(RowPacker& mine, const std::vector<int32_t>& first,
                                           Communicator& communicator) {
  PT_TRY(CheckOwners(first, communicator.world()));
  PT_TRY(AgreeOnRows(mine, first, communicator));
  OwnedShards own{.store = mine.TakeStore()};
  // Without other ranks the rows of a shard are adjacent after sorting.
  const bool alone = communicator.world() == 1;
  const int32_t shards = first.back();
  PT_LET(own.identities,
         // A gang of one gets its identities from sorting; otherwise the merge computes them.
         own.store->Sort(alone ? ShardEnds(own.store->rows(), shards) : std::vector<int64_t>()));
  if (!alone) {
    PT_LET(own, BringToOwners(std::move(own.store), mine.room(), first, communicator));
  }
  PT_LET(auto identity, ShareIdentities(own.identities, first, communicator));
  const auto rank = size_t(communicator.rank());
  return std::make_unique<ShardedRows>(mine.schema(),
                                       ShardedRows::Owned{first[rank], first[rank + 1]},
                                       std::move(own.store), std::move(identity));
}

}  // namespace

ShardedRows::ShardedRows(RowSchema schema, Owned own, std::unique_ptr<RowStore> store,
                         std::vector<ShardIdentity> identity)
    : schema_(std::move(schema)),
      held_(own),
      own_(own),
      store_(std::move(store)),
      identity_(std::move(identity)) {
  for (const ShardIdentity& each : identity_) total_rows_ += each.rows;
  for (int32_t s = held_.begin; s < held_.end; ++s) ends_.push_back(ends_.back() + rows(s));
}

void ShardedRows::TakeOver(Owned own) {
  PT_CHECK(held_.begin <= own.begin && own.begin <= own.end && own.end <= held_.end);
  own_ = own;
}

RowSpan ShardedRows::ShardRange(int32_t shard) const {
  PT_CHECK(holds(shard));
  const auto i = size_t(shard - held_.begin);
  return {ends_[i], ends_[i + 1]};
}

std::unique_ptr<RowScan> ShardedRows::Scan(int32_t shard, RowSpan rows) const {
  PT_CHECK(holds(shard) && 0 <= rows.begin && rows.end <= this->rows(shard));
  const int64_t first = ends_[size_t(shard - held_.begin)];
  return store_->Scan({first + rows.begin, first + rows.end});
}

Result<std::unique_ptr<ShardedRows>> ShardRows(std::unique_ptr<Packer> mine,
                                               const std::vector<int32_t>& first,
                                               Communicator& communicator) {
  auto* packer = dynamic_cast<RowPacker*>(mine.get());
  PT_CHECK(packer != nullptr);
  auto sharded = Shard(*packer, first, communicator);
  // Others may be waiting for this rank.
  PT_TRY(FailTogether(sharded.status(), communicator));
  return sharded;
}

}  // namespace protium
