// SPDX-License-Identifier: Apache-2.0
// Sums of some rows of a table, by the number of the row (its id): gradients of an embedding, of
// which a step reads a few rows among millions.
//
// 1. A row begins at +0.0 and is only ever added to, so no element is -0.0: to add a row that is
//    absent, as +0.0 everywhere, would change no bit. So the sum over those who have a row has the
//    bits of the sum over everybody's whole table.
// 2. Clear() and Add() take time by the rows that are here, never by those of the table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace protium {

// One thread. Ids are from 0; at most 2^30 of them at a time.
class SparseRows {
 public:
  explicit SparseRows(int64_t width) : width_(width) {}

  int64_t width() const { return width_; }  // Floats of a row.
  int64_t count() const { return int64_t(ids_.size()); }
  // The rows that are here, in the order in which they came.
  std::span<const int64_t> ids() const { return ids_; }
  const float* row(int64_t at) const { return values_.data() + at * width_; }

  // The row of this id, zeros if it was not here; valid until the next call that may add a row.
  float* At(int64_t id);
  // Adds every row of `other`, of the same width, with one addition per element.
  void Add(const SparseRows& other);
  void Clear();
  // Rounds all elements (RoundToBfloat16()).
  void Round();
  // Replaces each id i by numbers[i]. Until Clear() no row may be added then.
  void Renumber(std::span<const int64_t> numbers);
  // The positions of all rows, by ascending id.
  std::vector<int32_t> Ascending() const;

 private:
  int32_t& SlotOf(int64_t id);
  void Grow();

  int64_t width_;
  std::vector<int64_t> ids_;
  std::vector<float> values_;
  // Open addressing: the position of a row, or kFree; a power of two, at least twice the rows.
  std::vector<int32_t> slots_;
};

// Rows added up over all shards, by ascending id.
struct SummedRows {
  std::vector<int64_t> ids;
  std::vector<float> values;  // Of the first row, then of the next.
};

}  // namespace protium
