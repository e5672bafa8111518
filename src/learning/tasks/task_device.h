// SPDX-License-Identifier: Apache-2.0
// Chooses what a task computes on from the devices leased to it.
#pragma once

#include <memory>
#include <string>

#include "gang/task.h"
#include "pipeline/torch_task.h"
#include "tasks/tasks.h"
#include "tensor/device.h"

namespace protium {

// Returns the CPU if no device is leased or wanted; else the first of them, or its stand-in. With
// several the others are idle, which rank 0 reports. Faults are those of `rows.open_gpu`.
Result<ComputeDevice> ChooseDevice(TaskContext& context, DeviceUse use, const TaskRows& rows);

// Builds the config's net for `inputs`, or refuses (exit code of usage) what their device cannot
// do: some nets, and bfloat16.
Result<std::unique_ptr<Net>> BuildNetThere(const NetTable& nets, const Choice& net,
                                           const NetInputs& inputs);

}  // namespace protium
