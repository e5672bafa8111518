// SPDX-License-Identifier: Apache-2.0
// The tasks of `protium doctor`: "doctor", run as a gang, and "reach", run on every executor.
#pragma once

#include "catalogue/catalogue.h"
#include "gang/task.h"

namespace protium {

// Loads LibTorch, adds up the ranks' numbers with the others and emits one row of DoctorColumns():
// what this rank has, as JSON.
Status DoctorTask(TaskContext& context, const Catalogue* own);
SchemaPtr DoctorColumns();

// Emits one row of DoctorColumns(): the host, and which of its executors this is. Holds its seat
// for a moment, so that concurrent tasks go to other executors.
Status ReachTask(TaskContext& context);

}  // namespace protium
