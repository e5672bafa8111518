// SPDX-License-Identifier: Apache-2.0
#include "image/decode.h"

#include <algorithm>
#include <array>

#include "base/fault.h"
#include "image/formats.h"

namespace protium {
namespace {

constexpr std::array<uint8_t, 8> kPng = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::array<uint8_t, 3> kJpeg = {0xff, 0xd8, 0xff};

template <size_t n>
bool StartsWith(std::span<const uint8_t> bytes, const std::array<uint8_t, n>& start) {
  return bytes.size() >= n && std::equal(start.begin(), start.end(), bytes.begin());
}

Result<Image> Decode(std::span<const uint8_t> bytes, Background background) {
  if (StartsWith(bytes, kPng)) return DecodePng(bytes, background);
  if (StartsWith(bytes, kJpeg)) return DecodeJpeg(bytes);
  return Fail({.exit = Exit::kInput,
               .what = bytes.empty() ? "an image without bytes"
                                     : "an image that is neither a PNG nor a JPEG"});
}

// The weights of the luma in units of 2^-16; their sum is 2^16.
uint8_t Luma(const uint8_t* pixel) {
  const uint32_t sum = 19595u * pixel[0] + 38470u * pixel[1] + 7471u * pixel[2];
  return static_cast<uint8_t>((sum + 0x8000u) >> 16);
}

Image WithChannels(Image image, int64_t channels) {
  if (image.channels == channels) return image;
  Image changed{.height = image.height, .width = image.width, .channels = channels};
  const auto pixels = static_cast<size_t>(image.height * image.width);
  changed.pixels.resize(pixels * size_t(channels));
  for (size_t i = 0; i < pixels; ++i) {
    if (channels == 1) {
      changed.pixels[i] = Luma(&image.pixels[3 * i]);
    } else {
      std::fill_n(&changed.pixels[3 * i], 3, image.pixels[i]);
    }
  }
  return changed;
}

}  // namespace

Status CheckSize(const char* format, int64_t width, int64_t height) {
  // Both are below 2^32, so the product does not overflow.
  if (width > 0 && height > 0 && width * height <= kMostPixels) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = std::string("a ") + format + " of " + std::to_string(width) + " x " +
                       std::to_string(height) + " pixels; at most 64 million are decoded"});
}

Status Damaged(const char* format, const std::string& why) {
  return Fail({.exit = Exit::kInput, .what = std::string("a damaged ") + format + ": " + why});
}

Result<Image> DecodeImage(std::span<const uint8_t> bytes, int64_t channels, Background background) {
  PT_CHECK(channels == 1 || channels == 3);
  PT_LET(Image image, Decode(bytes, background));
  return WithChannels(std::move(image), channels);
}

}  // namespace protium
