// SPDX-License-Identifier: Apache-2.0
#include "tcp/mac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/status.h"

namespace protium {

std::string ComputeMac(const std::string& key, std::string_view purpose, std::string_view text) {
  const std::string all = std::string(purpose) + std::string(text);
  std::string mac(kMacBytes, '\0');
  unsigned int bytes = 0;
  PT_CHECK(HMAC(EVP_sha256(), key.data(), int(key.size()),
                reinterpret_cast<const unsigned char*>(all.data()), all.size(),
                reinterpret_cast<unsigned char*>(mac.data()), &bytes) != nullptr);
  return mac;
}

bool SameMac(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace protium
