// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "learn/pipeline/chain.h"

namespace protium {

// The rows that a pipeline learns from, with the columns chain.sources.
struct TrainRows {
  Plan kept;             // Every row, of a table that is evaluated once.
  Plan all;              // Of those, the ones with a label.
  Plan learning;         // Of those, the ones that are not held out.
  std::string held_out;  // The column that says so; empty: none is held out.
};
TrainRows RowsFor(const Chain& chain, const Plan& table);

// Whether a row has all labels; NaN is none. Nothing where every row takes part.
std::optional<Expr> HasLabel(const Chain& chain);

}  // namespace protium
