// SPDX-License-Identifier: Apache-2.0
// Rows of one training set: packed to fixed width, keyed by content, cut into equal shards.
// The contract is docs/rows.md. In short:
//
// 1. A row is its packed bytes; two rows with equal bytes are the same row.
// 2. Shards are consecutive ranges of the rows sorted by (key, bytes); they differ by one row at
//    most, and depend on nothing but the rows and the number of shards.
// 3. The order of visits depends on (seed, epoch, shard) and nothing else.
#pragma once

#include <arrow/record_batch.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/status.h"
#include "collective/communicator.h"
#include "plan/node.h"
#include "rows/schema.h"

namespace protium {

// The identity of a training set: count and sum of 128-bit keys (mod 2^128) per shard.
struct ShardIdentity {
  int64_t rows = 0;
  uint64_t key_sum_low = 0;
  uint64_t key_sum_high = 0;
  bool operator==(const ShardIdentity&) const = default;
  ShardIdentity& operator+=(const ShardIdentity& other);
};

// The identity of rows that lie one after another. A run adds up what it visited and compares.
ShardIdentity IdentityOf(std::span<const std::byte> rows, int64_t width);

// When a Packer refuses cells and rows.
enum class Refusal {
  kAtOnce,       // Append() fails on the first batch that holds any.
  kWhenSharded,  // ShardRows() fails on every rank alike, with the counts over all ranks' rows.
};

// Turns the batches of one rank into packed rows. NULLs, NaN, numbers that are not finite as
// float32, categories beyond int32 and lists of another length are errors that say column, count
// and first row.
class Packer {
 public:
  // `budget_bytes` bounds this rank's packed rows: more is a fault with both numbers.
  static Result<std::unique_ptr<Packer>> Make(const RowSchema& rows, const SchemaPtr& table,
                                              int64_t budget_bytes,
                                              Refusal refusal = Refusal::kAtOnce);
  virtual ~Packer() = default;
  virtual const RowSchema& schema() const = 0;
  // Packs the rows of `batch`.
  Status Append(const arrow::RecordBatch& batch) { return Append(batch, nullptr); }
  // With `chosen`, packs only those, which must rise.
  virtual Status Append(const arrow::RecordBatch& batch, const std::vector<int32_t>* chosen) = 0;
  virtual int64_t rows() const = 0;
  // rows() * schema().width(), in order of arrival; valid until the next Append().
  virtual std::span<const std::byte> bytes() const = 0;
};

// The rows of the shards that this rank owns, sorted; and the sizes of all others.
class ShardedRows {
 public:
  virtual ~ShardedRows() = default;
  virtual const RowSchema& schema() const = 0;
  virtual int32_t shards() const = 0;
  virtual int64_t total_rows() const = 0;
  virtual int64_t rows(int32_t shard) const = 0;  // Of any shard.
  virtual bool owns(int32_t shard) const = 0;
  virtual std::span<const std::byte> shard(int32_t shard) const = 0;  // Owned ones only.
  virtual const std::vector<ShardIdentity>& identity() const = 0;     // Of all shards.
};

// Collective. Cuts the rows of all ranks into first.back() shards and brings each to its owner:
// shard s belongs to rank r when first[r] <= s < first[r+1]. Consumes `mine`. Beside the packed
// rows themselves it takes 16 bytes a row from packing on, 24 while it sorts, and a sixteenth of
// the rows while ranks exchange; pages are given back as they are read.
Result<std::unique_ptr<ShardedRows>> ShardRows(std::unique_ptr<Packer> mine,
                                               const std::vector<int32_t>& first,
                                               Communicator& communicator);

// Contiguous ownership: rank r owns floor(r*shards/world) up to floor((r+1)*shards/world).
std::vector<int32_t> ShardOwners(int32_t shards, int32_t world);

// (seed, epoch, shard, position) -> row, stateless and cheap to make. A permutation of [0, rows).
class Permutation {
 public:
  Permutation(int64_t seed, int64_t epoch, int32_t shard, int64_t rows);
  int64_t At(int64_t position) const;  // 0 <= position < rows().
  int64_t rows() const { return rows_; }

 private:
  static constexpr int kRounds = 6;
  static constexpr int kFew = 32;
  void Shuffle(uint64_t state);

  int64_t rows_;
  uint64_t left_;
  uint64_t right_;
  std::array<uint64_t, kRounds> keys_;
  std::array<uint8_t, kFew> few_;
};

// Positions of shard `shard` at step `step` of an epoch: floor(n*k*B/N) to floor(n*(k+1)*B/N) with
// n its rows, N all rows, B the batch size; the last step ends at n. 128-bit inside.
struct Positions {
  int64_t begin = 0;
  int64_t end = 0;
};
Positions StepPositions(int64_t shard_rows, int64_t total_rows, int64_t batch_size, int64_t step);
int64_t StepsPerEpoch(int64_t total_rows, int64_t batch_size);

// Copies the rows at `positions` of the permutation into `out`, one after another.
void GatherRows(std::span<const std::byte> shard, int64_t width, const Permutation& order,
                Positions positions, std::byte* out);

}  // namespace protium
