// SPDX-License-Identifier: Apache-2.0
// The two ways in which Spark's JVM starts Python workers (spark.python.use.daemon), as PySpark's
// daemon.py and worker.py serve them.
#pragma once

namespace protium::launcher {

// Starts a worker for every connection that the JVM makes to the port, or the socket file, that is
// announced on stdout; nothing else may be written there. The JVM writes the number of a process to
// kill on stdin. The end of stdin is the end of the executor, and then of everything that was
// started. Returns the exit code.
int RunDaemon(const char* own_name);

// Connects to the JVM and stays as the keeper of one worker, which ends with the JVM. Returns the
// exit code.
int RunSimple(const char* own_name);

}  // namespace protium::launcher
