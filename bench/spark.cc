// SPDX-License-Identifier: Apache-2.0
// bench_spark ADDRESS FOLDER: times what this program does on a Spark server. bench/spark_driver.cc
// describes the requests. As in protium itself, the driver is in a library of its own: executors
// are sent what they would be sent of a user's program, without gRPC.
#include <arrow/api.h>

#include <chrono>
#include <memory>
#include <utility>

#include "app/torch_library.h"
#include "bench/ranks.h"
#include "gang/task.h"
#include "os/library.h"
#include "rows/rows.h"
#include "spark_worker/worker.h"

namespace protium {
namespace {

constexpr int64_t kBudget = int64_t{4} << 30;

Status Same(TaskContext& task) {
  while (true) {
    PT_LET(const auto batch, task.input().Next());
    if (batch == nullptr) return Status::OK();
    PT_TRY(task.Emit(*batch));
  }
}

// Packs all rows, reports when it was done, and returns their number.
Status Pack(TaskContext& task) {
  const SchemaPtr& table = task.input().schema();
  PT_LET(const auto packer,
         Packer::Make(MakeRowSchema({.numeric = table->field_names()}), table, kBudget));
  while (true) {
    PT_LET(const auto batch, task.input().Next());
    if (batch == nullptr) break;
    PT_TRY(packer->Append(*batch));
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  task.Report("packed", now / std::chrono::nanoseconds(1));
  arrow::Int64Builder rows;
  PT_TRY(rows.Append(packer->rows()));
  PT_LET(auto column, rows.Finish());
  return task.Emit(*arrow::RecordBatch::Make(task.output_schema(), 1, {std::move(column)}));
}

// Loads the library as for real scoring; its rows are returned unchanged.
Result<TaskTable> WithTorch() {
  PT_TRY(LoadTorchTasks().status());
  return TaskTable{{"score", Same}};
}

int Drive(int argc, char** argv) {
  const auto entry = OpenBeside("libprotium_bench_spark.so", "protium_bench_spark", "figures",
                                "./dev bench spark");
  if (!entry.ok()) return ExitCode(entry.status());
  return reinterpret_cast<int (*)(int, char**)>(*entry)(argc, argv);
}

}  // namespace
}  // namespace protium

int main(int argc, char** argv) {
  const protium::TaskTable tasks = {{"same", protium::Same}, {"pack", protium::Pack}};
  if (protium::IsSparkWorker()) return protium::SparkWorkerMain(tasks, protium::WithTorch);
  return protium::Drive(argc, argv);
}
