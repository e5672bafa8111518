// SPDX-License-Identifier: Apache-2.0
// The table behind fitting: evaluated once, kept, and counted, before anything is learned from it.
#pragma once

#include "frame/session_state.h"
#include "pipeline/chain.h"
#include "pipeline/train_rows.h"

namespace protium {

// Evaluates the table and keeps it, so that everything after this reads it without running the SQL
// again. Tells and records how many rows have no label; refuses (Exit::kInput) a table without rows
// to learn from. Returns the number of rows.
Result<int64_t> MakeRows(Session& session, const Chain& chain, const TrainRows& rows);

// Tells and records that the table behind `rows` has been made since `since`. Refuses
// (Exit::kInput) a `count` of 0, the number of rows to learn from.
Status ReportMade(Session& session, const Plan& rows, int64_t count, Clock::time_point since);

// How much memory packed rows may take, in bytes: unless set, a quarter of what machine and cgroup
// allow; the engine has half.
int64_t RowsMemory(const SessionOptions& options);

// {"row_bytes", "rows_in_memory"}: what a packed row takes, as docs/rows.md lays it out, and how
// many fit into that memory; {} while stages have yet to learn which columns they make.
Json DescribePacked(const SessionOptions& options, const PlacedEstimator& estimator);

// Where packed rows beyond that go: the folder of the engine's own spill files, where workers run
// on this machine; empty elsewhere, where each has its own.
std::string RowsScratch(SessionState& session);

}  // namespace protium
