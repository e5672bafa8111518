// SPDX-License-Identifier: Apache-2.0
// Where an Iceberg table is now: its file of metadata, which never changes.
#pragma once

#include <string>

#include "base/json.h"
#include "duckdb/handles.h"
#include "protium/sources.h"

namespace protium {

// The place of the metadata that a catalogue's answer to RestCatalog::Load() names. Fault: kRemote.
Result<std::string> MetadataFile(const Json& answer, const Source& source);

// Returns where the newest metadata of a catalogue's table lies (IsOfCatalog). Faults are those of
// RestCatalog (iceberg/rest_catalog.h), kInput if there is no such table.
Result<std::string> FindInCatalog(const Source& source);

// Returns the table at its file of metadata, with the snapshot that was asked for. Faults (kInput):
// no table, two newest ones, no such snapshot.
Result<Source> PinIceberg(const duck::Connection& connection, Source source);

}  // namespace protium
