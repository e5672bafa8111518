// SPDX-License-Identifier: Apache-2.0
// What a task computes on, chosen from what it was leased.
#pragma once

#include <memory>
#include <string>

#include "gang/task.h"
#include "pipeline/torch_task.h"
#include "tasks/tasks.h"
#include "tensor/device.h"

namespace protium {

// The CPU itself where no device is leased or wanted; else the first of them, or what stands in for
// it. Of several the others idle, which rank 0 says. Faults are those of `rows.open_gpu`.
Result<ComputeDevice> ChooseDevice(TaskContext& context, DeviceUse use, const TaskRows& rows);

// Builds the config's net for `inputs`, or refuses (exit code of usage) what cannot be done on
// their device: some nets, and bfloat16.
Result<std::unique_ptr<Net>> BuildNetThere(const NetTable& nets, const Choice& net,
                                           const NetInputs& inputs);

}  // namespace protium
