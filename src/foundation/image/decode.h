// SPDX-License-Identifier: Apache-2.0
// Decodes PNG and JPEG files in memory to pixels. Palettes and small bit depths are expanded,
// 16 bits a channel are cut to 8; colours are taken as they are, without profiles or gamma. JPEG is
// decoded by the accurate integer method, so that pixels are the same everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// Pixels row by row from the top left, with the channels of a pixel adjacent: 1 is grey, 3 are red,
// green and blue.
struct Image {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 3;
  std::vector<uint8_t> pixels;
};

// What shows through transparent pixels of a PNG; kNone: their own colour, whatever it is.
enum class Background { kNone, kWhite, kBlack };

// Files with more pixels than this are refused by their header alone, before anything is decoded.
inline constexpr int64_t kMostPixels = 64'000'000;

// Decodes a PNG or a JPEG, distinguished by the first bytes, to `channels` of 1 or 3. The grey of a
// colour is its luma (ITU-R BT.601), 0.299 red + 0.587 green + 0.114 blue in 16-bit fixed point.
// Fails with Exit::kInput for bytes of another format, damaged or truncated files, more than
// kMostPixels, and JPEGs of four inks (CMYK), whose colours are undefined without a profile.
Result<Image> DecodeImage(std::span<const uint8_t> bytes, int64_t channels,
                          Background background = Background::kNone);

// Resizes a picture: each new pixel is the mean of the area that it covers, weighted by how much of
// each old pixel it covers. Computed in double and rounded once. Values are 0 to 255.
std::vector<double> ResizeByArea(const Image& image, int64_t height, int64_t width);

// The same without a change of shape: the picture, as large as it fits, in the middle of a plane
// of which every value is `plane`.
std::vector<double> ResizeInside(const Image& image, int64_t height, int64_t width, double plane);

}  // namespace protium
