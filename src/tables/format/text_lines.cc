// SPDX-License-Identifier: Apache-2.0
#include "format/text_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"

namespace protium {
namespace {

constexpr size_t kLongestLine = 16 << 20;

}  // namespace

Result<TextLines> TextLines::Open(const std::string& path) {
  TextLines lines;
  lines.path_ = path;
  PT_LET(lines.source_, TextSource::Open(path, Encoding::kUtf8));
  return lines;
}

Result<bool> TextLines::ReadOn() {
  text_.erase(0, at_);
  at_ = 0;
  if (text_.size() > kLongestLine) {
    return Fail({.exit = Exit::kInput,
                 .what = "a line is longer than 16 MiB",
                 .where = fmt::format("{}:{}", path_, line_ + 1),
                 .fix = "write one object per line"});
  }
  PT_LET(const bool more, source_->Append(text_));
  ended_ = !more;
  return more;
}

Result<bool> TextLines::Next(std::string_view& line) {
  while (true) {
    const size_t end = text_.find('\n', at_);
    if (end == text_.npos && !ended_) {
      PT_TRY(ReadOn().status());
      continue;
    }
    if (at_ == text_.size()) return false;
    const size_t stop = std::min(end, text_.size());
    line = std::string_view(text_).substr(at_, stop - at_);
    at_ = std::min(stop + 1, text_.size());
    ++line_;
    if (line.find_first_not_of(" \t\r") != line.npos) return true;
  }
}

}  // namespace protium
