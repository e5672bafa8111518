// SPDX-License-Identifier: Apache-2.0
// The rows that a step of a server is about to change, as they were before it. The journal lies
// where the rows lie, in memory that outlives the process: if a rank dies before all have made the
// step, the rows of all servers are put back, and the step is made again.
//
// A journal holds one step: when a server holds the next one's rows, all ranks have made the step
// before (train/served_tables.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "train/row_planes.h"

namespace protium {

class RowJournal {
 public:
  // The most rows of a table that a step changes, and the bytes of one in all its planes.
  struct Room {
    int64_t rows = 0;
    int64_t row_bytes = 0;
  };
  static int64_t BytesFor(std::span<const Room> tables);

  RowJournal() = default;
  // `memory` has BytesFor() the tables, is aligned to 8 bytes, and was zeros before a journal used
  // it first.
  explicit RowJournal(std::span<std::byte> memory) : memory_(memory) {}

  // Some rows of one table, which all have planes of memory; both borrowed.
  struct Rows {
    std::span<const RowPlane> planes;
    std::span<const int64_t> rows;
  };
  // Holds the rows that step `step`, counted from 0, changes. They may be changed from then on.
  void Hold(int64_t step, std::span<const Rows> tables);
  // Puts back the rows that it holds, if they are those of this step; `planes` by table as in
  // Hold(). May be repeated, also after a death in the middle of it.
  void PutBack(int64_t step, std::span<const std::vector<RowPlane>> planes) const;

 private:
  std::span<std::byte> memory_;
};

}  // namespace protium
