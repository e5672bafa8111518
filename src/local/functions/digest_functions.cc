// SPDX-License-Identifier: Apache-2.0
// Digests of bytes, and bytes as text.
#include <fmt/format.h>
#include <openssl/evp.h>

#include <memory>

#include "base/crc32.h"
#include "base/murmur.h"
#include "local/functions/code_points.h"
#include "local/functions/row_function.h"
#include "local/functions/themes.h"

namespace protium {
namespace {

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

// SHA-2 (FIPS 180-4) of 224, 256, 384 or 512 bits, as hex; 0 means 256. Any other width is null, as
// in Spark.
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

// Base 64 in lines of 76 characters with CRLF between them, as Java's MIME encoder, which Spark
// uses, writes it (RFC 2045).
std::optional<std::string> Base64(Chunk&, Bytes bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.data.size(); i += 3) {
    // 57 bytes make 76 characters.
    if (i > 0 && i % 57 == 0) text += "\r\n";
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 |
              (i + j < bytes.data.size() ? static_cast<unsigned char>(bytes.data[i + j]) : 0);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.data.size() ? '=' : kLetters[(group >> (18 - 6 * j)) & 63];
    }
  }
  return text;
}

// Bytes of one of three character sets as text. Spark takes more sets; bytes that are not of the
// set are an error.
std::optional<std::string> Decode(Chunk& chunk, Bytes bytes, Text charset) {
  std::string name(charset);
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  std::string text;
  bool good = name == "US-ASCII" || name == "ISO-8859-1" || name == "UTF-8";
  if (!good) {
    chunk.error = fmt::format("decode supports UTF-8, US-ASCII and ISO-8859-1 here, not '{}'",
                              charset.substr(0, 40));
    return std::nullopt;
  }
  if (name == "UTF-8") {
    text = bytes.data;
    good = IsUtf8(text);
  } else {
    for (const char c : bytes.data) {
      const auto byte = static_cast<unsigned char>(c);
      good = good && (byte < 0x80 || name == "ISO-8859-1");
      AppendUtf8(byte, text);
    }
  }
  if (good) return text;
  chunk.error = fmt::format("the bytes are not {}", name);
  return std::nullopt;
}

// Spark's hash() of a text. hasher and hashed_cross keep indices made of it in models, so its
// values are part of the format.
std::optional<int32_t> HashText(Chunk&, Text text) { return SparkHash(text); }

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&Base64>("pt_base64"),
    AsRowFunction<&CrcOf>("pt_crc32"),
    AsRowFunction<&Decode>("pt_decode").FailsFor({0}),
    AsRowFunction<&HashText>("pt_hash_text"),
    AsRowFunction<&Sha2>("pt_sha2"),
};

}  // namespace

std::span<const RowFunction> DigestFunctions() { return kFunctions; }

}  // namespace protium
