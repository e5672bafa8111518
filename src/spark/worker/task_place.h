// SPDX-License-Identifier: Apache-2.0
// Where a task runs and what it was given there.
#pragma once

#include <vector>

#include "gang/failure.h"
#include "spark/ship/command.h"
#include "spark/worker/task_init.h"

namespace protium {

// The devices that Spark gave to the task, by resource.
std::vector<Device> DevicesOf(const TaskInit& init);

// Rank, world, host and devices for whatever is said of the task; status and time are left open.
RankFailure PlaceOf(const TaskInit& init, const SparkCommand& command);

// Before anything looks at them: CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER when there are gpus,
// OMP_NUM_THREADS and MKL_NUM_THREADS from the task's cpus.
void SetEnvironment(const TaskInit& init);

// Sends stdout and stderr of this process to the end of <folder>/rank-NNN.log, and says so on the
// executor's stderr before.
Status RedirectLog(const std::string& folder, int32_t rank);
std::string LogFile(const std::string& folder, int32_t rank);

}  // namespace protium
