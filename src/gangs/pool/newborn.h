// SPDX-License-Identifier: Apache-2.0
// What a forked worker becomes: the first message on its channel, from its driver, gives it what a
// child would inherit. It goes from process to process, not through the pool, and leaves no trace:
// an environment may hold secrets.
//
//   become {umask, nice, cores, limits}   Raw: the environment, each NAME=value ended by a zero
//                                         byte. Descriptors: its log (stdout and stderr), its
//                                         working folder
#pragma once

#include <filesystem>

#include "os/link.h"
#include "pool/profile.h"

namespace protium {

// Makes the process at the other end like a child of this one, with `more` on top of the
// environment. Its log is appended to the file; empty: to the own stderr.
Status SendBecome(Link& worker, const EnvironmentList& more, const std::filesystem::path& log);

// In a forked worker: waits for that message and becomes what it says. An IOError if the driver is
// gone.
Status Become(Link& driver);

}  // namespace protium
