// SPDX-License-Identifier: Apache-2.0
// Adds up how much cells claim to be, for CheckClaims().
// 1. Claims are added up in doubles: lengths come from outside, and their products overflow.
// 2. Nothing is allocated by a length that was claimed.
// 3. Offsets and indices of rows handed over in memory may be wrong: cells outside the data add
//    nothing and are never read.
#pragma once

#include <arrow/array/data.h>
#include <arrow/type.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace protium {

// The numbers in a buffer, which may be unaligned.
template <class Value>
class CellValues {
 public:
  CellValues() = default;
  explicit CellValues(const uint8_t* bytes) : bytes_(bytes) {}
  explicit operator bool() const { return bytes_ != nullptr; }
  Value operator[](int64_t i) const {
    Value value;
    std::memcpy(&value, bytes_ + i * int64_t(sizeof(Value)), sizeof(Value));
    return value;
  }

 private:
  const uint8_t* bytes_ = nullptr;
};

// Cells of an array, counted from its own offset.
struct Cells {
  const arrow::ArrayData& data;
  int64_t begin = 0;
  int64_t count = 0;

  bool inside() const { return begin >= 0 && count >= 0 && begin <= data.length - count; }
  Cells Of(size_t child, int64_t from, int64_t number) const {
    return {*data.child_data[child], from, number};
  }
  template <class Value>
  CellValues<Value> values(size_t buffer) const {
    if (buffer >= data.buffers.size() || data.buffers[buffer] == nullptr) return {};
    const uint8_t* const all = data.buffers[buffer]->data();
    if (all == nullptr) return {};
    return CellValues<Value>(all + (data.offset + begin) * int64_t(sizeof(Value)));
  }
};

// Adds up what cells claim until it exceeds the limits.
class ClaimSum {
 public:
  ClaimSum(double most_cells, double most_bytes)
      : most_cells_(most_cells), most_bytes_(most_bytes) {}

  void Add(const Cells& cells) { Add(cells, *cells.data.type); }
  // Starts other rows, whose bytes are counted from 0.
  void NextRows() { bytes_ = 0; }
  bool too_many() const { return cells_ > most_cells_; }
  // Nested views can name more cells than can be visited.
  bool too_long() const { return bytes_ > most_bytes_ || steps_ > most_cells_; }
  bool full() const { return too_many() || too_long(); }
  double bytes() const { return bytes_; }

 private:
  void Add(const Cells& cells, const arrow::DataType& type);
  void AddBare(int64_t cells);
  template <class Offset>
  void AddTexts(const Cells& cells);
  void AddTextViews(const Cells& cells);
  template <class Offset>
  void AddLists(const Cells& cells);
  template <class Offset>
  void AddListViews(const Cells& cells);
  void AddFixedLists(const Cells& cells, int32_t size);
  void AddStructs(const Cells& cells);
  void AddUnions(const Cells& cells);
  template <class Index>
  void AddIndices(const Cells& cells);
  void AddDictionary(const Cells& cells, const arrow::DictionaryType& type);
  template <class End>
  void AddRunsEnding(const Cells& cells);
  void AddRuns(const Cells& cells);
  void AddFixedWidth(const Cells& cells, const arrow::DataType& type);

  const double most_cells_;
  const double most_bytes_;
  double cells_ = 0;  // Cells that occupy no memory.
  double bytes_ = 0;  // Of all cells, written out in full.
  double steps_ = 0;
};

}  // namespace protium
