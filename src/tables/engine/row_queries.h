// SPDX-License-Identifier: Apache-2.0
// Steps of plans computed for a few given rows, in the calling process and without workers: bit for
// bit what the embedded engine would do to a table of them.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "column/stream.h"
#include "plan/node.h"

namespace protium {

// Steps prepared for rows of certain columns. Any thread; calls take turns.
class RowQuery {
 public:
  virtual ~RowQuery() = default;
  virtual const SchemaPtr& schema() const = 0;  // The columns that Apply() returns.
  // Returns one row for each of `rows`, in their order.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Apply(
      const arrow::RecordBatch& rows) const = 0;
};

// Prepares them. Any thread.
class RowQueries {
 public:
  virtual ~RowQueries() = default;
  // `steps` follow each other; each has one input and returns one row per row. Errors in them are
  // the faults of Engine::Analyze(). The query may outlive this object.
  virtual Result<std::shared_ptr<const RowQuery>> Prepare(const std::vector<Verb>& steps,
                                                          const SchemaPtr& columns) = 0;
};

// The embedded engine's library also has this entry, as protium_open_rows: see EngineEntry.
using RowQueriesEntry = bool (*)(int32_t version, Result<std::unique_ptr<RowQueries>>& queries);

}  // namespace protium
