// SPDX-License-Identifier: Apache-2.0
#include "tensor/guard.h"

#include <new>

namespace protium {

// Throws, since LibTorch's own exceptions pass through the same calls.
void LeaveWith(Fault fault) {
  std::rethrow_exception(std::make_exception_ptr(KnownFailure(std::move(fault))));
}

Status StatusOfException(std::string_view doing, const std::exception& error) {
  const std::string during(doing);
  if (const auto* known = dynamic_cast<const KnownFailure*>(&error)) {
    Fault fault = known->fault();
    fault.what = during + ": " + fault.what;
    return Fail(std::move(fault));
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return Fail({.exit = Exit::kNoRoom, .what = during + ": out of memory"});
  }
  return Fail({.exit = Exit::kFailed, .what = during + ": " + error.what()});
}

Status StatusOfUnknown(std::string_view doing) {
  return Fail({.exit = Exit::kFailed,
               .what = std::string(doing) + ": something was thrown that is not a std::exception"});
}

}  // namespace protium
