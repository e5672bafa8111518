// SPDX-License-Identifier: Apache-2.0
// Divides the rows of a table for fitting: those without a label are left out, some are held out
// for validation, and each gets the number of its part for stages that learn out of fold
// (Stage::parts). This depends on hashes of a row's values, not on its position in the table
// (docs/rows.md, "Split").
#pragma once

#include <optional>
#include <string>

#include "pipeline/chain.h"

namespace protium {

// The columns of rows used for learning: chain.sources, then the outputs of stages that read
// earlier rows, then one column PartColumn(n) for each number of parts n that a stage asks for.
Columns LearnedFrom(const Chain& chain);

// The rows that a pipeline learns from, as plans with the columns LearnedFrom(). All of them read
// one kept evaluation of the table, so the SQL runs once and every reader sees the same rows.
struct TrainRows {
  Plan kept;             // Every row of the table.
  Plan all;              // Those of `kept` with all labels; the gang reads these.
  Plan learning;         // Those of `all` that are not held out; the stages learn from these.
  std::string held_out;  // The boolean column that marks validation rows; empty: there are none.
};
TrainRows RowsFor(const Chain& chain, const Plan& table);

// Adds marks to the rows that number them from 0 to parts - 1: splits of one hash of `by` and
// `seed` at the shares 1/parts, 2/parts, ... `number` has the name of the column to make and
// receives its expression; the names of the marks start with that name.
Plan NumberParts(Plan rows, const Columns& by, int64_t parts, int64_t seed, NamedExpr& number);

// Returns an expression that is true for a row that has all its labels; NaN counts as missing. None
// if every row takes part.
std::optional<Expr> HasLabel(const Chain& chain);

}  // namespace protium
