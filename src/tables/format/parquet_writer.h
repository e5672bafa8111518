// SPDX-License-Identifier: Apache-2.0
// Writes Parquet: Snappy, varying fractions as LZ4, row groups of up to 122,880 rows.
#pragma once

#include <memory>

#include "format/file_form.h"
#include "format/file_writer.h"
#include "os/file.h"

namespace protium {

// Refuses types that Parquet does not have. `packing` is ignored.
Result<std::unique_ptr<FileWriter>> WriteParquet(AtomicFile file, const SchemaPtr& schema,
                                                 Packing packing);
// For FileWriter::MakeQuick().
Result<std::unique_ptr<FileWriter>> WriteQuickParquet(AtomicFile file, const SchemaPtr& schema);

}  // namespace protium
