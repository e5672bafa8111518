// SPDX-License-Identifier: Apache-2.0
#include "column/claim_sum.h"

#include <arrow/extension_type.h>
#include <arrow/type_traits.h>

#include <algorithm>

namespace protium {
namespace {

using arrow::ArrayData;
using Id = arrow::Type;

// What a written cell takes beside its content: an offset.
constexpr double kCellBytes = 4;

// The index of the first of ascending numbers that is larger; `count` if none is.
template <class Value>
int64_t FirstBehind(const CellValues<Value>& values, int64_t count, int64_t number) {
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    (values[middle] > number ? high : low) = values[middle] > number ? middle : middle + 1;
  }
  return low;
}

}  // namespace

void ClaimSum::AddBare(int64_t cells) {
  cells_ += double(cells);
  bytes_ += kCellBytes * double(cells);
}

template <class Offset>
void ClaimSum::AddTexts(const Cells& cells) {
  const auto offsets = cells.values<Offset>(1);
  if (!offsets) return AddBare(cells.count);
  bytes_ += double(offsets[cells.count]) - double(offsets[0]) + kCellBytes * double(cells.count);
}

void ClaimSum::AddTextViews(const Cells& cells) {
  const auto views = cells.values<arrow::BinaryViewType::c_type>(1);
  if (!views) return AddBare(cells.count);
  for (int64_t i = 0; i < cells.count; ++i) bytes_ += kCellBytes + double(views[i].size());
}

template <class Offset>
void ClaimSum::AddLists(const Cells& cells) {
  const auto offsets = cells.values<Offset>(1);
  if (!offsets) return AddBare(cells.count);
  bytes_ += kCellBytes * double(cells.count);
  Add(cells.Of(0, offsets[0], offsets[cells.count] - offsets[0]));
}

template <class Offset>
void ClaimSum::AddListViews(const Cells& cells) {
  const auto offsets = cells.values<Offset>(1);
  const auto sizes = cells.values<Offset>(2);
  if (!offsets || !sizes) return AddBare(cells.count);
  for (int64_t i = 0; i < cells.count && !full(); ++i) {
    bytes_ += kCellBytes;
    Add(cells.Of(0, offsets[i], sizes[i]));
  }
}

void ClaimSum::AddFixedLists(const Cells& cells, int32_t size) {
  if (size <= 0) return AddBare(cells.count);
  bytes_ += kCellBytes * double(cells.count);
  // Validation refuses a child that is too short; the check is by division because lengths
  // overflow.
  if (cells.count > cells.data.child_data[0]->length / size) return;
  Add(cells.Of(0, (cells.data.offset + cells.begin) * size, cells.count * size));
}

void ClaimSum::AddStructs(const Cells& cells) {
  if (cells.data.child_data.empty()) return AddBare(cells.count);
  for (size_t i = 0; i < cells.data.child_data.size() && !full(); ++i) {
    Add(cells.Of(i, cells.data.offset + cells.begin, cells.count));
  }
}

// Counts each child in full: every cell of a union takes a type byte of its own.
void ClaimSum::AddUnions(const Cells& cells) {
  bytes_ += kCellBytes * double(cells.count);
  for (const auto& child : cells.data.child_data) Add({*child, 0, child->length});
}

template <class Index>
void ClaimSum::AddIndices(const Cells& cells) {
  const auto indices = cells.values<Index>(1);
  const ArrayData* const values = cells.data.dictionary.get();
  if (!indices || values == nullptr) return AddBare(cells.count);
  for (int64_t i = 0; i < cells.count && !full(); ++i) {
    bytes_ += kCellBytes;
    Add({*values, int64_t(indices[i]), 1});
  }
}

void ClaimSum::AddDictionary(const Cells& cells, const arrow::DictionaryType& type) {
  switch (type.index_type()->id()) {
    case Id::INT8:
      return AddIndices<int8_t>(cells);
    case Id::UINT8:
      return AddIndices<uint8_t>(cells);
    case Id::INT16:
      return AddIndices<int16_t>(cells);
    case Id::UINT16:
      return AddIndices<uint16_t>(cells);
    case Id::INT32:
      return AddIndices<int32_t>(cells);
    case Id::UINT32:
      return AddIndices<uint32_t>(cells);
    default:
      return AddIndices<int64_t>(cells);
  }
}

// Adds runs that end at these rows.
template <class End>
void ClaimSum::AddRunsEnding(const Cells& cells) {
  const Cells ends = cells.Of(0, 0, cells.data.child_data[0]->length);
  const auto rows = ends.values<End>(1);
  AddBare(cells.count);
  if (!rows) return;
  const int64_t first = cells.data.offset + cells.begin, last = first + cells.count;
  int64_t run = FirstBehind(rows, ends.count, first);
  for (int64_t at = first; run < ends.count && at < last && !full(); at = rows[run++]) {
    ClaimSum one(most_cells_, most_bytes_);
    one.Add(cells.Of(1, run, 1));
    const double times = double(std::min<int64_t>(rows[run], last) - at);
    cells_ += times * one.cells_;
    bytes_ += times * one.bytes_;
    steps_ += one.steps_;
  }
}

void ClaimSum::AddRuns(const Cells& cells) {
  if (cells.data.child_data.size() != 2) return AddBare(cells.count);
  switch (cells.data.child_data[0]->type->id()) {
    case Id::INT16:
      return AddRunsEnding<int16_t>(cells);
    case Id::INT32:
      return AddRunsEnding<int32_t>(cells);
    default:
      return AddRunsEnding<int64_t>(cells);
  }
}

void ClaimSum::AddFixedWidth(const Cells& cells, const arrow::DataType& type) {
  const int bits = type.bit_width();
  if (bits <= 0) return AddBare(cells.count);
  bytes_ += double(bits) / 8 * double(cells.count);
}

void ClaimSum::Add(const Cells& cells, const arrow::DataType& type) {
  if (!cells.inside()) return;
  ++steps_;
  switch (type.id()) {
    case Id::STRING:
    case Id::BINARY:
      return AddTexts<int32_t>(cells);
    case Id::LARGE_STRING:
    case Id::LARGE_BINARY:
      return AddTexts<int64_t>(cells);
    case Id::STRING_VIEW:
    case Id::BINARY_VIEW:
      return AddTextViews(cells);
    case Id::LIST:
    case Id::MAP:
      return AddLists<int32_t>(cells);
    case Id::LARGE_LIST:
      return AddLists<int64_t>(cells);
    case Id::LIST_VIEW:
      return AddListViews<int32_t>(cells);
    case Id::LARGE_LIST_VIEW:
      return AddListViews<int64_t>(cells);
    case Id::FIXED_SIZE_LIST:
      return AddFixedLists(cells, static_cast<const arrow::FixedSizeListType&>(type).list_size());
    case Id::STRUCT:
      return AddStructs(cells);
    case Id::SPARSE_UNION:
    case Id::DENSE_UNION:
      return AddUnions(cells);
    case Id::DICTIONARY:
      return AddDictionary(cells, static_cast<const arrow::DictionaryType&>(type));
    case Id::RUN_END_ENCODED:
      return AddRuns(cells);
    case Id::EXTENSION:
      return Add(cells, *static_cast<const arrow::ExtensionType&>(type).storage_type());
    default:
      // A type without width occupies no memory: a null.
      return arrow::is_fixed_width(type.id()) ? AddFixedWidth(cells, type) : AddBare(cells.count);
  }
}

}  // namespace protium
