// SPDX-License-Identifier: Apache-2.0
// How two ranks prove to each other that they belong to the gang, before anything else is believed.
//
// 1. The caller says hello: "PROTIUM1", rank, rank called, world (uint32, little-endian), lane, TLS
//    (bytes), two zero bytes, 32 random bytes: 56 in all.
// 2. TLS starts when both cards say so; each side checks the other's certificate against its card.
// 3. The one called answers with 32 random bytes and HMAC-SHA256(key, "called" + all before + the
//    connection's binding); the caller with HMAC-SHA256(key, "caller" + the same); then the one
//    called says "k".
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

// A pair of ranks has one connection of each kind: operations, the service beside them, and, on one
// host, a Unix socket that passes memory.
enum class Lane : uint8_t { kData, kService, kShared };

struct Membership {
  int32_t rank = 0;
  std::string key;
  std::vector<Card> cards;  // By rank.
  std::shared_ptr<const TlsIdentity> identity;

  const Card& own() const { return cards[size_t(rank)]; }
};

// Proves ourselves to rank `to` over a connection that we made to it, and has it prove itself.
Result<std::unique_ptr<TcpConnection>> ProveAsCaller(const Membership& self, int32_t to, Lane lane,
                                                     UniqueFd socket, const Patience& patience);

// A caller that has proven which rank it is.
struct Guest {
  int32_t rank = -1;
  Lane lane = Lane::kData;
  std::unique_ptr<TcpConnection> connection;
};
// The other end of ProveAsCaller(). Asks `admit` once everything is proven and before the caller is
// told so; false turns it away. What a caller sent is mentioned in errors, never believed.
Result<Guest> ProveAsCalled(const Membership& self, UniqueFd socket, const Patience& patience,
                            const std::function<bool()>& admit);

}  // namespace protium
