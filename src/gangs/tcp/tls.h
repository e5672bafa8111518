// SPDX-License-Identifier: Apache-2.0
// TLS 1.3 (RFC 8446) between ranks that know each other's certificates beforehand, from their
// cards: there is no certificate authority and no chain. Users of this header do not see OpenSSL.
#pragma once

#include <memory>
#include <string>

#include "tcp/connection.h"

namespace protium {

// A key pair with a self-signed certificate, made for this process and never written to disk.
class TlsIdentity {
 public:
  static Result<std::shared_ptr<const TlsIdentity>> Make();
  ~TlsIdentity();
  TlsIdentity(const TlsIdentity&) = delete;

  const std::string& fingerprint() const { return fingerprint_; }  // SHA-256 of the DER, in hex.

  struct Context;
  const Context& context() const { return *context_; }

 private:
  explicit TlsIdentity(std::unique_ptr<Context> context);
  std::unique_ptr<Context> context_;
  std::string fingerprint_;
};

enum class TlsSide { kCaller, kCalled };

// Encrypts a connected, non-blocking socket. Fails unless the other side holds the certificate of
// that fingerprint. `identity` must outlive the handshake only.
Result<std::unique_ptr<TcpConnection>> MakeTlsConnection(UniqueFd socket,
                                                         const TlsIdentity& identity, TlsSide side,
                                                         const std::string& fingerprint,
                                                         const Patience& patience);

}  // namespace protium
