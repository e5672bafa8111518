// SPDX-License-Identifier: Apache-2.0
// Divides training rows into folds. A row's fold is determined by a hash of its cells
// (docs/rows.md, "Split"), so it is the same on every engine and in every run.
//
// 1. Fits are numbered from 0, repeat by repeat; each holds out one fold, beginning with the first.
// 2. All fits read one kept copy of the rows, which has columns with the fold's number in each
//    repeat.
//    In folds by time it is -1 for rows that no fit holds out.
// 3. Neither side of a fit has these columns: a pipeline sees only the table's own columns.
#pragma once

#include <string>
#include <vector>

#include "pipeline/objective.h"
#include "protium/search.h"

namespace protium {

class Folds {
 public:
  // Moves no data. Unknown columns in `by` are faults of Exit::kInput below `path`.
  static Result<Folds> Make(const DataFrame& table, const FoldOptions& options,
                            const std::string& path);

  int32_t fits() const { return CountFits(options_); }
  static int32_t CountFits(const FoldOptions& options) {
    return HeldOutIn(options) * options.repeats;
  }
  const Plan& kept() const { return kept_; }
  Plan Learning(int32_t fit) const;
  Plan HeldOut(int32_t fit) const;
  // "fold 2", or "fold 2 of repeat 1" if there are several; both count from 1.
  std::string Name(int32_t fit) const;

  // Evaluates the rows. Refuses (Exit::kInput) a fold without rows, and one that lacks a class of
  // `label`: with two classes both sides of every fit need both; with more, the side that is
  // learned from needs all. `label` is empty if it holds no classes.
  Status Check(Session& session, TargetKind kind, const std::string& label) const;

 private:
  static int32_t HeldOutIn(const FoldOptions& options) {
    return options.held_out > 0 ? options.held_out : options.k;
  }
  int32_t RepeatOf(int32_t fit) const { return fit / HeldOutIn(options_); }
  int32_t FoldOf(int32_t fit) const { return fit % HeldOutIn(options_); }
  std::string Name(int32_t repeat, int32_t fold) const;
  Status CheckClasses(Session& session, int32_t repeat, TargetKind kind,
                      const std::string& label) const;
  Status CheckRows(Session& session, int32_t repeat) const;
  Expr InFold(int32_t fit) const;

  FoldOptions options_;
  std::string path_;
  Columns columns_;
  Plan kept_;
};

}  // namespace protium
