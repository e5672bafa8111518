// SPDX-License-Identifier: Apache-2.0
// Stores the packed rows of one rank.
//
// 1. A store's life: rows are added one after another, sorted once if they are to be in order, and
//    then read, as often as needed. A row is identified by its position, from 0.
// 2. Reading is done in passes that only go forward, so that a store whose rows are in a file can
//    use sequential reads, even for a visit in the order of an epoch.
// 3. Rows are handed over in blocks; no function here is called once per row.
// 4. Adding, sorting, releasing and creating a pass are for one thread at a time. Passes over a
//    store that does not change may run concurrently; they borrow it.
// 5. If the system has no room, the fault has Exit::kNoRoom.
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

// Reads rows in the order of the store.
class RowScan {
 public:
  virtual ~RowScan() = default;
  // Returns the bytes of the next rows, at most `most` rows and at least one; none when all were
  // read. Valid until the next call, and as long as the rows are not released.
  virtual Result<std::span<const std::byte>> Next(int64_t most) = 0;
};

// Reads rows in the order of a permutation.
class RowVisit {
 public:
  virtual ~RowVisit() = default;
  // Copies the next `rows` rows to `out`, one after another; there must be that many left.
  virtual Status Next(int64_t rows, std::byte* out) = 0;
  // Skips the next `rows` rows.
  virtual Status Skip(int64_t rows) = 0;
};

class RowStore {
 public:
  virtual ~RowStore() = default;
  virtual int64_t width() const = 0;  // Bytes per row.
  virtual int64_t rows() const = 0;

  // Returns memory to write the next `rows` rows to, with undefined content. Valid until the next
  // call of Room() or Add().
  virtual Result<std::byte*> Room(int64_t rows) = 0;
  // Adds the first `rows` rows in that memory to the store; they must have been written.
  virtual Status Add(int64_t rows) = 0;

  // Sorts the rows by (key, bytes). Called once, in a store that was made to sort. Returns the
  // identity of the rows up to the first of `ends`, from there to the second, and so on. The order
  // of arrival is lost.
  virtual Result<std::vector<ShardIdentity>> Sort(std::span<const int64_t> ends) = 0;

  virtual std::unique_ptr<RowScan> Scan(RowSpan range) const = 0;
  // Position p of the visit is the row range.begin + order.At(p).
  virtual Result<std::unique_ptr<RowVisit>> Visit(RowSpan range,
                                                  const Permutation& order) const = 0;
  // Says that these rows are not read again: their memory or disk space may be returned to the
  // system. Cheapest if ranges follow one another.
  virtual void Release(RowSpan range) = 0;

  // Called before its rows move to other stores of the same RowBudget, which from then on counts
  // only those.
  virtual void Leave() {}
  // How many bytes of its rows are on the disk.
  virtual int64_t disk_bytes() const { return 0; }
  // Returns a descriptor of the file that holds all rows, from its beginning and in order; none if
  // they are in memory.
  virtual Result<UniqueFd> ShareFile() const { return UniqueFd(); }
};

struct RowStoreSpec {
  int64_t width = 0;
  int64_t most_rows = 0;  // The largest number of rows; 0: not known.
  bool sorts = false;     // Sort() will be called: keys are computed as rows are added.
  RowRoom room;           // Without a disk all rows are in memory, however many.
  int32_t visits = 1;     // The largest number of visits open at a time; they share memory.
};

// Decides what stores the rows: memory only, or memory as long as they fit and then the disk.
std::unique_ptr<RowStore> MakeRowStore(const RowStoreSpec& spec);

}  // namespace protium
