// SPDX-License-Identifier: Apache-2.0
#include "app/gang/here.h"

#include <arrow/type.h>

#include "engine/kind.h"
#include "frame/open.h"
#include "workers/workers.h"

namespace protium {

Result<arrow::RecordBatchVector> RunHere(const SessionOptions& options, const MapTask& task,
                                         std::function<Result<BatchStreamPtr>()> input,
                                         const Call& call) {
  SessionOptions own;
  own.engine = KindOf(options.engine).runs_here ? options.engine : "local";
  own.folder = options.folder;
  own.discovery = options.discovery;
  PT_LET(const WorkerSettings settings, SettingsOf(RequestFor(own)));
  PT_LET(const std::unique_ptr<Workers> workers, Workers::Make(settings));
  const auto no_rows = []() -> Result<BatchStreamPtr> {
    return MakeStream(arrow::schema({arrow::field("one", arrow::int64())}), {});
  };
  if (!input) input = no_rows;
  PT_LET(const BatchStreamPtr stream, workers->Map(task, input, call));
  return Collect(*stream);
}

}  // namespace protium
