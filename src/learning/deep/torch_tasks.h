// SPDX-License-Identifier: Apache-2.0
// What this library adds to a worker: LibTorch nets and losses beside our own, and devices. Its
// only entry point for workers is protium_torch_tasks() (pipeline/torch_library.h), found with
// dlsym.
#pragma once

#include "tasks/tasks.h"

namespace protium {

// The nets of catalogue/built_in_nets.h and the built-in losses.
TaskRows TorchRows();

}  // namespace protium
