// SPDX-License-Identifier: Apache-2.0
#include "os/thrown.h"

#include <cerrno>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "base/fault.h"
#include "os/fd.h"

namespace protium {

namespace {

// Streams and futures throw std::system_error too, with codes that are not an errno.
bool IsErrno(const std::error_code& code) {
  return code.category() == std::system_category() || code.category() == std::generic_category();
}

// Among our calls, only the start of a thread fails with EAGAIN.
Status NoThread() {
  Fault fault = FaultOf(SystemFault("start a thread", EAGAIN));
  fault.why = "this user or its cgroup has as many as it may, or there is no memory for a stack";
  fault.fix = "allow more (ulimit -u, pids.max of the cgroup, ulimit -v), or ask for fewer workers";
  return Fail(std::move(fault));
}

Status FaultOfSystem(const std::system_error& error) {
  if (!IsErrno(error.code())) return Fail({.exit = Exit::kBug, .what = error.what()});
  if (error.code().value() == EAGAIN) return NoThread();
  const auto* const files = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
  const bool named = files != nullptr && !files->path1().empty();
  return SystemFault(named ? "use " + files->path1().string() : "go on", error.code().value());
}

}  // namespace

Status FaultOfThrown() {
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    return Fail({.exit = Exit::kNoRoom, .what = "out of memory"});
  } catch (const std::system_error& error) {
    return FaultOfSystem(error);
  } catch (const std::exception& error) {
    return Fail({.exit = Exit::kBug, .what = error.what()});
  } catch (...) {
    return Fail({.exit = Exit::kBug, .what = "something was thrown that is not a std::exception"});
  }
}

}  // namespace protium
