// SPDX-License-Identifier: Apache-2.0
// Pixels as a PNG file.
#pragma once

#include <string>

#include "image/decode.h"

namespace protium {

// The file's bytes, 8 bits a channel. Not compressed, so they do not depend on how well a release
// of libpng packs.
Result<std::string> EncodePng(const Image& image);

}  // namespace protium
