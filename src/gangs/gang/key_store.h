// SPDX-License-Identifier: Apache-2.0
// Where programs on Horovod find each other: a store of keys and values over HTTP that Horovod's
// Gloo uses (HOROVOD_GLOO_RENDEZVOUS_ADDR). Each rank puts its listening address, and polls for
// those of the others.
//
//   PUT    /SCOPE/KEY   stores the body; 200
//   GET    /SCOPE/KEY   200 with the stored body, 404 as long as there is none
//   DELETE /SCOPE/RANK  this rank does not need the scope any more; 200. When all ranks whose
//                       numbers are keys of the scope have said so, the scope is emptied, and its
//                       ranks may meet anew.
//
// Horovod has no secret: whoever reaches the port can read and write.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "gang/program_place.h"
#include "http/server.h"

namespace protium {

// The server's state. One thread.
class KeyStore {
 public:
  // `path` as requested. Anything but these three methods with two names is a 400; a body that
  // would exceed 64 MiB in total is a 413.
  HttpResponse Respond(const std::string& method, const std::string& path, std::string body);

 private:
  struct Scope {
    std::map<std::string, std::string> values;
    std::set<std::string> done;  // Ranks that do not need it any more.
  };
  HttpResponse Put(const std::string& name, const std::string& key, std::string body);
  HttpResponse Delete(const std::string& name, const std::string& key);
  std::map<std::string, Scope> scopes_;
  size_t bytes_ = 0;  // Of all names, keys and values, and of what is in `done`.
};

// Serves a port until destroyed, on its own thread, within the limits of http/server.h: up to 512
// connections at a time, each with one request of up to 1 MiB.
class KeyServer {
 public:
  // Listens on this machine's loopback, or on all its addresses.
  static Result<std::unique_ptr<KeyServer>> Start(bool loopback);
  int32_t port() const { return server_->guard().port; }

 private:
  class Service;
  explicit KeyServer(std::unique_ptr<HttpServer> server);

  const std::unique_ptr<HttpServer> server_;
  std::jthread thread_;
};

// Collective: if there are several ranks, rank 0 starts a server, whose port all get as
// `place.store`. Returns null on the other ranks.
Result<std::unique_ptr<KeyServer>> ShareKeyServer(TaskContext& context, ProgramPlace& place);

}  // namespace protium
