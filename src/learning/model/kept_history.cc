// SPDX-License-Identifier: Apache-2.0
#include "model/kept_history.h"

#include <arrow/record_batch.h>

#include <utility>

#include "format/file_form.h"
#include "format/file_writer.h"
#include "format/parquet.h"
#include "pipeline/history.h"

namespace protium {

Result<std::filesystem::path> KeepHistory(SessionState& session, const Chain& chain,
                                          const Plan& rows) {
  if (!ReadsHistory(chain)) return std::filesystem::path();
  std::filesystem::path file = std::filesystem::absolute(session.folder() / kHistoryFile);
  // This process writes, since some engines write folders of files.
  PT_LET(const BatchStreamPtr kept,
         session.engine().Execute(RowsToKeep(chain, rows), session.call()));
  PT_LET(const auto writer,
         FileWriter::Make(FileForm{Format::kParquet}, file.string(), kept->schema()));
  while (true) {
    PT_LET(const auto batch, kept->Next());
    if (batch == nullptr) break;
    PT_TRY(writer->Write(*batch));
  }
  PT_TRY(writer->Commit());
  return file;
}

Result<Plan> OpenHistory(const std::filesystem::path& file) {
  PT_LET(ParquetTable table, ReadParquetTable({file.string()}));
  return MakePlan(Scan{.table = "history",
                       .format = Format::kParquet,
                       .paths = {file.string()},
                       .schema = std::move(table.schema),
                       .hashed = std::move(table.hashed)});
}

}  // namespace protium
