// SPDX-License-Identifier: Apache-2.0
#include "tensor/id_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/fault.h"
#include "base/splitmix.h"

namespace protium {
namespace {

constexpr size_t kFewestSlots = 64;
constexpr uint64_t kMostEpochs = uint64_t{1} << 32;  // That a row can have gone unread.
constexpr const char* kSeedName = "ids.seed";

std::string NameOf(size_t column) { return fmt::format("ids.{}", column); }
std::string UnreadNameOf(size_t column) { return fmt::format("ids.unread.{}", column); }

Status Damaged(const std::string& where, std::string why) {
  return Fail({.exit = Exit::kInput,
               .what = "the ids of the net are damaged: " + where,
               .where = where,
               .why = std::move(why)});
}

Result<std::vector<uint64_t>> Wholes(const Safetensors& file, const std::string& name,
                                     const std::string& where) {
  const NamedTensor* const found = file.Find(name);
  if (found != nullptr && found->dtype == "I64" && found->shape.size() == 1) {
    // A copy, since data in the file may be unaligned.
    std::vector<uint64_t> values(found->data.size() / sizeof(uint64_t));
    std::memcpy(values.data(), found->data.data(), values.size() * sizeof(uint64_t));
    return values;
  }
  return Fail({.exit = Exit::kInput,
               .what = "the ids of the net are missing: " + where,
               .where = where,
               .why = fmt::format("{} is not a list of I64", name)});
}

}  // namespace

size_t IdSet::SlotOf(uint64_t id) const {
  const size_t mask = slots_.size() - 1;
  size_t at = size_t(SplitMix(id)) & mask;
  while (slots_[at] != kUnseenId && ids_[size_t(slots_[at])] != id) at = (at + 1) & mask;
  return at;
}

void IdSet::Grow() {
  slots_.assign(std::max(kFewestSlots, slots_.size() * 2), kUnseenId);
  for (size_t i = 0; i < ids_.size(); ++i) slots_[SlotOf(ids_[i])] = int32_t(i);
}

Status IdSet::Add(uint64_t id) {
  if (2 * (ids_.size() + 1) > slots_.size()) Grow();
  const size_t slot = SlotOf(id);
  if (slots_[slot] != kUnseenId) return Status::OK();
  if (count() >= kMostIds) {
    return Fail({.exit = Exit::kNoRoom,
                 .what = fmt::format("a column has more than {} ids", kMostIds),
                 .fix = "take a hasher with fewer buckets for it"});
  }
  slots_[slot] = int32_t(ids_.size());
  ids_.push_back(id);
  return Status::OK();
}

void IdSet::Clear() {
  ids_.clear();
  std::ranges::fill(slots_, kUnseenId);
}

int32_t IdSet::Find(uint64_t id) const { return slots_.empty() ? kUnseenId : slots_[SlotOf(id)]; }

std::vector<uint64_t> IdSet::Ascending() const {
  std::vector<uint64_t> ids = ids_;
  std::ranges::sort(ids);
  return ids;
}

Result<std::shared_ptr<const IdTables>> IdTables::Make(
    const std::vector<std::vector<uint64_t>>& columns, uint64_t seed,
    std::vector<std::vector<int64_t>> unread) {
  auto tables = std::make_shared<IdTables>();
  tables->seed = seed;
  tables->unread = std::move(unread);
  for (const std::vector<uint64_t>& ids : columns) {
    IdSet& set = tables->columns.emplace_back();
    for (const uint64_t id : ids) PT_TRY(set.Add(id));
  }
  return tables;
}

Result<std::shared_ptr<const IdTables>> IdTables::Read(const Safetensors& file, size_t columns,
                                                       const std::string& where) {
  std::vector<std::vector<uint64_t>> all(columns);
  for (size_t c = 0; c < columns; ++c) {
    PT_LET(all[c], Wholes(file, NameOf(c), where));
    // Each row belongs to one id, and a net has a row at least.
    if (!all[c].empty() &&
        std::ranges::adjacent_find(all[c], std::greater_equal<>()) == all[c].end()) {
      continue;
    }
    return Damaged(where, NameOf(c) + " does not ascend");
  }
  PT_LET(const std::vector<uint64_t> seed, Wholes(file, kSeedName, where));
  if (seed.size() != 1) return Damaged(where, std::string(kSeedName) + " is not one number");
  std::vector<std::vector<int64_t>> unread;
  for (size_t c = 0; c < columns && file.Find(UnreadNameOf(0)) != nullptr; ++c) {
    PT_LET(const std::vector<uint64_t> counts, Wholes(file, UnreadNameOf(c), where));
    if (counts.size() != all[c].size()) {
      return Damaged(where, UnreadNameOf(c) + " is not as long as " + NameOf(c));
    }
    if (std::ranges::any_of(counts, [](uint64_t each) { return each > kMostEpochs; })) {
      return Damaged(where, UnreadNameOf(c) + " is no number of epochs");
    }
    unread.emplace_back(counts.begin(), counts.end());
  }
  return Make(all, seed.front(), std::move(unread));
}

std::vector<NamedTensor> IdTables::Tensors() const {
  std::vector<NamedTensor> out;
  for (size_t c = 0; c < columns.size(); ++c) {
    out.push_back({NameOf(c), "I64", {columns[c].count()}, std::as_bytes(columns[c].ids())});
  }
  out.push_back({kSeedName, "I64", {1}, std::as_bytes(std::span(&seed, 1))});
  for (size_t c = 0; c < unread.size(); ++c) {
    out.push_back(
        {UnreadNameOf(c), "I64", {int64_t(unread[c].size())}, std::as_bytes(std::span(unread[c]))});
  }
  return out;
}

void DrawIdRow(uint64_t key, uint64_t id, float bound, std::span<float> out) {
  uint64_t state = key ^ SplitMix(id);
  for (float& each : out) {
    state += kSplitMixStep;
    each = bound * (float(SplitMix(state) >> 40) * 0x1p-23f - 1);
  }
}

}  // namespace protium
