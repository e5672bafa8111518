// SPDX-License-Identifier: Apache-2.0
// Where the packed rows of one rank live.
//
// 1. A store's life: rows are added behind one another, sorted once if they are to be in order, and
//    then read, as often as wanted. A row is known by its place among them, from 0.
// 2. Reading is done in passes that only go forward, so that a store whose rows are in a file can
//    answer with sequential reads, even a visit in the order of an epoch.
// 3. Rows are handed over in blocks; nothing here is called once per row.
// 4. Adding, sorting, releasing and making a pass are for one thread at a time. Passes over a store
//    that does not change may run side by side; they borrow it.
// 5. Where the system has no room, the fault has Exit::kNoRoom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "os/fd.h"
#include "rows/key.h"
#include "rows/permutation.h"
#include "rows/row_room.h"

namespace protium {

// Rows begin .. end - 1 of a store.
struct RowSpan {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
};

// Reads rows as they lie.
class RowScan {
 public:
  virtual ~RowScan() = default;
  // The bytes of the next rows, at most `most` and at least one; none once all were read. Valid
  // until the next call, and as long as the rows are not released.
  virtual Result<std::span<const std::byte>> Next(int64_t most) = 0;
};

// Reads rows in the order of a permutation.
class RowVisit {
 public:
  virtual ~RowVisit() = default;
  // Copies the next `rows` rows to `out`, one after another; so many must be left.
  virtual Status Next(int64_t rows, std::byte* out) = 0;
  // Passes over the next `rows` rows.
  virtual Status Skip(int64_t rows) = 0;
};

class RowStore {
 public:
  virtual ~RowStore() = default;
  virtual int64_t width() const = 0;  // Of a row, in bytes.
  virtual int64_t rows() const = 0;

  // Memory to write the next `rows` rows to; what it holds is not defined. Valid until the next
  // call of Room() or Add().
  virtual Result<std::byte*> Room(int64_t rows) = 0;
  // Says that the first `rows` rows of that memory are written: they belong to the store from then
  // on.
  virtual Status Add(int64_t rows) = 0;

  // Orders the rows by (key, bytes); once, in a store that was made to sort. Returns the identity
  // of the rows up to the first of `ends`, from there to the second, and so on. Rows keep no other
  // order: how they came is lost.
  virtual Result<std::vector<ShardIdentity>> Sort(std::span<const int64_t> ends) = 0;

  virtual std::unique_ptr<RowScan> Scan(RowSpan range) const = 0;
  // Position p of the visit is the row range.begin + order.At(p).
  virtual Result<std::unique_ptr<RowVisit>> Visit(RowSpan range,
                                                  const Permutation& order) const = 0;
  // These rows are not read again: what they take may be given back to the system. Cheapest where
  // ranges follow one another.
  virtual void Release(RowSpan range) = 0;

  // Its rows are about to move to other stores of the same RowBudget, which from now on counts
  // those alone.
  virtual void Leave() {}
  // Of its rows, how many bytes are on the disk.
  virtual int64_t disk_bytes() const { return 0; }
  // A descriptor of the file that holds all rows, from its begin and in order; none where they are
  // in memory.
  virtual Result<UniqueFd> ShareFile() const { return UniqueFd(); }
};

struct RowStoreSpec {
  int64_t width = 0;
  int64_t most_rows = 0;  // There will never be more; 0: not known.
  bool sorts = false;     // Sort() will be called: keys are made as rows are added.
  RowRoom room;           // Without a disk all rows are in memory, however many.
  int32_t visits = 1;     // How many visits are open at a time, at most; they share memory.
};

// The one place that decides what rows live in: memory, or with a disk memory as long as they fit.
std::unique_ptr<RowStore> MakeRowStore(const RowStoreSpec& spec);

}  // namespace protium
