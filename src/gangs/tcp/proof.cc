// SPDX-License-Identifier: Apache-2.0
#include "tcp/proof.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <cstring>

#include "base/fault.h"
#include "tcp/mac.h"

// Messages on a connection, with their bytes:
//
//   caller -> called   hello                     56, in the clear
//                      TLS handshake             if both cards say so
//   called -> caller   nonce, MAC "called"       32 + 32
//   caller -> called   MAC "caller"              32
//   called -> caller   "k"                       1
//
// Both MACs cover the hello, both nonces and the TLS exporter's value (RFC 9266 does the same for
// channel binding): neither can be replayed on another connection, nor reflected, since the
// purposes differ.

namespace protium {
namespace {

constexpr std::string_view kMagic = "PROTIUM1";
constexpr size_t kNonceBytes = 32;
constexpr size_t kHelloBytes = 8 + 3 * 4 + 4 + kNonceBytes;

// What both sides sign.
struct Hello {
  int32_t from = -1;
  int32_t to = -1;
  int32_t world = 0;
  Lane lane = Lane::kData;
  bool tls = false;
};

Result<std::string> Nonce() {
  std::string nonce(kNonceBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(nonce.data()), int(nonce.size())) != 1) {
    return Fail({.exit = Exit::kEnvironment, .what = "the system returned no random bytes"});
  }
  return nonce;
}

// An unknown caller: what it sent is reported, never trusted.
Status RefuseCaller(std::string what) {
  return Fail({.exit = Exit::kRemote, .what = std::move(what)});
}

std::string Write(const Hello& hello, const std::string& nonce) {
  std::string text(kMagic);
  for (const int32_t number : {hello.from, hello.to, hello.world}) {
    text.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  text.push_back(char(hello.lane));
  text.push_back(char(hello.tls));
  text.append(2, '\0');
  return text + nonce;
}

Result<Hello> Read(std::string_view text) {
  if (!text.starts_with(kMagic)) return RefuseCaller("it does not speak the gang's protocol");
  int32_t numbers[3];
  std::memcpy(numbers, text.data() + kMagic.size(), sizeof(numbers));
  const char* flags = text.data() + kMagic.size() + sizeof(numbers);
  if (uint8_t(flags[0]) > uint8_t(Lane::kShared))
    return RefuseCaller("it asks for an unknown lane");
  return Hello{numbers[0], numbers[1], numbers[2], Lane(flags[0]), flags[1] != 0};
}

// TLS as the cards say; a Unix socket is never encrypted.
bool Encrypts(const Membership& self, int32_t other, Lane lane) {
  return lane != Lane::kShared && Encrypted(self.own(), self.cards[size_t(other)]);
}

Status Fits(const Hello& hello, const Membership& self) {
  const auto world = int32_t(self.cards.size());
  if (hello.from < 0 || hello.from >= world || hello.from == self.rank || hello.to != self.rank ||
      hello.world != world || hello.tls != Encrypts(self, hello.from, hello.lane)) {
    return RefuseCaller(
        fmt::format("it is rank {} in a world of {} and looks for rank {}, with{} TLS", hello.from,
                    hello.world, hello.to, hello.tls ? "" : "out"));
  }
  return Status::OK();
}

Status OtherKey(const Card& card) {
  return Fail({.exit = Exit::kRemote,
               .what = DescribeRank(card) + " does not know the gang's key",
               .why = "it belongs to another gang, or something else answers at its address"});
}

}  // namespace

Result<std::unique_ptr<TcpConnection>> ProveAsCaller(const Membership& self, int32_t to, Lane lane,
                                                     UniqueFd socket, const Patience& patience) {
  const Card& card = self.cards[size_t(to)];
  const bool tls = Encrypts(self, to, lane);
  PT_LET(auto connection, MakePlainConnection(std::move(socket)));
  PT_LET(const std::string own_nonce, Nonce());
  const std::string hello =
      Write({self.rank, to, int32_t(self.cards.size()), lane, tls}, own_nonce);
  // In the clear even with TLS: the called rank must know who calls to choose the expected
  // certificate.
  PT_TRY(SendAll(*connection, hello, patience));
  if (tls) {
    PT_LET(connection, MakeTlsConnection(connection->TakeSocket(), *self.identity, TlsSide::kCaller,
                                         card.certificate, patience));
  }
  PT_LET(const std::string answer, ReceiveExactly(*connection, kNonceBytes + kMacBytes, patience));
  PT_LET(const std::string binding, connection->Binding());
  const std::string transcript = hello + answer.substr(0, kNonceBytes) + binding;
  if (!SameMac(answer.substr(kNonceBytes), ComputeMac(self.key, "called", transcript))) {
    return OtherKey(card);
  }
  PT_TRY(SendAll(*connection, ComputeMac(self.key, "caller", transcript), patience));
  PT_LET(const std::string accepted, ReceiveExactly(*connection, 1, patience));
  if (accepted != "k") return Status::IOError(DescribeRank(card), " did not accept this rank");
  return connection;
}

Result<Guest> ProveAsCalled(const Membership& self, UniqueFd socket, const Patience& patience,
                            const std::function<bool()>& admit) {
  PT_LET(auto connection, MakePlainConnection(std::move(socket)));
  PT_LET(const std::string text, ReceiveExactly(*connection, kHelloBytes, patience));
  PT_LET(const Hello hello, Read(text));
  PT_TRY(Fits(hello, self));
  const Card& card = self.cards[size_t(hello.from)];
  if (hello.tls) {
    PT_LET(connection, MakeTlsConnection(connection->TakeSocket(), *self.identity, TlsSide::kCalled,
                                         card.certificate, patience));
  }
  PT_LET(const std::string nonce, Nonce());
  PT_LET(const std::string binding, connection->Binding());
  const std::string transcript = text + nonce + binding;
  PT_TRY(SendAll(*connection, nonce + ComputeMac(self.key, "called", transcript), patience));
  auto proof = ReceiveExactly(*connection, kMacBytes, patience);
  // A caller that hangs up here rejected our MAC, which is how another key looks from this side.
  if (!proof.ok() && FaultOf(proof.status()).exit == Exit::kInput) return OtherKey(card);
  PT_TRY(proof.status());
  if (!SameMac(*proof, ComputeMac(self.key, "caller", transcript))) return OtherKey(card);
  // The connection counts from here on, not before, so a stranger cannot take a rank's place.
  if (!admit()) return Status::Cancelled("turned away");
  PT_TRY(SendAll(*connection, "k", patience));
  return Guest{hello.from, hello.lane, std::move(connection)};
}

}  // namespace protium
