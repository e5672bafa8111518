// SPDX-License-Identifier: Apache-2.0
// Makes bundles by hand, for tests: also some that no driver makes.
#pragma once

#include <string>

namespace protium {

struct RawBundle {
  std::string bytes, hash;
};

// Returns the bytes of a bundle with this manifest and content, whether or not they agree.
RawBundle AssembleBundle(const std::string& manifest, const std::string& content);

// The first lines of a manifest.
std::string BundleHead(size_t total, const std::string& cpu = "sse3");
// The line of a file; `kind` is x for programs.
std::string BundleLine(const std::string& name, const std::string& content, char kind = 'f');
std::string CompressedFrame(const std::string& content);

}  // namespace protium
