// SPDX-License-Identifier: Apache-2.0
// Writes Arrow files, the format of Feather 2; columns are compressed by LZ4, Feather's default.
#pragma once

#include <memory>

#include "format/file_form.h"
#include "format/file_writer.h"
#include "os/file.h"

namespace protium {

// `packing` is ignored.
Result<std::unique_ptr<FileWriter>> WriteArrow(AtomicFile file, const SchemaPtr& schema,
                                               Packing packing);

}  // namespace protium
