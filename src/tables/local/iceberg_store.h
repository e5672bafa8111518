// SPDX-License-Identifier: Apache-2.0
// Results that go into Iceberg tables, through a catalogue of Iceberg's REST protocol.
#pragma once

#include "column/stream.h"
#include "local/database.h"
#include "plan/node.h"

namespace protium {

// Writes the rows of `stream` into the table that `store` names in a catalogue (IsOfCatalog), in
// one snapshot, and returns their number. The rows and the files that describe them lie beside the
// table first, in a folder here or at an S3 store; then the catalogue is asked to make the snapshot
// the newest. If another writer was faster, that is done again for the table as it is now; if the
// answer is lost, the table says what became of it. The summary of the snapshot names the run and
// the output (MarkOfRows): rows of one that the table has already are not written again. A table
// that does not exist is made. An upsert replaces files (local/iceberg_upsert.h), and does so anew
// if another writer was faster.
//
// Faults: kUsage for a target without a catalogue; kInput for a table that asks for what is not
// kept (iceberg/table.h) or has other columns, before any row is read; kRemote.
Result<int64_t> StoreInIceberg(const DatabaseOptions& options, BatchStream& stream,
                               const Store& store);

// Refuses what StoreInIceberg() would refuse without knowing the rows. Writes nothing.
Status CheckIcebergTarget(const DatabaseOptions& options, const Store& store);

}  // namespace protium
