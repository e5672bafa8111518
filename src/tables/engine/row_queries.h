// SPDX-License-Identifier: Apache-2.0
// Steps of plans computed for a few rows at hand, in the calling process and without workers: what
// the embedded engine would do to a table of them, bit for bit.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "column/stream.h"
#include "plan/node.h"

namespace protium {

// Steps that are ready for rows of certain columns. Any thread; calls take turns.
class RowQuery {
 public:
  virtual ~RowQuery() = default;
  virtual const SchemaPtr& schema() const = 0;  // Of what Apply() gives.
  // One row for each of `rows`, in their order.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Apply(
      const arrow::RecordBatch& rows) const = 0;
};

// Where they are made ready. Any thread.
class RowQueries {
 public:
  virtual ~RowQueries() = default;
  // `steps` follow each other; each has one input and gives a row for each row. What in them is
  // wrong is a fault as Engine::Analyze() gives it. The query may outlive this object.
  virtual Result<std::shared_ptr<const RowQuery>> Prepare(const std::vector<Verb>& steps,
                                                          const SchemaPtr& columns) = 0;
};

// The library of the embedded engine has this entry, too, as protium_open_rows: see EngineEntry.
using RowQueriesEntry = bool (*)(int32_t version, Result<std::unique_ptr<RowQueries>>& queries);

}  // namespace protium
