// SPDX-License-Identifier: Apache-2.0
// Where a task runs, and what Spark assigned to it there.
#pragma once

#include <vector>

#include "gang/failure.h"
#include "spark_worker/command.h"
#include "spark_worker/task_init.h"

namespace protium {

// Returns the devices that Spark assigned to the task, by resource.
std::vector<Device> ListDevices(const TaskInit& init);

// Returns rank, world, host, devices and log, for all reports about the task; leaves status and
// time unset.
RankFailure DescribeTask(const TaskInit& init, const SparkCommand& command);

// Sets CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER if the task has gpus, OMP_NUM_THREADS and
// MKL_NUM_THREADS from its cpus, and TMPDIR to one of the executor's SPARK_LOCAL_DIRS, if it has
// any. Must come before LibTorch is loaded, which reads them once.
void SetEnvironment(const TaskInit& init);

// Sends stdout and stderr of this process to the end of <folder>/rank-NNN.log from now on, and
// writes that path to the executor's stderr.
Status RedirectLog(const std::string& folder, int32_t rank);

}  // namespace protium
