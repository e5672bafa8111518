// SPDX-License-Identifier: Apache-2.0
// How two ranks prove to each other that they belong to the gang, before anything else is trusted.
//
// 1. The caller says hello: "PROTIUM1", rank, rank called, world (uint32, little-endian), lane, TLS
//    (bytes), two zero bytes, 32 random bytes: 56 in all.
// 2. TLS starts if both cards say so; each side checks the other's certificate against its card.
// 3. The called rank replies with 32 random bytes and HMAC-SHA256(key, "called" + all before + the
//    connection's binding); the caller with HMAC-SHA256(key, "caller" + the same); then the called
//    rank says "k".
// 4. All lengths are fixed, so a stranger can make nobody wait or allocate for more than that.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tcp/card.h"
#include "tcp/connection.h"
#include "tcp/tls.h"

namespace protium {

// The purposes of a pair's connections, one each: operations, the service beside them, and, on one
// host, a Unix socket that passes memory.
enum class Lane : uint8_t { kData, kService, kShared };

struct Membership {
  int32_t rank = 0;
  std::string key;
  std::vector<Card> cards;  // By rank.
  std::shared_ptr<const TlsIdentity> identity;

  const Card& own() const { return cards[size_t(rank)]; }
};

// Proves this rank to rank `to` over `socket`, which was connected to it, and checks its proof.
Result<std::unique_ptr<TcpConnection>> ProveAsCaller(const Membership& self, int32_t to, Lane lane,
                                                     UniqueFd socket, const Patience& patience);

// A caller that has proven which rank it is.
struct Guest {
  int32_t rank = -1;
  Lane lane = Lane::kData;
  std::unique_ptr<TcpConnection> connection;
};
// The other end of ProveAsCaller(). Calls `admit` when everything is proven, before it confirms to
// the caller; false refuses the caller. What a caller sent may appear in errors, but is never
// trusted.
Result<Guest> ProveAsCalled(const Membership& self, UniqueFd socket, const Patience& patience,
                            const std::function<bool()>& admit);

}  // namespace protium
