// SPDX-License-Identifier: Apache-2.0
// Which optimizers may learn tables row by row.
#pragma once

#include "protium/choice.h"

namespace protium {

// Whether a step leaves those rows of a table alone that no row of the batch reads, so that it
// takes time by the rows that are read: as sgd does without momentum and weight_decay, and adagrad
// without weight_decay, whose steps over the whole table would have the same bits; rowwise_adagrad
// and lazy_adam by definition. Of `optimizer`, unset options have their defaults.
bool MovesReadRowsOnly(const Choice& optimizer);

// Whether its steps differ from those over the whole table, so that it needs a net that knows which
// rows are read: rowwise_adagrad, lazy_adam.
bool NeedsTables(const Choice& optimizer);

}  // namespace protium
