// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "base/digest.h"
#include "base/fault.h"
#include "rows/cuts.h"
#include "rows/exchange.h"
#include "rows/key.h"
#include "rows/packer.h"
#include "rows/sort.h"

namespace protium {
namespace {

class OwnRows final : public ShardedRows {
 public:
  OwnRows(RowSchema schema, const Cuts& cuts, int32_t begin, OwnedShards own,
          std::vector<ShardIdentity> identity)
      : schema_(std::move(schema)),
        begin_(begin),
        memory_(std::move(own.memory)),
        identity_(std::move(identity)) {
    int64_t at = 0;
    offsets_.push_back(0);
    for (const ShardIdentity& each : own.identities) {
      offsets_.push_back(at += each.rows * schema_.width());
    }
    for (const auto& of_rank : cuts) total_rows_ += of_rank.back();
  }

  const RowSchema& schema() const override { return schema_; }
  int32_t shards() const override { return int32_t(identity_.size()); }
  int64_t total_rows() const override { return total_rows_; }
  int64_t rows(int32_t shard) const override { return identity_.at(size_t(shard)).rows; }
  bool owns(int32_t shard) const override {
    return shard >= begin_ && shard < begin_ + int32_t(offsets_.size()) - 1;
  }
  std::span<const std::byte> shard(int32_t shard) const override {
    PT_CHECK(owns(shard));
    const auto i = size_t(shard - begin_);
    return {memory_.data() + offsets_[i], size_t(offsets_[i + 1] - offsets_[i])};
  }
  const std::vector<ShardIdentity>& identity() const override { return identity_; }

 private:
  RowSchema schema_;
  int32_t begin_;
  RowMemory memory_;
  std::vector<int64_t> offsets_;
  std::vector<ShardIdentity> identity_;
  int64_t total_rows_ = 0;
};

Status CheckOwners(const std::vector<int32_t>& first, int32_t world) {
  if (first.size() == size_t(world) + 1 && first.front() == 0 && first.back() >= 1 &&
      std::is_sorted(first.begin(), first.end())) {
    return Status::OK();
  }
  std::string text;
  for (const int32_t each : first) text += " " + std::to_string(each);
  return Status::Invalid("shards cannot be owned as", text, " in a world of ", world);
}

// What ranks must have in common, as text.
std::string LayoutText(const RowSchema& schema, const std::vector<int32_t>& first) {
  return Sha256Hex(Dump(Json{{"rows", schema.ToJson()}, {"first", first}}));
}

// Collective: every rank fails alike when any could not pack its rows, or packs them otherwise.
Status AgreeOnRows(const RowPacker& packer, const std::vector<int32_t>& first,
                   Communicator& communicator) {
  const Json own{{"layout", LayoutText(packer.schema(), first)},
                 {"refused", RefusedToJson(packer.refused())}};
  PT_LET(const auto all, communicator.AllGather(Dump(own)));
  std::vector<Refused> refused;
  for (size_t r = 0; r < all.size(); ++r) {
    PT_LET(const Json json, ParseJson(all[r]));
    if (json.value("layout", "") != LayoutText(packer.schema(), first)) {
      return Status::Invalid("ranks ", communicator.rank(), " and ", r,
                             " lay out rows or shards in different ways");
    }
    PT_LET(Refused one, RefusedFromJson(json.value("refused", Json())));
    refused.push_back(std::move(one));
  }
  return MergeRefused(refused).ToStatus();
}

// Without other ranks the rows of a shard lie side by side once they are sorted.
std::vector<ShardIdentity> IdentitiesOf(std::span<const RowKey> keys, const RowOrder& order,
                                        int32_t shards) {
  constexpr size_t kAhead = 32;  // Keys are asked for this early, as they lie anywhere.
  std::vector<ShardIdentity> identities(static_cast<size_t>(shards));
  const auto rows = int64_t(order.size());
  for (int32_t s = 0; s < shards; ++s) {
    const auto end = size_t(ShardBegin(rows, shards, s + 1));
    for (auto i = size_t(ShardBegin(rows, shards, s)); i < end; ++i) {
      if (i + kAhead < order.size()) __builtin_prefetch(&keys[order[i + kAhead]]);
      AddKey(keys[order[i]], identities[size_t(s)]);
    }
  }
  return identities;
}

// A rank's own rows, sorted.
struct SortedRows {
  RowMemory memory;
  size_t bytes = 0;
  std::vector<ShardIdentity> identities;  // In a world of one.
};

Result<SortedRows> Sort(RowPacker& mine, int32_t shards, int32_t world) {
  const int64_t width = mine.schema().width();
  PT_LET(const RowOrder order, RowOrder::Find(mine.bytes(), width, mine.keys()));
  SortedRows sorted{.bytes = mine.bytes().size()};
  if (world == 1) sorted.identities = IdentitiesOf(mine.keys(), order, shards);
  mine.DropKeys();
  sorted.memory = mine.TakeMemory();
  MoveRows({sorted.memory.data(), sorted.bytes}, width, order);
  return sorted;
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
      return Status::Invalid("rank ", r, " has other shards than it owns");
    }
    if (shards > 0) std::memcpy(&identities[size_t(first[r])], all[r].data(), all[r].size());
  }
  return identities;
}

Result<std::unique_ptr<ShardedRows>> Shard(RowPacker& mine, const std::vector<int32_t>& first,
                                           Communicator& communicator) {
  PT_TRY(CheckOwners(first, communicator.world()));
  PT_TRY(AgreeOnRows(mine, first, communicator));
  const RowSchema schema = mine.schema();
  const int64_t width = schema.width();
  PT_LET(SortedRows sorted, Sort(mine, first.back(), communicator.world()));
  PT_LET(const Cuts cuts,
         FindCuts({sorted.memory.data(), sorted.bytes}, width, first.back(), communicator));
  OwnedShards own{std::move(sorted.memory), std::move(sorted.identities)};
  if (communicator.world() > 1) {
    PT_LET(own, ExchangeRows(std::move(own.memory), width, cuts, first, communicator));
  }
  PT_LET(auto identity, ShareIdentities(own.identities, first, communicator));
  const int32_t begin = first[size_t(communicator.rank())];
  return std::unique_ptr<ShardedRows>(
      new OwnRows(schema, cuts, begin, std::move(own), std::move(identity)));
}

}  // namespace

Result<std::unique_ptr<ShardedRows>> ShardRows(std::unique_ptr<Packer> mine,
                                               const std::vector<int32_t>& first,
                                               Communicator& communicator) {
  auto* packer = dynamic_cast<RowPacker*>(mine.get());
  PT_CHECK(packer != nullptr);
  auto sharded = Shard(*packer, first, communicator);
  // Others may be waiting for this rank.
  if (!sharded.ok()) communicator.Abort(sharded.status());
  return sharded;
}

}  // namespace protium
