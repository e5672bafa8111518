// SPDX-License-Identifier: Apache-2.0
// A checkpoint: all that a log says up to a version in one file of Parquet, from which readers
// begin (Delta Transaction Log Protocol, "Checkpoints", classic naming).
#pragma once

#include <cstdint>
#include <string>

#include "delta/table.h"

namespace protium {

// After so many versions one is due: 10 unless delta.checkpointInterval says otherwise; 0 or less:
// never.
int64_t CheckpointInterval(const DeltaTable& table);

// Whether one is due at the table's version.
bool IsCheckpointDue(const DeltaTable& table);

// The columns, one for each kind of action: a structure of DuckDB's json_transform().
std::string CheckpointStructure();

// How long files stay named after they were taken out of the table, in milliseconds; -1: always,
// since the table has a rule of its own.
int64_t MillisToKeepRemoved(const DeltaTable& table);

// "00000000000000000010.checkpoint.parquet"
std::string CheckpointName(int64_t version);

// The name of the file that says which checkpoint is the newest.
inline constexpr const char* kLastCheckpoint = "_last_checkpoint";

}  // namespace protium
