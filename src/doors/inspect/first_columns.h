// SPDX-License-Identifier: Apache-2.0
// What a first job does with the columns of a table: which one it learns and as what, what each of
// the others is to the net, and by which of them rows are held out.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inspect/leaks.h"
#include "inspect/profile.h"

namespace protium {

// What is predicted.
enum class Aim { kTwoClasses, kClasses, kNumber };

// Columns of the profile, which must outlive this.
struct UsedColumns {
  std::vector<const ColumnProfile*> categories, numbers, times;
  std::vector<std::string> left_out;  // "id has another value in every row: an id?"
  // One of the left-out columns that has another value in every row.
  const ColumnProfile* id = nullptr;
  // One of the left-out columns whose values name what several rows are about, such as a patient.
  const ColumnProfile* entity = nullptr;
  bool any() const { return !categories.empty() || !numbers.empty() || !times.empty(); }
};

// How rows are held out from training.
enum class HeldOut {
  kRows,      // Each row by itself.
  kDays,      // Rows of one date stay together.
  kLatest,    // The last fifth in time.
  kEntities,  // Rows about the same entity stay together.
  kIds        // By an id, since most rows are equal except for it.
};
struct FirstSplit {
  HeldOut how = HeldOut::kRows;
  const ColumnProfile* column = nullptr;  // The column to split by; nullptr for kRows.
};

// Finds the column to learn. An unknown one is a fault of Exit::kUsage.
Result<const ColumnProfile*> FindLabel(const TableProfile& table, const std::string& label);

// Returns how it is learned; a label without information or of an unusable type is a fault.
Result<Aim> AimOf(const ColumnProfile& label);
const char* AimText(Aim aim);  // "one of two classes"

// Whether a column would be learned as classes rather than as a number.
bool IsOfClasses(const ColumnProfile& label);

// Sorts columns by their types and values; leaves out useless ones and `leaks`. If nothing is
// left to learn from, uses leaks; if there are none either, fails with Exit::kInput.
Result<UsedColumns> SortColumns(const TableProfile& table, const ColumnProfile& label,
                                const Leaks& leaks);

// `time`: the column that orders the rows, if that is known; empty: to be found.
FirstSplit SplitFor(const TableProfile& table, const UsedColumns& columns,
                    const ColumnProfile& label, const std::string& time);

// Whether most rows equal another row in the used columns. The split goes by values, so a handful
// of them would decide it.
bool ManyEqualRows(const TableProfile& table, const UsedColumns& columns,
                   const ColumnProfile& label);

// Whether it holds an infinite number, which cannot be learned from.
bool IsInfinite(const ColumnProfile& column);

}  // namespace protium
