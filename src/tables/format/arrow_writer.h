// SPDX-License-Identifier: Apache-2.0
// A file of Arrow's, which is Feather 2; columns are packed by LZ4, as Feather's are by default.
#pragma once

#include <memory>

#include "format/file_form.h"
#include "format/file_writer.h"
#include "os/file.h"

namespace protium {

// `packing` does not apply.
Result<std::unique_ptr<FileWriter>> WriteArrow(AtomicFile file, const SchemaPtr& schema,
                                               Packing packing);

}  // namespace protium
