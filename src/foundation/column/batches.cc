// SPDX-License-Identifier: Apache-2.0
#include "column/batches.h"

#include <arrow/api.h>
#include <arrow/compute/api_vector.h>

namespace protium {

Result<std::shared_ptr<arrow::RecordBatch>> Together(const SchemaPtr& schema,
                                                     const arrow::RecordBatchVector& parts) {
  PT_LET(const auto table, arrow::Table::FromRecordBatches(schema, parts));
  return table->CombineChunksToBatch();
}

Result<std::shared_ptr<arrow::RecordBatch>> RowsAt(const std::shared_ptr<arrow::RecordBatch>& rows,
                                                   const std::vector<int64_t>& numbers) {
  arrow::Int64Builder builder;
  PT_TRY(builder.AppendValues(numbers));
  PT_LET(const auto indices, builder.Finish());
  PT_LET(const arrow::Datum taken, arrow::compute::Take(rows, indices));
  return taken.record_batch();
}

}  // namespace protium
