// SPDX-License-Identifier: Apache-2.0
// Checks a task's rows against their declared schema.
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "column/source.h"

namespace protium {

// Returns `batch` with `schema` if it has the schema's columns by name, order and type; casts
// nothing. Its fields may differ in whether nulls are allowed, as long as there are none where
// `schema` forbids them. Otherwise an error (kBug) that begins with `whose`: "task \"score\"
// emitted".
Result<std::shared_ptr<arrow::RecordBatch>> Conform(const arrow::RecordBatch& batch,
                                                    const SchemaPtr& schema,
                                                    const std::string& whose);

// The same for a schema; does not check nulls.
Status ConformSchema(const arrow::Schema& got, const arrow::Schema& wanted,
                     const std::string& whose);

}  // namespace protium
