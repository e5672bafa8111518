// SPDX-License-Identifier: Apache-2.0
#include "examples/grey_picture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/crc32.h"
#include "base/fault.h"

namespace protium::example {
namespace {

// The square of the distance of `p` from the line from `a` to `b`.
double SquaredDistance(Point p, Point a, Point b) {
  const Point along = {b.x - a.x, b.y - a.y};
  const double length = along.x * along.x + along.y * along.y;
  const double dot = (p.x - a.x) * along.x + (p.y - a.y) * along.y;
  const double share = length > 0 ? std::clamp(dot / length, 0.0, 1.0) : 0;
  const Point off = {p.x - a.x - share * along.x, p.y - a.y - share * along.y};
  return off.x * off.x + off.y * off.y;
}

double DistanceTo(const std::vector<std::vector<Point>>& strokes, Point p) {
  double nearest = std::numeric_limits<double>::max();
  for (const std::vector<Point>& stroke : strokes) {
    for (size_t i = 1; i < stroke.size(); ++i) {
      nearest = std::min(nearest, SquaredDistance(p, stroke[i - 1], stroke[i]));
    }
  }
  return std::sqrt(nearest);
}

std::string BigEndian(uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

// Length, type, data, checksum of type and data.
std::string Chunk(std::string_view type, std::string_view data) {
  std::string body(type);
  body += data;
  return BigEndian(static_cast<uint32_t>(data.size())) + body + BigEndian(Crc32(body));
}

// RFC 1950's checksum.
uint32_t Adler32(std::string_view bytes) {
  uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

// A zlib stream (RFC 1950) of one stored block (RFC 1951).
std::string Stored(const std::string& bytes) {
  PT_CHECK(bytes.size() <= 0xffff);
  const auto size = static_cast<uint16_t>(bytes.size());
  std::string stream = "\x78\x01\x01";
  for (const int value : {size & 0xff, size >> 8, ~size & 0xff, (~size >> 8) & 0xff}) {
    stream += static_cast<char>(value);
  }
  return stream + bytes + BigEndian(Adler32(bytes));
}

}  // namespace

GreyPicture::GreyPicture(int width, int height, double brightness)
    : width_(width), height_(height), pixels_(static_cast<size_t>(width * height), brightness) {}

void GreyPicture::Draw(const std::vector<std::vector<Point>>& strokes, double radius, double ink) {
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      const double distance = DistanceTo(strokes, {x + 0.5, y + 0.5});
      const double covered = std::clamp(radius + 0.5 - distance, 0.0, 1.0);
      At(x, y) += covered * (ink - At(x, y));
    }
  }
}

std::string GreyPicture::ToPng() const {
  std::string rows;
  for (int y = 0; y < height_; ++y) {
    rows += '\0';  // Each row says how it was filtered: not at all.
    for (int x = 0; x < width_; ++x) {
      const double value = pixels_[static_cast<size_t>(y * width_ + x)];
      rows += static_cast<char>(std::lround(std::clamp(value, 0.0, 1.0) * 255));
    }
  }
  // 8 bits of grey; the one kind of compression, filtering and order of rows there is without more.
  const std::string header = BigEndian(static_cast<uint32_t>(width_)) +
                             BigEndian(static_cast<uint32_t>(height_)) +
                             std::string("\x08\x00\x00\x00\x00", 5);
  return std::string("\x89PNG\r\n\x1a\n", 8) + Chunk("IHDR", header) + Chunk("IDAT", Stored(rows)) +
         Chunk("IEND", "");
}

}  // namespace protium::example
