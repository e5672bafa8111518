// SPDX-License-Identifier: Apache-2.0
#include "app/doctor/task.h"

#include <arrow/api.h>

#include "app/torch_library.h"
#include "base/fault.h"
#include "collective/communicator.h"
#include "os/machine.h"

namespace protium {

SchemaPtr DoctorColumns() { return arrow::schema({arrow::field("json", arrow::utf8())}); }

Status DoctorTask(TaskContext& context, const Catalogue* own) {
  while (true) {
    PT_LET(const auto batch, context.input().Next());
    if (!batch) break;
  }
  // A rank without LibTorch still takes part, so that the others do not wait for it in vain.
  const Status torch = LoadTorchTasks(own).status();
  PT_LET(Communicator* const communicator, context.communicator());
  int64_t sum = context.rank() + 1;
  PT_TRY(communicator->AllReduce(AsBuffer(std::span<int64_t>(&sum, 1)), Reduce::kSum));
  const Machine machine = ReadMachine();
  const Json found = {{"rank", context.rank()},
                      {"host", context.host()},
                      {"cores", machine.cores},
                      {"memory_bytes", machine.memory_bytes},
                      {"sum", sum},
                      {"torch", StatusToJson(torch)}};
  arrow::StringBuilder builder;
  PT_TRY(builder.Append(Dump(found)));
  PT_LET(const auto column, builder.Finish());
  return context.Emit(*arrow::RecordBatch::Make(DoctorColumns(), 1, {column}));
}

}  // namespace protium
