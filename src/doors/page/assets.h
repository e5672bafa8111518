// SPDX-License-Identifier: Apache-2.0
// The files of the page, as the build has made them of web/ (scripts/build_page.py), gzipped.
#pragma once

#include <span>
#include <string_view>

namespace protium {

struct PageAsset {
  std::string_view path;  // "/", "/assets/index-3f2a.js"
  std::string_view type;  // "text/html; charset=utf-8"
  std::string_view gzip;
  std::string_view hash;  // "sha256-...", of what is gzipped, as a content security policy has it.
};

std::span<const PageAsset> PageAssets();

}  // namespace protium
