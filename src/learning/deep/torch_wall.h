// SPDX-License-Identifier: Apache-2.0
// Translates LibTorch's exceptions: all calls into LibTorch go through here, and Guard()
// (tensor/guard.h), which does not depend on LibTorch, turns the result into a Status.
#pragma once

#include <c10/util/Exception.h>

#include <concepts>
#include <functional>
#include <string_view>
#include <utility>

#include "tensor/guard.h"

namespace protium {

// The message of `error`, without a backtrace and limited in length; distinguishes a device that is
// full or has failed.
Fault FaultOfTorch(const c10::Error& error);

// Calls `fn`; rethrows what LibTorch throws as a KnownFailure.
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
