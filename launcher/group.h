// SPDX-License-Identifier: Apache-2.0
// Makes the launcher and everything that it started end together: workers must not outlive their
// executor, however either of them ends.
#pragma once

#include <sys/types.h>

namespace protium::launcher {

// Makes this process the leader of its own group, and the new parent of orphans among its
// descendants (PR_SET_CHILD_SUBREAPER). The system reaps children that end.
bool LeadGroup();

// Called in a child: it will die with its parent `leader`, has default signals (but ignores
// SIGPIPE), reads nothing from stdin, and writes stdout to stderr. False if the parent has ended
// already.
bool JoinGroup(pid_t leader);

// Sends SIGKILL to `pid` if it is a member of the group: another process may have been given the
// number since.
void KillMember(pid_t pid);

// Ends all descendants: SIGTERM, then SIGKILL for those that are left after `patience_ms`. Returns
// within a second, as soon as the last has ended; if some cannot be ended one by one, kills this
// process with its group.
void EndGroup(int patience_ms);

}  // namespace protium::launcher
