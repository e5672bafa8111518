// SPDX-License-Identifier: Apache-2.0
// Stops the exceptions of nets, losses and devices: every call into them goes through here once.
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/fault.h"
#include "base/status.h"

namespace protium {

// What a library threw, as a fault in the words of code that knows that library (LeaveWith()).
class KnownFailure : public std::exception {
 public:
  explicit KnownFailure(Fault fault) : fault_(std::move(fault)) {}
  const char* what() const noexcept override { return fault_.what.c_str(); }
  const Fault& fault() const { return fault_; }

 private:
  Fault fault_;
};

// Leaves all calls up to the next Guard(), which returns this fault.
[[noreturn]] void LeaveWith(Fault fault);

// Returns the status of the exception being handled; called in a catch block only.
Status StatusOfException(std::string_view doing, const std::exception& error);

// The same for what is no std::exception.
Status StatusOfUnknown(std::string_view doing);

template <class T>
struct Guarded {
  using type = Result<T>;
};
template <>
struct Guarded<void> {
  using type = Status;
};
template <>
struct Guarded<Status> {
  using type = Status;
};
template <class T>
struct Guarded<Result<T>> {
  using type = Result<T>;
};

// Calls `fn`, which may throw. Returns its Status or Result; a Status if it returns nothing, and a
// Result of anything else.
template <std::invocable Fn>
typename Guarded<std::invoke_result_t<Fn>>::type Guard(std::string_view doing, Fn&& fn) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Fn>>) {
      std::invoke(std::forward<Fn>(fn));
      return Status::OK();
    } else {
      return std::invoke(std::forward<Fn>(fn));
    }
  } catch (const std::exception& error) {
    return StatusOfException(doing, error);
  } catch (...) {
    return StatusOfUnknown(doing);
  }
}

}  // namespace protium
