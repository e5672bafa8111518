// SPDX-License-Identifier: Apache-2.0
// What the opaque types of the C interface are, and the wall around each of its functions: a status
// becomes an error object, and no exception reaches C.
#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "base/status.h"
#include "c/room.h"
#include "os/thrown.h"
#include "plan/node.h"
#include "protium/pipeline.h"

namespace protium {

// Stores why the last failed stream of a frame failed. Any thread.
class LastFailure {
 public:
  void Set(const Status& status) {
    const std::lock_guard lock(mutex_);
    status_ = status;
  }
  Status Get() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  mutable std::mutex mutex_;
  Status status_;
};

}  // namespace protium

struct pt_error {
  protium::Fault fault;
  std::string text;
};

struct pt_session {
  std::shared_ptr<protium::Room> room;
};

struct pt_frame {
  std::shared_ptr<protium::Room> room;
  protium::Plan plan;
  std::shared_ptr<protium::LastFailure> failure = std::make_shared<protium::LastFailure>();
};

struct pt_model {
  std::shared_ptr<protium::Room> room;
  protium::PipelineModel model;
  std::filesystem::path run;  // The folder of the run that fitted it; empty: it was loaded.
};

namespace protium {

// Returns null for OK. Never fails: without memory it returns an error that says so.
pt_error* ErrorFrom(const Status& status) noexcept;
pt_error* OutOfMemory() noexcept;

template <class Act>
pt_error* Walled(Act act) noexcept {
  try {
    return ErrorFrom(act());
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (...) {
    return ErrorFrom(FaultOfThrown());
  }
}

inline Status NullHandle() { return Fail({.exit = Exit::kUsage, .what = "the handle is NULL"}); }

// Calls `act` with the session of `handle`, which may be null by the caller's mistake.
template <class Handle, class Act>
pt_error* WithSession(const Handle* handle, Act act) noexcept {
  return Walled([&]() -> Status {
    if (handle == nullptr) return NullHandle();
    return handle->room->With([&](Session& session) -> Status { return act(session); });
  });
}

// Copies the text for C, which frees it with pt_string_free().
char* CopyOut(const std::string& text);

// Returns the frame as a handle after checking its plan, so that a mistake shows at the call that
// made it.
Status GiveOut(const std::shared_ptr<Room>& room, const DataFrame& frame, pt_frame** out);

}  // namespace protium
