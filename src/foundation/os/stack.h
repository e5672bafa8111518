// SPDX-License-Identifier: Apache-2.0
// Where a thread of this process is, for a person who wonders why it takes so long.
#pragma once

#include <sys/types.h>

namespace protium {

// To be called once, before other threads exist: from now on a signal (SIGRTMAX - 2) makes the
// thread that it is sent to note its stack, and go on.
void PrepareStacks();

// Writes the innermost frames of the thread to stderr, a line for each. A thread that does not
// answer within half a second waits in the kernel, which is written instead. One caller at a time.
void WriteStack(pid_t thread);

}  // namespace protium
