// SPDX-License-Identifier: Apache-2.0
// Where the pool of this user and machine is found, and who may talk with it.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "base/json.h"
#include "os/fd.h"

namespace protium {

// $PROTIUM_POOL, else $XDG_RUNTIME_DIR/protium/pool.sock, else /tmp/protium-<user id>/pool.sock;
// empty if the first is "off".
std::filesystem::path PoolSocket();

// $PROTIUM_POOL_LABEL: whose quota the gangs of this program count against; empty: nobody's.
std::string PoolLabel();

// Whoever holds the pool's place: one of them per socket.
struct PoolListener {
  UniqueFd socket;      // Accepts connections; does not block.
  UniqueFd lock;        // Held as long as the pool lives.
  bool passed = false;  // By systemd, which keeps it for the next pool.
  // The pool before this one ended while programs had something of it, which may run on.
  bool follows = false;
};
// Listens at `socket`, in a folder of this user's alone, which is made. A fault (kUsage) if a pool
// does already. Takes a socket that systemd has opened (LISTEN_FDS) instead if there is one.
Result<PoolListener> ListenAsPool(const std::filesystem::path& socket);

// Notes at the pool's place, for the next one, whether programs have something of this pool.
void NoteServed(const PoolListener& listener, bool served);

// Whether no pool lives there, or is about to end.
bool IsPlaceFree(const std::filesystem::path& socket);

// Connects to a pool of this user's. kInput: there is none. Refuses a folder of another user.
Result<UniqueFd> ConnectToPool(const std::filesystem::path& socket, Deadline deadline);

// The process at the other end; a fault if it is not of this user.
Result<pid_t> PeerOf(int socket);

// What a forked worker would share with the pool but not with its driver unless they are equal:
// the namespaces, groups and root folder of this process, and a cgroup that limits it.
Json PlaceOfProcess();
// What differs, for people ("its network namespace"); empty: nothing.
std::string DifferenceOfPlaces(const Json& pools, const Json& drivers);

}  // namespace protium
