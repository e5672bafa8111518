// SPDX-License-Identifier: Apache-2.0
// Loading LibTorch: in workers, and by the verb that exports nets.
#pragma once

#include "catalogue/catalogue.h"
#include "gang/task.h"
#include "pipeline/net_outputs.h"
#include "pipeline/script_file.h"

namespace protium {

// Opens libprotium_torch.so, beside this library, with the LibTorch named by PROTIUM_LIBTORCH or
// else the one it was linked with, and returns its tasks. Only workers call this: loading takes a
// fifth of a second. The library stays open. `own` holds the program's rows, or null. Fails with
// Exit::kEnvironment if the library is missing or of another version.
Result<TaskTable> LoadTorchTasks(const Catalogue* own = nullptr);

// Writes a model's net as TorchScript; opens the library in this process, as above.
Result<ScriptFileReport> WriteTorchScript(const ScriptFileOptions& options);

// Computes outputs of a net with LibTorch in this process, as above.
Result<std::vector<float>> NetOutputs(const NetOutputsOptions& options);

}  // namespace protium
