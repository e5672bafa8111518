// SPDX-License-Identifier: Apache-2.0
// Loading LibTorch, in workers alone.
#pragma once

#include "gang/task.h"
#include "learn/catalogue.h"

namespace protium {

// Opens libprotium_torch.so, which lies beside this library, with the LibTorch that
// PROTIUM_LIBTORCH names or else the one it was linked with, and returns its tasks. Only workers
// call this: loading takes a fifth of a second. The library stays open. `own` holds the program's
// rows, or null. Fails with Exit::kEnvironment if the library is missing or of another version.
Result<TaskTable> LoadTorchTasks(const Catalogue* own = nullptr);

}  // namespace protium
