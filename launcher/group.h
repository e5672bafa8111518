// SPDX-License-Identifier: Apache-2.0
// The launcher and everything that it started, which end together: workers must not outlive their
// executor, however either of them ends.
#pragma once

#include <sys/types.h>

namespace protium::launcher {

// Makes this process the leader of a group of its own, and the new parent of orphans among its
// descendants (PR_SET_CHILD_SUBREAPER). Children that end are reaped by the system.
bool LeadGroup();

// In a child: it dies with its parent `leader`, has default signals (but ignores SIGPIPE), reads
// nothing on stdin, and writes stdout where stderr goes. False if the parent is gone already.
bool JoinGroup(pid_t leader);

// Sends SIGKILL to `pid` if it is a member of the group: a number may have been given to another
// process since.
void KillMember(pid_t pid);

// Ends all descendants: SIGTERM, and SIGKILL for those that are left after `patience_ms`. Returns
// within a second, when the last is gone; if some cannot be ended one by one, this process is
// killed with the group.
void EndGroup(int patience_ms);

}  // namespace protium::launcher
