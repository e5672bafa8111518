// SPDX-License-Identifier: Apache-2.0
#include "metrics/base64.h"

#include <openssl/evp.h>

#include <limits>

namespace protium {

std::string ToBase64(const std::string& bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), int(bytes.size()));
  out.resize(size_t(length));
  return out;
}

std::optional<std::string> FromBase64(const std::string& text) {
  if (text.size() % 4 != 0 || text.size() > size_t(std::numeric_limits<int>::max())) {
    return std::nullopt;
  }
  std::string out(text.size() / 4 * 3, '\0');
  const int length =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(text.data()), int(text.size()));
  if (length < 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  // EVP_DecodeBlock() includes the zero bytes for padding in its count.
  out.resize(size_t(length) - padding);
  return out;
}

}  // namespace protium
