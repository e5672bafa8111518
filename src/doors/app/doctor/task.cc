// SPDX-License-Identifier: Apache-2.0
#include "app/doctor/task.h"

#include <arrow/api.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "app/torch_library.h"
#include "base/fault.h"
#include "collective/communicator.h"
#include "os/machine.h"

namespace protium {

SchemaPtr DoctorColumns() { return arrow::schema({arrow::field("json", arrow::utf8())}); }

namespace {

Status ReadAll(BatchStream& rows) {
  while (true) {
    PT_LET(const auto batch, rows.Next());
    if (!batch) return Status::OK();
  }
}

Status EmitFound(TaskContext& context, const Json& found) { return EmitJson(context, found); }

// Distinguishes an executor from the others on its host: Kubernetes and YARN name theirs,
// standalone ones have folders of their own.
std::string ExecutorHere() {
  for (const char* name : {"SPARK_EXECUTOR_ID", "CONTAINER_ID", "SPARK_EXECUTOR_DIRS"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != 0) return value;
  }
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

}  // namespace

Status ReachTask(TaskContext& context) {
  constexpr auto kHeld = std::chrono::milliseconds(500);
  const auto until = std::chrono::steady_clock::now() + kHeld;
  PT_TRY(ReadAll(context.input()));
  PT_TRY(EmitFound(context, {{"host", context.host()}, {"executor", ExecutorHere()}}));
  std::this_thread::sleep_until(until);
  return Status::OK();
}

Status DoctorTask(TaskContext& context, const Catalogue* own) {
  PT_TRY(ReadAll(context.input()));
  // A rank without LibTorch still takes part, so that the others do not wait for it until the
  // deadline.
  const Status torch = LoadTorchTasks(own).status();
  PT_LET(Communicator* const communicator, CommunicatorOf(context));
  int64_t sum = context.rank() + 1;
  PT_TRY(communicator->AllReduce(AsBuffer(std::span<int64_t>(&sum, 1)), Op::kSum));
  const Machine machine = ReadMachine();
  const Json found = {{"rank", context.rank()},
                      {"host", context.host()},
                      {"cores", machine.cores},
                      {"memory_bytes", machine.memory_bytes},
                      {"sum", sum},
                      {"torch", StatusToJson(torch)}};
  return EmitFound(context, found);
}

}  // namespace protium
