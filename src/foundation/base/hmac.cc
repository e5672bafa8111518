// SPDX-License-Identifier: Apache-2.0
#include "base/hmac.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/status.h"

namespace protium {

std::string HmacSha256(std::string_view key, std::string_view text) {
  std::string mac(32, '\0');
  unsigned int size = 0;
  PT_CHECK(HMAC(EVP_sha256(), key.data(), int(key.size()),
                reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                reinterpret_cast<unsigned char*>(mac.data()), &size) != nullptr);
  return mac;
}

}  // namespace protium
