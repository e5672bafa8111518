// SPDX-License-Identifier: Apache-2.0
// Uses OpenSSL's EVP interface, which picks the best instructions of the machine.
#include "base/digest.h"

#include <openssl/evp.h>

#include <array>

#include "base/status.h"
#include "base/text.h"

namespace protium {

namespace {

std::string ToHex(std::span<const unsigned char> bytes) {
  return Hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

// If a context cannot be made or set up, the installation is broken: PT_CHECK ends the process.
struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  PT_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::Add(std::span<const std::byte> bytes) {
  PT_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::Hex() {
  std::array<unsigned char, 32> digest{};
  unsigned int size = 0;
  PT_CHECK(EVP_DigestFinal_ex(state_->context, digest.data(), &size) == 1);
  return ToHex(digest);
}

std::string Sha256Hex(std::string_view bytes) {
  Sha256 sha;
  sha.Add(bytes);
  return sha.Hex();
}

std::string Md5Hex(std::string_view bytes) {
  std::array<unsigned char, 16> digest{};
  unsigned int size = 0;
  PT_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_md5(), nullptr) == 1);
  return ToHex(digest);
}

}  // namespace protium
