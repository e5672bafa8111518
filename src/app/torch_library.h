// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gang/task.h"
#include "learn/catalogue.h"

namespace protium {

// Opens libprotium_torch.so, which lies beside this library, and gives its tasks. Only workers do:
// it takes a fifth of a second. The library stays open.
// `own` are the rows of the program, or null.
Result<TaskTable> LoadTorchTasks(const Catalogue* own = nullptr);

}  // namespace protium
