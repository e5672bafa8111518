// SPDX-License-Identifier: Apache-2.0
// Text of bounded length on the stack, for paths and messages.
#pragma once

namespace protium::launcher {

struct Text {
  char chars[4096] = "";
  bool empty() const { return chars[0] == 0; }
};

[[gnu::format(printf, 1, 2)]] Text Format(const char* format, ...);
// Appends to `text`; what does not fit is cut off.
[[gnu::format(printf, 2, 3)]] void Append(Text* text, const char* format, ...);
// "folder/name"; empty if that is too long, so that no shorter path is used by mistake.
Text Join(const char* folder, const char* name);

bool StartsWith(const char* text, const char* prefix);

}  // namespace protium::launcher
