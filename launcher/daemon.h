// SPDX-License-Identifier: Apache-2.0
// The two ways in which Spark's JVM starts Python workers (spark.python.use.daemon), as PySpark's
// daemon.py and worker.py serve them.
#pragma once

namespace protium::launcher {

// Starts a worker for every connection that the JVM makes to the port or socket file that is
// announced on stdout; nothing else may be written there. The JVM writes the ids of processes to
// kill on stdin. The end of stdin means that the executor has ended; everything that was started
// then ends. Returns the exit code.
int RunDaemon(const char* own_name);

// Connects to the JVM and supervises one worker, which ends with the JVM. Returns the exit code.
int RunSimple(const char* own_name);

}  // namespace protium::launcher
