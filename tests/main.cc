// SPDX-License-Identifier: Apache-2.0
// The main of every test program. Tests that start workers start this program again, so it looks
// for a worker's role before anything else.
#include <gtest/gtest.h>

#include <cstdlib>

#include "spark_worker/worker.h"
#include "workers/workers.h"

namespace protium {

// What the workers of a test program can do; defined by the programs that start workers.
[[gnu::weak]] const TaskTable& TestTasks();

}  // namespace protium

int main(int argc, char** argv) {
  // A test finds nothing of another one, or of the user's; those of the store and the pool name
  // their own.
  ::setenv("PROTIUM_STORE", "off", 0);
  ::setenv("PROTIUM_POOL", "off", 0);
  if (protium::IsWorker() && protium::TestTasks != nullptr) {
    return protium::WorkerMain(protium::TestTasks(), {});
  }
  if (protium::IsSparkWorker() && protium::TestTasks != nullptr) {
    return protium::SparkWorkerMain(protium::TestTasks(), {});
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
