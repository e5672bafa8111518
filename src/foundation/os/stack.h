// SPDX-License-Identifier: Apache-2.0
// Shows where a thread of this process is, for a person who wonders why it takes so long.
#pragma once

#include <sys/types.h>

namespace protium {

// Call it once, before other threads exist: from now on a signal (SIGRTMAX - 2) makes the thread
// that receives it record its stack and continue.
void PrepareStacks();

// Writes the innermost frames of the thread to stderr, one per line. A thread that does not respond
// within half a second is waiting in the kernel; then says so instead. One caller at a time.
void WriteStack(pid_t thread);

}  // namespace protium
