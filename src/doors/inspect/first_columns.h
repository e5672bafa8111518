// SPDX-License-Identifier: Apache-2.0
// What a first job does with the columns of a table: which one it learns and as what, what each of
// the others is to the net, and by which of them rows are held out.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "leaks/leaks.h"
#include "leaks/table_profile.h"

namespace protium {

// What is predicted.
enum class Aim { kTwoClasses, kClasses, kNumber };

// What a column is to the job, and why: for `protium init --explain`.
struct ColumnReason {
  std::string column;
  std::string use;  // "number", "category", "date", "left out", "label"
  std::string why;
};

// What the user says of columns.
struct ColumnWishes {
  std::vector<std::string> kept;     // Learned from whatever speaks against it.
  std::vector<std::string> dropped;  // Not learned from.
};

// Columns of the profile, which must outlive this.
struct UsedColumns {
  std::vector<const ColumnProfile*> categories, numbers, times;
  std::vector<const ColumnProfile*> texts;  // Whose words are read: ReadWords() moves them here.
  std::vector<const ColumnProfile*> sentences;  // Left out, although their words could be read.
  // Texts of many values, each read as a number: ReadManyValues() moves them here from `many`,
  // those that are left out although they could be.
  std::vector<const ColumnProfile*> coded, many;
  std::vector<std::string> left_out;  // "id has a different value in every row: an id?"
  std::vector<ColumnReason> reasons;  // Of every column of the table, in its order.
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
// A column of times with fewer different ones does not order the rows.
inline constexpr int64_t kFewestTimes = 20;

// In tables of fewer rows, texts in fewer than kRareBelow count like others.
inline constexpr int64_t kRowsForRare = 500;

struct FirstSplit {
  HeldOut how = HeldOut::kRows;
  const ColumnProfile* column = nullptr;  // The column to split by; nullptr for kRows.
};

// Finds the column to learn. An unknown one is a fault of Exit::kUsage.
Result<const ColumnProfile*> FindLabel(const TableProfile& table, const std::string& label);

// Returns how it is learned; a label without information or of an unusable type is a fault.
Result<Aim> AimOf(const ColumnProfile& label);
const char* AimText(Aim aim);  // "binary classification"

// Whether a column would be learned as classes rather than as a number.
bool IsOfClasses(const ColumnProfile& label);

// Sorts columns by their types and values; leaves out useless ones and `leaks`. If nothing is left
// to learn from, uses leaks; if there are none either, and no texts of several words, fails with
// Exit::kInput. A column to be kept that is empty, or of a type that no stage reads, is a fault of
// Exit::kUsage.
Result<UsedColumns> SortColumns(const TableProfile& table, const ColumnProfile& label,
                                const Leaks& leaks, const ColumnWishes& wishes = {});

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
