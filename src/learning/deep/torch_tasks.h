// SPDX-License-Identifier: Apache-2.0
// What this library brings to a worker: nets and losses of LibTorch beside those of the house, and
// devices. Its one entry point for the driver's program is protium_torch_tasks()
// (pipeline/torch_library.h), found with dlsym.
#pragma once

#include "tasks/tasks.h"

namespace protium {

// The nets of catalogue/built_in_nets.h and the built-in losses.
TaskRows TorchRows();

}  // namespace protium
