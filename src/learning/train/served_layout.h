// SPDX-License-Identifier: Apache-2.0
// What lies in the file of a server (collective/window_files.h), so that a process that takes its
// rank has all of it: the weights of its net, from which workers copy rows; what the optimiser
// knows of them; and the journal of a step. Follows from the rows, the net and the options.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "protium/choice.h"
#include "rows/rows.h"
#include "tensor/net.h"

namespace protium {

// The most rows of a step in the own shards, or in any one.
int64_t MostStepRows(const ShardedRows& rows, int64_t batch_size);

// In this order, without gaps.
struct ServedLayout {
  int64_t weights = 0;  // Floats: Weights::SizeOf().
  int64_t state = 0;    // Floats of each state of the optimiser,
  int64_t states = 0;   // and how many there are.
  int64_t journal = 0;  // Bytes.

  int64_t floats() const { return weights + states * state; }
  int64_t bytes() const { return floats() * int64_t(sizeof(float)) + journal; }
  // `net`: of a server. `rows`: of any rank.
  static Result<ServedLayout> Of(const Net& net, const Choice& optimizer, const ShardedRows& rows,
                                 int64_t batch_size);
};

// Where the tables of a net (Variable::table) begin among its weights, in floats.
std::vector<int64_t> TableOffsets(const Net& net);

}  // namespace protium
