// SPDX-License-Identifier: Apache-2.0
// Encodes pixels as a PNG file.
#pragma once

#include <string>

#include "image/decode.h"

namespace protium {

// Returns the file's bytes, 8 bits a channel. Not compressed, so that they do not depend on the
// release of libpng.
Result<std::string> EncodePng(const Image& image);

}  // namespace protium
