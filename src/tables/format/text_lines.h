// SPDX-License-Identifier: Apache-2.0
// Reads lines of text from a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "format/text_source.h"

namespace protium {

// One file in UTF-8. Holds one piece of text, or one line if that is longer. One thread.
class TextLines {
 public:
  static Result<TextLines> Open(const std::string& path);
  // Reads the next line that is not blank, without its line end; false at the end. Valid until the
  // next one is read. A line of more than 16 MiB is a fault.
  Result<bool> Next(std::string_view& line);
  int64_t line() const { return line_; }  // The number of the last one, from 1.
  const TextSource& source() const { return *source_; }

 private:
  Result<bool> ReadOn();

  std::string path_;
  std::unique_ptr<TextSource> source_;
  std::string text_;
  size_t at_ = 0;  // In text_, after the last line.
  bool ended_ = false;
  int64_t line_ = 0;
};

}  // namespace protium
