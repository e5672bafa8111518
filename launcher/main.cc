// SPDX-License-Identifier: Apache-2.0
// The program that Spark's JVM starts on executors in place of Python: `LAUNCHER -m pyspark.daemon
// pyspark.worker` in daemon mode, `LAUNCHER -m pyspark.worker` in simple mode
// (PythonWorkerFactory).
#include <stdio.h>
#include <string.h>

#include "launcher/daemon.h"
#include "os/standard_descriptors.h"

int main(int argc, char** argv) {
  protium::TakeStandardDescriptors();
  if (argc >= 3 && strcmp(argv[1], "-m") == 0) {
    bool is_daemon = argc >= 4 || strstr(argv[2], "daemon") != nullptr;
    return is_daemon ? protium::launcher::RunDaemon(argv[0])
                     : protium::launcher::RunSimple(argv[0]);
  }
  fprintf(stderr, "protium-launcher is started by Spark: spark.sql.execution.pyspark.python\n");
  return 2;
}
