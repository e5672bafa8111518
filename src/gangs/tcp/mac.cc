// SPDX-License-Identifier: Apache-2.0
#include "tcp/mac.h"

#include <openssl/crypto.h>

#include "base/hmac.h"

namespace protium {

std::string ComputeMac(const std::string& key, std::string_view purpose, std::string_view text) {
  return HmacSha256(key, std::string(purpose) + std::string(text));
}

bool SameMac(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace protium
