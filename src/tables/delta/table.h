// SPDX-License-Identifier: Apache-2.0
// What the log of a Delta table says about the whole table, and asks of those who write into it
// (Delta Transaction Log Protocol, "Table Features" and "Requirements for Writers").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "protium/sources.h"
#include "sources/lake_file.h"

namespace protium {

struct DeltaTable {
  int64_t version = -1;  // The newest; -1: there is no table yet.
  Json protocol;         // The newest actions of these names, without the name.
  Json metadata;
  bool exists() const { return version >= 0; }
};

// Refuses (kInput) a table that asks writers for what is not kept here, by the feature's name:
// column mapping, identity and generated columns, constraints, row tracking, in-commit timestamps,
// V2 checkpoints, catalogues that commit, and all that are not known. Other modes than kAppend take
// files out of it, which an append-only table forbids; kUpsert also writes rows of theirs again,
// which a feed of changes would have to tell from changed ones. `place` is for the message.
Status CheckWritable(const DeltaTable& table, StoreMode mode, const std::string& place);

// The names of the columns whose values are not in the files.
std::vector<std::string> PartitionsOf(const DeltaTable& table);

}  // namespace protium
