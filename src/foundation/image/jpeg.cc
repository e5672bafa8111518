// SPDX-License-Identifier: Apache-2.0
// libjpeg reports errors through a table of functions, of which the one for fatal errors must not
// return: it jumps back, as in png.cc. Warnings mean that bytes were missing or wrong and pixels
// are guessed; here they are errors, too.
#include <jpeglib.h>
#include <stdio.h>  // jpeglib.h needs FILE.

#include <csetjmp>

#include "base/fault.h"
#include "image/formats.h"

namespace protium {
namespace {

struct Errors {
  jpeg_error_mgr table;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void OnJpegError(j_common_ptr jpeg) {
  auto* const errors = reinterpret_cast<Errors*>(jpeg->err);
  jpeg->err->format_message(jpeg, errors->message);
  std::longjmp(errors->back, 1);
}

void OnJpegMessage(j_common_ptr jpeg, int level) {
  if (level < 0) OnJpegError(jpeg);
}

class JpegReader {
 public:
  JpegReader() {
    jpeg_.err = jpeg_std_error(&errors_.table);
    errors_.table.error_exit = OnJpegError;
    errors_.table.emit_message = OnJpegMessage;
  }
  // Frees whatever was made, even after a jump.
  ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  Result<Image> Run(std::span<const uint8_t> bytes) {
    if (!ReadHeader(bytes)) return Damaged("JPEG", errors_.message);
    PT_TRY(CheckSize("JPEG", jpeg_.image_width, jpeg_.image_height));
    if (jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK) {
      return Fail(
          {.exit = Exit::kInput, .what = "a JPEG of four inks (CMYK)", .fix = "convert it to RGB"});
    }
    const bool grey = jpeg_.jpeg_color_space == JCS_GRAYSCALE;
    Image image{.height = jpeg_.image_height, .width = jpeg_.image_width, .channels = grey ? 1 : 3};
    jpeg_.out_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_.dct_method = JDCT_ISLOW;
    image.pixels.resize(size_t(image.height * image.width * image.channels));
    if (!ReadPixels(image.pixels.data(), size_t(image.width * image.channels))) {
      return Damaged("JPEG", errors_.message);
    }
    return image;
  }

 private:
  // Both are false if libjpeg jumped back.
  bool ReadHeader(std::span<const uint8_t> bytes) {
    if (setjmp(errors_.back) != 0) return false;
    jpeg_create_decompress(&jpeg_);
    jpeg_mem_src(&jpeg_, bytes.data(), bytes.size());
    jpeg_read_header(&jpeg_, TRUE);
    return true;
  }

  bool ReadPixels(uint8_t* pixels, size_t row_bytes) {
    if (setjmp(errors_.back) != 0) return false;
    jpeg_start_decompress(&jpeg_);
    while (jpeg_.output_scanline < jpeg_.output_height) {
      JSAMPROW row = pixels + jpeg_.output_scanline * row_bytes;
      jpeg_read_scanlines(&jpeg_, &row, 1);
    }
    jpeg_finish_decompress(&jpeg_);
    return true;
  }

  jpeg_decompress_struct jpeg_ = {};
  Errors errors_ = {};
};

}  // namespace

Result<Image> DecodeJpeg(std::span<const uint8_t> bytes) { return JpegReader().Run(bytes); }

}  // namespace protium
