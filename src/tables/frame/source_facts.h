// SPDX-License-Identifier: Apache-2.0
// How the facts of a source are found and compared.
#pragma once

#include <string>

#include "frame/source_record.h"

namespace protium {

// The call without its listener, to whom queries about sources would look like steps of the job.
Call Quiet(const Call& call);

// What its kind says of a pinned source; empty: it is not pinned.
std::string PinnedPosition(const Source& source);

// Returns the facts of a source, of which `table` is the plan. A server counts and sums its rows
// itself; if it takes no sums, a note says so.
Result<SourceFacts> ReadSourceFacts(Engine& engine, const Plan& table, const Source& source,
                                    const Call& call);

// Compares the source with earlier facts: columns, then the position, the number of rows, and the
// sum. A difference is a fault of kInput that says what changed. A sum that was taken otherwise is
// not compared, and a note says so.
Status CompareWithSource(Engine& engine, const Plan& table, const Source& source,
                         const SourceFacts& was, const Call& call);

// A fault of kInput: the source is another one than `was`, which `how` explains.
Status SourceChanged(const SourceFacts& was, std::string how);

}  // namespace protium
