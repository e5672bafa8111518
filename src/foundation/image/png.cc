// SPDX-License-Identifier: Apache-2.0
// libpng reports errors by a jump out of its own code. So everything with a destructor lives
// outside the function that is jumped back to (Read), which uses only plain values.
#include <png.h>

#include <csetjmp>
#include <cstring>

#include "base/fault.h"
#include "image/formats.h"

namespace protium {
namespace {

struct Source {
  std::span<const uint8_t> left;
  std::string error;
};

void OnPngError(png_structp png, png_const_charp message) {
  static_cast<Source*>(png_get_error_ptr(png))->error = message;
  png_longjmp(png, 1);
}

// Warnings concern parts that are not pixels.
void OnPngWarning(png_structp, png_const_charp) {}

void ReadBytes(png_structp png, png_bytep to, size_t size) {
  auto& left = static_cast<Source*>(png_get_io_ptr(png))->left;
  if (size > left.size()) png_error(png, "it ends too early");
  std::memcpy(to, left.data(), size);
  left = left.subspan(size);
}

class PngReader {
 public:
  PngReader(std::span<const uint8_t> bytes, Background background)
      : source_{bytes, {}}, background_(background) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source_, OnPngError, OnPngWarning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  Result<Image> Run() {
    if (png_ == nullptr || info_ == nullptr) return Status::OutOfMemory("libpng");
    if (!ReadHeader()) return Damaged("PNG", source_.error);
    PT_TRY(CheckSize("PNG", png_get_image_width(png_, info_), png_get_image_height(png_, info_)));
    if (!Expand()) return Damaged("PNG", source_.error);
    Image image{.height = png_get_image_height(png_, info_),
                .width = png_get_image_width(png_, info_),
                .channels = png_get_channels(png_, info_)};
    const size_t row = png_get_rowbytes(png_, info_);
    PT_CHECK(row == size_t(image.width * image.channels));
    image.pixels.resize(row * size_t(image.height));
    rows_.resize(size_t(image.height));
    for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = image.pixels.data() + i * row;
    if (!ReadPixels()) return Damaged("PNG", source_.error);
    return image;
  }

 private:
  // Each is false if libpng jumped back.
  bool ReadHeader() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    // Otherwise texts and profiles of any size would be unpacked for nothing.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
    png_set_chunk_malloc_max(png_, 1 << 20);
    png_set_user_limits(png_, 0x7fffffff, 0x7fffffff);
    png_set_read_fn(png_, &source_, ReadBytes);
    png_read_info(png_, info_);
    return true;
  }

  // Lays the picture on the background, as libpng does it: without gamma. Where 16 bits become 8,
  // it takes the background for one of 8.
  void SetBackground() {
    const png_uint_16 level = background_ == Background::kBlack ? 0 : 0xff;
    const png_color_16 color = {0, level, level, level, level};
    png_set_background_fixed(png_, &color, PNG_BACKGROUND_GAMMA_SCREEN, 0, 0);
  }

  // Converts any depth to 8 bits and palettes to colours, and ends transparency.
  bool Expand() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_expand(png_);
    if (background_ != Background::kNone) SetBackground();
    png_set_scale_16(png_);
    png_set_strip_alpha(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  bool ReadPixels() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows_.data());
    png_read_end(png_, nullptr);
    return true;
  }

  Source source_;
  Background background_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::vector<png_bytep> rows_;
};

}  // namespace

Result<Image> DecodePng(std::span<const uint8_t> bytes, Background background) {
  return PngReader(bytes, background).Run();
}

}  // namespace protium
