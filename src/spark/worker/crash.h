// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gang/failure.h"

namespace protium {

// From now on a crash (SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL) writes what it was and a backtrace
// to stderr and to $PYTHON_FAULTHANDLER_DIR/<pid>, whose text Spark tells the client. Nothing is
// left there by a process that does not crash. Once in a process, before other threads.
void TellOfCrashes();

// Whose crash it would be: the text begins as WorkerErrorText() does for this failure, with its
// status replaced by the signal.
void TellOfCrashesAs(const RankFailure& failure);

}  // namespace protium
