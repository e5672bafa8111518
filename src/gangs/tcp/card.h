// SPDX-License-Identifier: Apache-2.0
// What a rank sends to the others before they can connect.
//
// Format, version 2: one JSON object {"protium": 2, "rank", "world", "host", "machine",
// "addresses": ["10.0.0.5:40123", "[fe80::1]:40124"], "unix": path or "", "certificate": 64 hex
// digits, "plaintext", "always_encrypt", "shared_memory": booleans, "mac": 64 hex digits}. "mac" is
// HMAC-SHA256(key, "card" + the object without it, keys in order, no spaces): whoever relays cards
// cannot change which rank is called, which certificate it expects or whether it encrypts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

struct Card {
  int32_t rank = 0;
  int32_t world = 1;
  std::string host;
  std::string machine;                 // Equal on ranks that share kernel and network.
  std::vector<std::string> addresses;  // With ports, loopback first.
  std::string unix_path;               // Empty: none.
  std::string certificate;             // SHA-256 of its DER form, in hex.
  bool plaintext = false;
  bool always_encrypt = false;
  bool shared_memory = true;
};

std::string WriteCard(const Card& card, const std::string& key);
// Checks the form only, not whether the card was made with a key. Refuses anything but a card.
Result<Card> ReadCard(std::string_view text);
// Reads all and checks that cards[r] is rank r's in a world of cards.size(), made with this key.
Result<std::vector<Card>> ReadCards(const std::vector<std::string>& texts, const std::string& key);

// Whether the two share a kernel and a network. False if a host cannot determine its identity.
bool OnOneHost(const Card& a, const Card& b);
// Whether the two use TLS: if either insists, or between hosts unless both chose plaintext.
bool Encrypted(const Card& a, const Card& b);
// "rank 2 on host-b".
std::string DescribeRank(const Card& card);

// Returns the numeric addresses of this host's interfaces that are up: loopback first, without
// link-local ones.
std::vector<std::string> OwnAddresses();
// Returns what ranks that share a kernel and a network have in common, and no others: boot id,
// network namespace and addresses. Virtual machines resumed from one snapshot share the first two,
// but not their addresses. Empty if /proc does not provide it.
std::string MachineIdentity(std::vector<std::string> addresses = OwnAddresses());

}  // namespace protium
