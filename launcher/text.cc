// SPDX-License-Identifier: Apache-2.0
#include "launcher/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace protium::launcher {

Text Format(const char* format, ...) {
  Text text;
  va_list values;
  va_start(values, format);
  vsnprintf(text.chars, sizeof text.chars, format, values);
  va_end(values);
  return text;
}

void Append(Text* text, const char* format, ...) {
  size_t used = strlen(text->chars);
  va_list values;
  va_start(values, format);
  vsnprintf(text->chars + used, sizeof text->chars - used, format, values);
  va_end(values);
}

Text Join(const char* folder, const char* name) {
  if (strlen(folder) + strlen(name) + 2 > sizeof(Text::chars)) return {};
  return Format("%s/%s", folder, name);
}

bool StartsWith(const char* text, const char* prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

}  // namespace protium::launcher
