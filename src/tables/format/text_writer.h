// SPDX-License-Identifier: Apache-2.0
// Tables as text, packed or not. CSV: header, text quoted, nulls empty. JSON lines: every key in
// every line.
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
