// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "column/source.h"

namespace protium {

// `batch` under `schema` when it has its columns, by name, order and type; nothing is cast. Columns
// may say otherwise than the schema whether nulls are allowed, as long as none is where none may
// be. `whose` begins the error: "task \"score\" emitted".
Result<std::shared_ptr<arrow::RecordBatch>> Conform(const arrow::RecordBatch& batch,
                                                    const SchemaPtr& schema,
                                                    const std::string& whose);

// The same for the schema alone.
Status ConformSchema(const arrow::Schema& got, const arrow::Schema& wanted,
                     const std::string& whose);

}  // namespace protium
