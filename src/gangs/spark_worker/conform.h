// SPDX-License-Identifier: Apache-2.0
// Checks a task's rows against the schema that was declared for them.
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "column/source.h"

namespace protium {

// `batch` under `schema` if it has its columns by name, order and type; nothing is cast. Its fields
// may differ in whether nulls are allowed, as long as there are none where `schema` forbids them.
// Otherwise a Fault of exit kBug; `whose` begins it: "task \"score\" emitted".
Result<std::shared_ptr<arrow::RecordBatch>> Conform(const arrow::RecordBatch& batch,
                                                    const SchemaPtr& schema,
                                                    const std::string& whose);

// The same for a schema, without a look at nulls.
Status ConformSchema(const arrow::Schema& got, const arrow::Schema& wanted,
                     const std::string& whose);

}  // namespace protium
