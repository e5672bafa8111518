// SPDX-License-Identifier: Apache-2.0
// What the columns of a table are to a first job: which one is learned and as what, what each of
// the others is to the net, and by which of them rows are held out.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inspect/profile.h"
#include "inspect/tellers.h"

namespace protium {

// What is predicted.
enum class Aim { kTwoClasses, kClasses, kNumber };

// Columns of the profile, which outlives this.
struct UsedColumns {
  std::vector<const ColumnProfile*> categories, numbers, times;
  std::vector<std::string> left_out;  // "id has another value in every row: an id?"
  const ColumnProfile* id = nullptr;  // One of those left out that has another value in every row.
  // One of those left out whose values name what several rows are about, such as a patient.
  const ColumnProfile* entity = nullptr;
  bool any() const { return !categories.empty() || !numbers.empty() || !times.empty(); }
};

// How rows are held out from training.
enum class HeldOut {
  kRows,      // Each by itself.
  kDays,      // Rows of one date stay together.
  kLatest,    // The last fifth in time.
  kEntities,  // Rows about the same stay together.
  kIds        // By an id, since most rows are equal but for it.
};
// The column of conditions that holds out rows, where the split is by time.
inline constexpr const char* kHeldOutColumn = "held_out";
struct FirstSplit {
  HeldOut how = HeldOut::kRows;
  const ColumnProfile* column = nullptr;  // By which; nullptr for kRows.
};

// The column to learn. One that is not there is a fault of Exit::kUsage.
Result<const ColumnProfile*> FindLabel(const TableProfile& table, const std::string& label);

// As what it is learned; a label that says nothing or cannot be learned is a fault.
Result<Aim> AimOf(const ColumnProfile& label);
const char* AimText(Aim aim);  // "one of two classes"

// Whether a column would be learned as classes rather than as a number.
bool IsOfClasses(const ColumnProfile& label);

// Columns by their types and values; those of no use, and `tellers`, are left out. Nothing to learn
// from at all is a fault of Exit::kInput; tellers are better than nothing.
Result<UsedColumns> SortColumns(const TableProfile& table, const ColumnProfile& label,
                                const Tellers& tellers);

FirstSplit SplitFor(const TableProfile& table, const UsedColumns& columns,
                    const ColumnProfile& label);

// Whether most rows have an equal among the used columns. The split goes by values, so that a
// handful of them would decide it.
bool ManyEqualRows(const TableProfile& table, const UsedColumns& columns,
                   const ColumnProfile& label);

// Whether it holds an infinite number, which is nothing to learn from.
bool IsInfinite(const ColumnProfile& column);

}  // namespace protium
