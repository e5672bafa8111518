// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "learn/chain.h"

namespace protium {

// The rows that a pipeline learns from, with the columns chain.sources.
struct TrainRows {
  Plan all;              // Of a table that is evaluated once.
  Plan learning;         // Of those, the ones that are not held out.
  std::string held_out;  // The column that says so; empty: none is held out.
};
TrainRows RowsFor(const Chain& chain, const Plan& table);

}  // namespace protium
