// SPDX-License-Identifier: Apache-2.0
// Writes tables as text, compressed or not. CSV: header, quoted text, empty nulls. JSON lines:
// every key in every line.
#pragma once

#include <memory>

#include "format/file_form.h"
#include "format/file_writer.h"
#include "os/file.h"

namespace protium {

Result<std::unique_ptr<FileWriter>> WriteCsv(AtomicFile file, const SchemaPtr& schema,
                                             Packing packing);
Result<std::unique_ptr<FileWriter>> WriteJsonLines(AtomicFile file, const SchemaPtr& schema,
                                                   Packing packing);

}  // namespace protium
