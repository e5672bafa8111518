// SPDX-License-Identifier: Apache-2.0
#include "tensor/guard.h"

#include <c10/util/Exception.h>

#include <new>

#include "base/fault.h"

namespace protium {

Status StatusOfException(std::string_view doing, const std::exception& error) {
  const std::string during(doing);
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return Fail({.exit = Exit::kNoRoom, .what = during + ": out of memory"});
  }
  const auto* torch = dynamic_cast<const c10::Error*>(&error);
  std::string text = torch != nullptr ? torch->what_without_backtrace() : error.what();
  const bool memory = text.find("not enough memory") != std::string::npos;
  return Fail({.exit = memory ? Exit::kNoRoom : Exit::kFailed, .what = during + ": " + text});
}

Status StatusOfUnknown(std::string_view doing) {
  return Fail({.exit = Exit::kFailed,
               .what = std::string(doing) + ": something was thrown that is not a std::exception"});
}

}  // namespace protium
