// SPDX-License-Identifier: Apache-2.0
#include "model/kept_history.h"

#include <utility>

#include "format/file_form.h"
#include "format/parquet.h"
#include "frame/table_writer.h"
#include "pipeline/history.h"

namespace protium {

Result<std::filesystem::path> KeepHistory(SessionState& session, const Chain& chain,
                                          const Plan& rows) {
  if (!ReadsHistory(chain)) return std::filesystem::path();
  std::filesystem::path file = std::filesystem::absolute(session.folder() / kHistoryFile);
  PT_LET(const FileForm form, FormToWrite(Format::kParquet, file.string()));
  PT_TRY(WriteFrame(session, RowsToKeep(chain, rows), form, file.string(), {}).status());
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
