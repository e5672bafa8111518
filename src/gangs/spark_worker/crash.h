// SPDX-License-Identifier: Apache-2.0
// The final report of a worker that crashes. Spark itself would only say that its worker exited
// unexpectedly.
#pragma once

#include "gang/failure.h"

namespace protium {

// From now on a crash (SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL) writes the failure and a backtrace
// to stderr and to $PYTHON_FAULTHANDLER_DIR/<pid>, the file that Spark adds to its own message if
// its fault handler is on. A process that does not crash leaves no file. Call once, before other
// threads exist.
void ReportCrashes();

// Sets whose crash it would be from now on: the text is WorkerErrorText() of this failure, with the
// signal as its status. Call between tasks.
void ReportCrashesAs(const RankFailure& failure);

}  // namespace protium
