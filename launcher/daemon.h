// SPDX-License-Identifier: Apache-2.0
// The two ways in which Spark's JVM starts workers (spark.python.use.daemon).
#pragma once

namespace protium::launcher {

// Starts a worker for every connection that the JVM makes to the port, or the socket file, that is
// told on stdout as the only bytes there. The JVM names a process to kill on stdin; its end there
// is the end of the executor, and with it of everything that was started. The exit code.
int RunDaemon(const char* own_name);

// Connects to the JVM and stays as the keeper of one worker, which ends with the JVM.
int RunSimple(const char* own_name);

}  // namespace protium::launcher
