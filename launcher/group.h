// SPDX-License-Identifier: Apache-2.0
// The launcher and all that it started, which end together.
#pragma once

#include <sys/types.h>

namespace protium::launcher {

// Makes this process the leader of a group of its own, and the parent of orphans among its
// descendants. Children that end are forgotten by the system.
bool LeadGroup();

// In a child: dies with its parent `leader`, has default signals (but ignores SIGPIPE), nothing on
// stdin, and stdout where stderr goes. False when the parent is gone already.
bool JoinGroup(pid_t leader);

// Kills `pid` if it is a member of the group, by SIGKILL.
void KillMember(pid_t pid);

// Ends all descendants: SIGTERM, and SIGKILL to those who are still there after `patience_ms`.
// Returns within a second, when the last is gone; in the end the own process goes with them.
void EndGroup(int patience_ms);

}  // namespace protium::launcher
