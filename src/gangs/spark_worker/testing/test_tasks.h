// SPDX-License-Identifier: Apache-2.0
// Tasks for tests of the spark folders, and rows for them.
#pragma once

#include <arrow/api.h>

#include <memory>
#include <string>
#include <vector>

#include "gang/task.h"

namespace protium {

// One column "n" of int64, one column "s" of text. A batch has the numbers from `first` on, with a
// null in each column.
SchemaPtr RowSchema();
std::shared_ptr<arrow::RecordBatch> RowBatch(int64_t first, int64_t count);
// One column "text".
SchemaPtr TextSchema();
std::shared_ptr<arrow::RecordBatch> TextBatch(const std::string& text);
std::vector<std::string> Texts(const arrow::RecordBatchVector& batches);

// What the workers of these tests can run. tests/main.cc finds this function by its name when the
// test program is started as a worker.
//   same      emits its rows
//   first     reads one batch and emits it
//   nothing   reads nothing and emits nothing
//   facts     emits a JSON object of what its context says
//   fail      reads a batch, emits it, and fails with the error in its config
//   throw     throws
//   crash     ends with the signal whose number is its config
//   other     emits rows of a schema other than the declared one
//   report    reports its config as event, twice
//   wait      reports {"event": "waiting"}, waits to be stopped
//   gather    emits what AllGather() of its config returns
//   count     counts its rows
//   bend      counts steps (gang/bend_task.h)
const TaskTable& TestTasks();

}  // namespace protium
