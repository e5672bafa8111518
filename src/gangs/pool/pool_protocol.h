// SPDX-License-Identifier: Apache-2.0
// The messages of the pool: frames (os/link.h) over Unix sockets, with its drivers and zygotes.
//
// driver to pool
//   hello   {version, pid, place, who}   first; `place`: see place.h
//   workers {profile, count}             idle processes of a program (profile.h)
//   claim, adopt, again, grow, give_back seats (seat_claim.h)
//   status, stop, restart {program, arguments}
//                                        of the verbs; restart: run this in the pool's process
// pool to driver
//   welcome {version, pid}               or
//   refused {why}
//   workers {pids, why}                  as many as there are at once, perhaps none. Descriptors:
//                                        for each its channel, its pidfd, its report (Subprocess)
//   order, held                          about seats
//   status {pool}, stopping {pid}, restarted {pid}
//                                        the answers to the verbs; the last from the new program
// pool to zygote
//   fork    {count}
// zygote to pool
//   ready   {builds, files, error}       it has loaded its libraries, or could not
//   workers {pids}                       descriptors as above
#pragma once

#include <cstdint>

namespace protium {

// A driver whose pool speaks another version works without it.
inline constexpr int32_t kPoolVersion = 1;
// Descriptors of a worker in a message.
inline constexpr int32_t kWorkerFds = 3;
// Workers in one message.
inline constexpr int32_t kMostInMessage = 32;

}  // namespace protium
