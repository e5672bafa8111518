// SPDX-License-Identifier: Apache-2.0
// As in png.cc, everything with a destructor lives outside the function that libpng jumps back to.
#include <png.h>

#include <csetjmp>

#include "image/encode.h"

namespace protium {
namespace {

void AppendBytes(png_structp png, png_bytep bytes, size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<char*>(bytes), size);
}

bool Write(png_structp png, png_infop info, const Image& image, std::string& file) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, &file, AppendBytes, nullptr);
  png_set_compression_level(png, 0);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
  png_set_IHDR(png, info, png_uint_32(image.width), png_uint_32(image.height), 8,
               image.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
  png_write_info(png, info);
  const size_t row = size_t(image.width * image.channels);
  for (int64_t y = 0; y < image.height; ++y) {
    png_write_row(png, image.pixels.data() + size_t(y) * row);
  }
  png_write_end(png, info);
  return true;
}

}  // namespace

Result<std::string> EncodePng(const Image& image) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  std::string file;
  const bool written = info != nullptr && Write(png, info, image, file);
  png_destroy_write_struct(&png, &info);
  if (!written) return Status::OutOfMemory("libpng");
  return file;
}

}  // namespace protium
