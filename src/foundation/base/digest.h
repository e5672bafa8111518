// SPDX-License-Identifier: Apache-2.0
// Digests, as lower-case hexadecimal text. What is hashed and how is part of formats that outlive a
// release: docs/rows.md (keys, cuts) and docs/model-folder.md (weights).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace protium {

// Hashes a stream of bytes with SHA-256 (FIPS 180-4). One thread.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void Add(std::span<const std::byte> bytes);
  void Add(std::string_view text) { Add(std::as_bytes(std::span(text))); }
  std::string Hex();  // 64 lower-case digits; the stream ends here.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string Sha256Hex(std::string_view bytes);

// 32 lower-case digits (RFC 1321). Good for spreading keys evenly, not for security.
std::string Md5Hex(std::string_view bytes);

}  // namespace protium
