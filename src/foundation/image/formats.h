// SPDX-License-Identifier: Apache-2.0
// The decoders behind DecodeImage(). Each reads the header first and refuses what CheckSize()
// refuses.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "image/decode.h"

namespace protium {

// Returns the image with as many channels as its file has, 1 or 3.
Result<Image> DecodePng(std::span<const uint8_t> bytes, Background background);
Result<Image> DecodeJpeg(std::span<const uint8_t> bytes);

Status CheckSize(const char* format, int64_t width, int64_t height);
Status Damaged(const char* format, const std::string& why);

}  // namespace protium
