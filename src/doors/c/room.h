// SPDX-License-Identifier: Apache-2.0
// A session as C sees it, and what its handles share. A handle may outlive the session: it holds
// the Room, whose session is gone by then; streams hold the session itself.
//
// There is one lock per session: calls that use it take turns. Streams do not take it, so that one
// can be read during another call, and pt_session_bring() can take a table made from one.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "os/file.h"
#include "protium/c/protium.h"
#include "protium/session.h"

namespace protium {

// Holds the listener for events. Any thread.
class Listener {
 public:
  void Set(pt_event_function function, void* user);
  void On(const Json& event);
  // Whether this thread is currently inside the function.
  static bool IsCalling();

 private:
  std::mutex mutex_;
  pt_event_function function_ = nullptr;
  void* user_ = nullptr;
};

// An open session with its folder, which is removed after the session.
struct OpenRoom {
  std::optional<TemporaryFolder> scratch;
  std::unique_ptr<Session> session;
};

class Room {
 public:
  static Result<std::unique_ptr<Room>> Open(const std::string& options);

  // Calls `act` with the session, exclusively. Fails after the session is closed, and within a
  // listener, which would wait for itself.
  template <class Act>
  auto With(Act act) -> decltype(act(std::declval<Session&>())) {
    PT_TRY(RefuseListeners());
    const std::lock_guard lock(mutex_);
    PT_TRY(Begin());
    return act(*open_->session);
  }
  // What a stream must hold. Only inside With().
  std::shared_ptr<OpenRoom> open() const { return open_; }
  // The folder of the runs that fitting makes. Only inside With().
  std::filesystem::path fits() const;
  // Whether that folder is removed with the session.
  bool scratch() const { return open_->scratch.has_value(); }

  void Cancel();
  void Close();
  Listener& listener() { return *listener_; }

 private:
  Room() = default;
  static Status RefuseListeners();
  // Refuses calls after Close(), and clears an earlier request to stop.
  Status Begin();

  const std::shared_ptr<Listener> listener_ = std::make_shared<Listener>();
  std::mutex mutex_;
  std::shared_ptr<OpenRoom> open_;
  std::mutex stop_mutex_;
  std::stop_source stop_;
};

}  // namespace protium
