// SPDX-License-Identifier: Apache-2.0
// Rows of one training set: packed to fixed width, keyed by content, cut into equal shards.
// docs/rows.md is the contract. In short:
//
// 1. A row is its packed bytes; two rows with equal bytes are the same row.
// 2. Shards are consecutive ranges of the rows sorted by (key, bytes); they differ by one row at
//    most, and depend on nothing but the rows and the number of shards.
// 3. The order of visits depends on (seed, epoch, shard) and nothing else.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "plan/node.h"
#include "rows/permutation.h"
#include "rows/row_store.h"
#include "rows/schema.h"

namespace protium {

// When a Packer refuses cells and rows.
enum class Refusal {
  kAtOnce,       // Append() fails on the first batch that holds any.
  kWhenSharded,  // ShardRows() fails on every rank alike, with the counts over all ranks' rows.
};

// Turns the batches of one rank into packed rows. NULLs, NaN, numbers that are not finite as
// float32 (in fields that may not have them: RowField::missing), categories beyond int32 and lists
// of another length are errors that name column, count and first row.
class Packer {
 public:
  // `room` bounds this rank's packed rows: exceeding memory and disk is a fault with both numbers.
  // The rows made from them (ShardRows()) use the same room.
  static Result<std::unique_ptr<Packer>> Make(const RowSchema& rows, const SchemaPtr& table,
                                              RowRoom room, Refusal refusal = Refusal::kAtOnce);
  virtual ~Packer() = default;
  virtual const RowSchema& schema() const = 0;
  // Packs the rows of `batch`.
  Status Append(const arrow::RecordBatch& batch) { return Append(batch, nullptr); }
  // With `chosen`, packs only the rows at these positions, which must ascend.
  virtual Status Append(const arrow::RecordBatch& batch, const std::vector<int32_t>* chosen) = 0;
  // The packed rows, in order of arrival; grows with every Append().
  virtual const RowStore& store() const = 0;
  int64_t rows() const { return store().rows(); }
};

// The rows of the shards that this rank owns, sorted, and the sizes of all others. Reading changes
// nothing: passes over shards may run concurrently. If ranks share rows (shared_rows.h), it holds
// more shards than the rank owns.
class ShardedRows {
 public:
  // Shards begin .. end - 1.
  struct Owned {
    int32_t begin = 0;
    int32_t end = 0;
    bool operator==(const Owned&) const = default;
  };
  // `store` holds the own shards, one after another; `identity` is that of all shards.
  ShardedRows(RowSchema schema, Owned own, std::unique_ptr<RowStore> store,
              std::vector<ShardIdentity> identity);

  const RowSchema& schema() const { return schema_; }
  int32_t shards() const { return int32_t(identity_.size()); }
  int64_t total_rows() const { return total_rows_; }
  int64_t rows(int32_t shard) const { return identity_.at(size_t(shard)).rows; }  // Of any shard.
  bool owns(int32_t shard) const { return shard >= own_.begin && shard < own_.end; }
  Owned own() const { return own_; }
  // Whether this rank has the rows of a shard, whoever owns it.
  bool holds(int32_t shard) const { return shard >= held_.begin && shard < held_.end; }
  // Makes this rank the owner of other shards, all of which the store must hold. No pass may be
  // open.
  void TakeOver(Owned own);
  // The identity of the training set: that of each shard.
  const std::vector<ShardIdentity>& identity() const { return identity_; }
  // How many bytes of the own rows are on the disk.
  int64_t disk_bytes() const { return store_->disk_bytes(); }

  // See RowStore::ShareFile().
  Result<UniqueFd> ShareFile() const { return store_->ShareFile(); }

  // Says that the shard's rows are not read again: see RowStore::Release().
  void Release(int32_t shard) { store_->Release(ShardRange(shard)); }
  // A pass over a shard that this rank holds.
  std::unique_ptr<RowScan> Scan(int32_t shard) const { return store_->Scan(ShardRange(shard)); }
  // A pass over some rows, counted from 0, of a shard that this rank holds.
  std::unique_ptr<RowScan> Scan(int32_t shard, RowSpan rows) const;
  Result<std::unique_ptr<RowVisit>> Visit(int32_t shard, const Permutation& order) const {
    return store_->Visit(ShardRange(shard), order);
  }

 private:
  RowSpan ShardRange(int32_t shard) const;

  RowSchema schema_;
  Owned held_;  // What the store holds.
  Owned own_;
  std::unique_ptr<RowStore> store_;
  std::vector<ShardIdentity> identity_;
  std::vector<int64_t> ends_{0};  // Of the shards in the store, from the first one on.
  int64_t total_rows_ = 0;
};

// Collective. Cuts the rows of all ranks into first.back() shards and sends each to its owner:
// shard s belongs to rank r when first[r] <= s < first[r+1]. Consumes `mine`. Besides the packed
// rows in memory it takes 16 bytes per row from packing on, 24 while it sorts, and a sixteenth of
// the rows while ranks exchange; pages are returned as they are read. Rows that do not fit memory
// take their space on the disk twice.
Result<std::unique_ptr<ShardedRows>> ShardRows(std::unique_ptr<Packer> mine,
                                               const std::vector<int32_t>& first,
                                               Communicator& communicator);

}  // namespace protium
