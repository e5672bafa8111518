// SPDX-License-Identifier: Apache-2.0
// Where programs on Horovod find each other: a store of keys and values over HTTP that its Gloo
// asks (HOROVOD_GLOO_RENDEZVOUS_ADDR). Each rank puts where it listens, and asks for the others
// until they have.
//
//   PUT    /SCOPE/KEY   keeps the body; 200
//   GET    /SCOPE/KEY   200 with what was kept, 404 as long as there is nothing
//   DELETE /SCOPE/RANK  this rank needs the scope no more; 200. Once all whose numbers are keys
//                       of the scope have said so, it is empty, and its ranks may meet anew.
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

// What the server knows. One thread.
class KeyStore {
 public:
  // `path` as it was asked. Anything but these three methods and two names is a 400; what would not
  // fit 64 MiB a 413.
  HttpResponse Respond(const std::string& method, const std::string& path, std::string body);

 private:
  struct Scope {
    std::map<std::string, std::string> values;
    std::set<std::string> done;  // Ranks that need it no more.
  };
  HttpResponse Put(const std::string& name, const std::string& key, std::string body);
  HttpResponse Delete(const std::string& name, const std::string& key);
  std::map<std::string, Scope> scopes_;
  size_t bytes_ = 0;  // Of all names, keys and values, and of what stands in `done`.
};

// Responds at a port until its end, in a thread of its own, within the limits of http/server.h: of
// up to 512 at a time, each of whom asks for one thing of up to 1 MiB.
class KeyServer {
 public:
  // On this machine's loopback, or at all its addresses.
  static Result<std::unique_ptr<KeyServer>> Start(bool loopback);
  int32_t port() const { return server_->guard().port; }

 private:
  class Service;
  explicit KeyServer(std::unique_ptr<HttpServer> server);

  const std::unique_ptr<HttpServer> server_;
  std::jthread thread_;
};

// Collective: rank 0 of several starts a server, which all learn of as `place.store`. Null on the
// other ranks.
Result<std::unique_ptr<KeyServer>> ShareKeyServer(TaskContext& context, ProgramPlace& place);

}  // namespace protium
