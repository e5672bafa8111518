// SPDX-License-Identifier: Apache-2.0
#include "app/gang/here.h"

#include <arrow/type.h>

#include "frame/open.h"
#include "local/workers/workers.h"

namespace protium {

Result<arrow::RecordBatchVector> RunHere(const SessionOptions& options, const MapTask& task) {
  PT_LET(const WorkerSettings settings, SettingsOf(RequestFor(options)));
  PT_LET(const std::unique_ptr<Workers> workers, Workers::Make(settings));
  const auto no_rows = []() -> Result<BatchStreamPtr> {
    return MakeStream(arrow::schema({arrow::field("one", arrow::int64())}), {});
  };
  PT_LET(const BatchStreamPtr stream, workers->Map(task, no_rows, options.call));
  return Collect(*stream);
}

}  // namespace protium
