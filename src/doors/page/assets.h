// SPDX-License-Identifier: Apache-2.0
// The files of the page, built from web/ (scripts/build_page.py) and gzipped.
#pragma once

#include <span>
#include <string_view>

namespace protium {

struct PageAsset {
  std::string_view path;  // "/", "/assets/index-3f2a.js"
  std::string_view type;  // "text/html; charset=utf-8"
  std::string_view gzip;
  // "sha256-...", of the uncompressed content, as in a content security policy.
  std::string_view hash;
};

std::span<const PageAsset> PageAssets();

}  // namespace protium
