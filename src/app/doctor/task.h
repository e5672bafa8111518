// SPDX-License-Identifier: Apache-2.0
// The task "doctor", which `protium doctor` runs as a gang.
#pragma once

#include "gang/task.h"
#include "learn/catalogue.h"

namespace protium {

// Loads LibTorch, adds up the ranks' numbers with the others and emits one row of DoctorColumns():
// what this rank has, as JSON.
Status DoctorTask(TaskContext& context, const Catalogue* own);
SchemaPtr DoctorColumns();

}  // namespace protium
