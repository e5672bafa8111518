// SPDX-License-Identifier: Apache-2.0
#include "launcher/test_bundle.h"

#include <zstd.h>

#include "spark/ship/bundle_file.h"
#include "spark_worker/bundle_format.h"

namespace protium {
namespace {

std::string Little(uint32_t value) {
  std::string bytes(4, '\0');
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (8 * i) & 255);
  return bytes;
}

}  // namespace

std::string CompressedFrame(const std::string& content) {
  std::string packed(ZSTD_compressBound(content.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), 3));
  return packed;
}

RawBundle AssembleBundle(const std::string& manifest, const std::string& content) {
  const auto size = static_cast<uint32_t>(manifest.size());
  return {kBundleMagic + Little(size) + Little(0) + manifest + CompressedFrame(content),
          ContentHash(manifest)};
}

std::string BundleLine(const std::string& name, const std::string& content, char kind) {
  return std::string(1, kind) + " " + std::to_string(content.size()) + " " + ContentHash(content) +
         " " + name + "\n";
}

std::string BundleHead(size_t total, const std::string& cpu) {
  return "protium bundle 1\ncpu " + cpu + "\ntotal " + std::to_string(total) + "\n";
}

}  // namespace protium
