// SPDX-License-Identifier: Apache-2.0
// A server on cpp-httplib: its port, connections and end. Included by the file
// of each server that routes requests, which is compiled by itself: the library brings macros and
// names of its own. Every connection has a thread of a pool for as long as it lasts.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <stop_token>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/fault.h"
#include "http/exchange.h"
#include "http/guard.h"
#include "http/library.h"

namespace protium {

// All but the body.
inline HttpRequest FromLibrary(const httplib::Request& request) {
  HttpRequest made{.method = request.method, .path = request.path};
  for (const auto& [name, value] : request.params) made.parameters.emplace(name, value);
  for (const auto& [name, value] : request.headers) made.headers.emplace(Lower(name), value);
  return made;
}

class HttpListener {
 public:
  struct Options {
    Guard guard;  // Its port may be 0: then the first that is free from `first_port` on.
    int32_t first_port = 0;
    size_t threads = 1;
    int idle_seconds = 1;  // A kept connection holds a thread, and delays the end.
    size_t most_body_bytes = 0;
  };

  explicit HttpListener(Options options) : options_(std::move(options)) {
    constexpr int kReadSeconds = 5, kWriteSeconds = 5;
    library_.new_task_queue = [this] { return new httplib::ThreadPool(options_.threads); };
    // Without SO_REUSEPORT, which the library would set: a second server would take the port, too.
    library_.set_socket_options([this](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      listening_ = socket;
    });
    library_.set_tcp_nodelay(true);
    library_.set_keep_alive_timeout(options_.idle_seconds);
    library_.set_read_timeout(kReadSeconds);
    library_.set_write_timeout(kWriteSeconds);
    library_.set_payload_max_length(options_.most_body_bytes);
  }

  // For routes and handlers; before Listen().
  httplib::Server& library() { return library_; }
  // With the port that Bind() took.
  const Guard& guard() const { return options_.guard; }

  Status Bind() {
    constexpr int32_t kPortsTried = 20;
    // The library lets five connections wait; more at once would be tried again only after a
    // second.
    constexpr int kWaitingConnections = 256;
    Guard& guard = options_.guard;
    const bool one = guard.port > 0;
    const int32_t first = one ? guard.port : options_.first_port, tries = one ? 1 : kPortsTried;
    for (int32_t port = first; port < first + tries; ++port) {
      if (!library_.bind_to_port(guard.host, port)) continue;
      guard.port = port;
      ::listen(listening_, kWaitingConnections);
      return Status::OK();
    }
    return Fail({.exit = Exit::kEnvironment,
                 .what = one ? fmt::format("cannot listen on port {} of {}", first, guard.host)
                             : fmt::format("cannot listen on any of the ports {} to {} of {}",
                                           first, first + tries - 1, guard.host),
                 .why = "other programs have them, or the address is not this machine's",
                 .fix = one ? "--port N with a port that is free, or none for the next free one"
                            : "--port N with a port that is free"});
  }

  // "http://127.0.0.1:4040/". Others reach an address that means all of this machine's by the
  // machine's name.
  std::string address() const {
    std::array<char, 256> name{};
    const bool all = guard().host == "0.0.0.0";
    const bool named = all && ::gethostname(name.data(), name.size() - 1) == 0;
    return fmt::format("http://{}:{}/", named ? name.data() : guard().host.c_str(), guard().port);
  }

  // Answers until Stop() or `stop`, and returns once all threads have sent their answers.
  Status Listen(const std::stop_token& stop) {
    if (stop.stop_requested() || library_.listen_after_bind() || stop.stop_requested())
      return Status::OK();
    return Fail({.exit = Exit::kEnvironment, .what = "the server has stopped"});
  }
  void Stop() { library_.stop(); }

 private:
  Options options_;
  socket_t listening_ = INVALID_SOCKET;
  httplib::Server library_;
};

}  // namespace protium
