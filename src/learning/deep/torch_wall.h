// SPDX-License-Identifier: Apache-2.0
// LibTorch's exceptions in the words of the house: whatever calls LibTorch goes through here, and
// Guard() (tensor/guard.h), which need not know LibTorch, makes a Status of it.
#pragma once

#include <c10/util/Exception.h>

#include <concepts>
#include <functional>
#include <string_view>
#include <utility>

#include "tensor/guard.h"

namespace protium {

// What `error` says, without a backtrace and bounded: a device that is full or failed is told
// apart.
Fault FaultOfTorch(const c10::Error& error);

// Calls `fn`; what LibTorch throws goes on as a KnownFailure.
template <std::invocable Fn>
std::invoke_result_t<Fn> Translated(Fn&& fn) {
  try {
    return std::invoke(std::forward<Fn>(fn));
  } catch (const c10::Error& error) {
    LeaveWith(FaultOfTorch(error));
  }
}

// Guard() for calls into LibTorch.
template <std::invocable Fn>
auto GuardTorch(std::string_view doing, Fn&& fn) {
  return Guard(doing, [&] { return Translated(std::forward<Fn>(fn)); });
}

}  // namespace protium
