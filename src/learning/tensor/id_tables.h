// SPDX-License-Identifier: Apache-2.0
// The ids that a net has rows for. A column of ids has no vocabulary and no bound: the table of its
// rows is one of all 2^64 ids, of which only those are stored that the training rows have. All
// others have the values that they would have begun with, which DrawIdRow() gives at any time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "format/safetensors.h"

namespace protium {

// The position of an id that is not stored.
inline constexpr int32_t kUnseenId = -1;
// The most ids of a column.
inline constexpr int64_t kMostIds = int64_t{1} << 30;

// A set of ids, each of 64 bits of any value, with their positions in the order in which they came.
class IdSet {
 public:
  IdSet() = default;
  // Fails with Exit::kNoRoom beyond kMostIds.
  Status Add(uint64_t id);
  void Clear();
  // kUnseenId for an id that is not here.
  int32_t Find(uint64_t id) const;
  std::span<const uint64_t> ids() const { return ids_; }
  int64_t count() const { return int64_t(ids_.size()); }
  // The same ids, ascending as unsigned numbers.
  std::vector<uint64_t> Ascending() const;

 private:
  size_t SlotOf(uint64_t id) const;
  void Grow();

  std::vector<uint64_t> ids_;
  // Open addressing: the position of an id, or kUnseenId; a power of two, at least twice the ids.
  std::vector<int32_t> slots_;
};

// Of a net: by column of ids, in the order of the field kIdsField, the rows that it stores, one for
// each id in ascending order; and the seed of its training, which all others follow from.
struct IdTables {
  std::vector<IdSet> columns;
  uint64_t seed = 0;
  // By column, how many rows a net has room for; empty: as many as there are ids. A net whose rows
  // servers hold (train/served_tables.h) has room for those of a step.
  std::vector<int64_t> room = {};
  // Of a training that began with a model's rows (train.from), by column, for each id: 0 if its
  // rows have the id, else 1 more than the epochs before it that had gone by without it. Else
  // empty.
  std::vector<std::vector<int64_t>> unread;

  int64_t rows(size_t column) const {
    return room.empty() ? columns[column].count() : room[column];
  }

  // Ids ascend and come once in each column.
  static Result<std::shared_ptr<const IdTables>> Make(
      const std::vector<std::vector<uint64_t>>& columns, uint64_t seed,
      std::vector<std::vector<int64_t>> unread = {});
  // Reads back what Tensors() returned, for this many columns, from the file `where` (kInput).
  static Result<std::shared_ptr<const IdTables>> Read(const Safetensors& file, size_t columns,
                                                      const std::string& where);
  // "ids.0" [n], "ids.1", ... and "ids.seed" [1]; "I64", the bits of an id; then, unless it is
  // empty, `unread` as "ids.unread.0" [n], ... Borrowed.
  std::vector<NamedTensor> Tensors() const;
};

// The first values of the row of this id in the table with this key: each in [-bound, bound). Of
// element j, from 0, it is bound * (m / 2^23 - 1), computed in float; m is the upper 24 bits of
// SplitMix((key ^ SplitMix(id)) + (j + 1) * kSplitMixStep).
void DrawIdRow(uint64_t key, uint64_t id, float bound, std::span<float> out);

}  // namespace protium
