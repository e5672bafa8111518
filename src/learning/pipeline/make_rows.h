// SPDX-License-Identifier: Apache-2.0
// The table that fitting reads: evaluated once, kept and counted before anything is learned from
// it.
#pragma once

#include "frame/session_state.h"
#include "pipeline/chain.h"
#include "pipeline/train_rows.h"

namespace protium {

// Evaluates the table and keeps it, so that everything after this reads it without running the SQL
// again. Reports and records how many rows have no label; refuses (Exit::kInput) a table without
// rows to learn from. Returns the number of rows.
Result<int64_t> MakeRows(Session& session, const Chain& chain, const TrainRows& rows);

// Reports and records that the table of `rows` is made, with the time since `since`. Refuses
// (Exit::kInput) a `count` (the number of rows to learn from) of 0. Calls SessionState::Made().
Status ReportMade(Session& session, const Plan& rows, int64_t count, Clock::time_point since);

// How much memory packed rows may take, in bytes. Default: a quarter of what machine and cgroup
// allow; the engine has half.
int64_t RowsMemory(const SessionOptions& options);

// {"row_bytes", "rows_in_memory"}: the size of a packed row as docs/rows.md lays it out, and how
// many fit into that memory; {} until stages have learned which columns they make.
Json DescribePacked(const SessionOptions& options, const PlacedEstimator& estimator);

// Where packed rows beyond that go: the folder of the engine's own spill files if workers run on
// this machine; otherwise empty, and each worker has its own.
std::string RowsScratch(SessionState& session);

}  // namespace protium
