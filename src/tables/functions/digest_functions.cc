// SPDX-License-Identifier: Apache-2.0
// Digests of bytes, and bytes as text.
#include <fmt/format.h>
#include <openssl/evp.h>

#include <memory>

#include "base/crc32.h"
#include "base/murmur.h"
#include "base/text.h"
#include "functions/row_function.h"
#include "functions/themes.h"
#include "java/base64.h"
#include "java/charsets.h"

namespace protium {
namespace {

// SHA-2 (FIPS 180-4) of 224, 256, 384 or 512 bits, as hex; 0 means 256. Any other width returns
// null, as in Spark.
std::optional<std::string> Sha2(Chunk& chunk, Bytes bytes, int32_t bits) {
  const EVP_MD* const kind = bits == 224                ? EVP_sha224()
                             : bits == 256 || bits == 0 ? EVP_sha256()
                             : bits == 384              ? EVP_sha384()
                             : bits == 512              ? EVP_sha512()
                                                        : nullptr;
  if (kind == nullptr) return std::nullopt;
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(bytes.data.data(), bytes.data.size(), digest, &size, kind, nullptr) != 1) {
    chunk.error = "the digest of sha2 could not be computed";
    return std::nullopt;
  }
  return Hex({reinterpret_cast<const char*>(digest), size});
}

std::optional<int64_t> CrcOf(Chunk&, Bytes bytes) { return Crc32(bytes.data); }

std::optional<std::string> Base64(Chunk&, Bytes bytes) {
  return WriteBase64(bytes.data, /*lines=*/true);
}

std::optional<Blob> Base64Bytes(Chunk&, Text text) {
  auto bytes = ReadBase64(text);
  return bytes ? std::optional(Blob{std::move(*bytes)}) : std::nullopt;
}

// Checks that it is one of the character sets that Spark accepts.
bool CheckCharset(Chunk& chunk, Text charset) {
  if (IsCharset(charset)) return true;
  chunk.error = fmt::format(
      "there is no character set '{}'; Spark has UTF-8, US-ASCII, ISO-8859-1, UTF-16, UTF-16BE, "
      "UTF-16LE and UTF-32",
      charset.substr(0, 40));
  return false;
}

std::optional<std::string> Decode(Chunk& chunk, Bytes bytes, Text charset) {
  if (!CheckCharset(chunk, charset)) return std::nullopt;
  auto text = DecodeAs(charset, bytes.data);
  if (!text) chunk.error = fmt::format("the bytes are not {}", charset);
  return text;
}

std::optional<Blob> Encode(Chunk& chunk, Text text, Text charset) {
  if (!CheckCharset(chunk, charset)) return std::nullopt;
  auto bytes = EncodeAs(charset, text);
  if (bytes) return Blob{std::move(*bytes)};
  chunk.error = fmt::format("a character of '{}' is not in {}", text.substr(0, 40), charset);
  return std::nullopt;
}

// Spark's hash() of a text. hasher and hashed_cross store indices derived from it in models, so its
// values are part of the format.
std::optional<int32_t> HashText(Chunk&, Text text) { return SparkHash(text); }

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&Base64>("pt_base64"),
    AsRowFunction<&Base64Bytes>("pt_base64_bytes"),
    AsRowFunction<&CrcOf>("pt_crc32"),
    AsRowFunction<&Decode>("pt_decode").FailsFor({0}),
    AsRowFunction<&Encode>("pt_encode").FailsFor({0}),
    AsRowFunction<&HashText>("pt_hash_text"),
    AsRowFunction<&Sha2>("pt_sha2"),
};

}  // namespace

std::span<const RowFunction> DigestFunctions() { return kFunctions; }

}  // namespace protium
