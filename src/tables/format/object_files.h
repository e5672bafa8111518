// SPDX-License-Identifier: Apache-2.0
// The files of a table at an object store, by their names.
#pragma once

#include <optional>
#include <string>

#include "column/source.h"
#include "protium/sources.h"

namespace protium {

// The kind of a table of files in this format; none for a format that is not read at stores.
std::optional<SourceKind> KindOfFiles(Format format);
// The format of a table's files; `kind` must be one of the above.
Format FormatOfFiles(SourceKind kind);

// A pattern of the objects among which a table's files are: its place, if that is a pattern or the
// name of a file; of a folder, the objects in it, and with partitions all below it.
std::string ObjectPattern(const Source& source);
// Whether the place is a folder, in which those objects count whose ending is one of the format.
bool IsObjectFolder(const Source& source);
// The part of the pattern before its first wildcard, up to a folder.
std::string ObjectRoot(const Source& source);

// "s3://lake/a" as the path /lake/a, which has folders.
std::string PathAtStore(const std::string& place);

}  // namespace protium
