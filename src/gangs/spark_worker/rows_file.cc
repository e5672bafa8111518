// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/rows_file.h"

#include <arrow/io/file.h>

#include "spark_worker/conform.h"

namespace protium {

Status RowsFileWriter::Emit(const arrow::RecordBatch& batch) {
  PT_LET(const auto rows, Conform(batch, schema_, "task \"" + task_ + "\" emitted"));
  if (writer_ == nullptr) {
    PT_LET(file_, arrow::io::FileOutputStream::Open(path_.string()));
    PT_LET(writer_, arrow::ipc::MakeStreamWriter(file_, schema_));
  }
  return writer_->WriteRecordBatch(*rows);
}

Status RowsFileWriter::Close() {
  if (writer_ == nullptr) return Status::OK();
  PT_TRY(writer_->Close());
  return file_->Close();
}

}  // namespace protium
