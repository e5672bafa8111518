// SPDX-License-Identifier: Apache-2.0
#include "gang/key_store.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

constexpr size_t kMostStored = size_t{64} << 20;
constexpr size_t kMostRequest = size_t{1} << 20;

HttpResponse Plain(int status, std::string body = {}) {
  return {.status = status, .type = "application/octet-stream", .body = std::move(body)};
}

bool IsRank(std::string_view key) { return key.find_first_not_of("0123456789") == key.npos; }

}  // namespace

HttpResponse KeyStore::Respond(const std::string& method, const std::string& path,
                               std::string body) {
  const size_t slash = path.find('/', 1);
  const bool two = path.starts_with('/') && slash > 1 && slash != path.npos &&
                   slash + 1 < path.size() && path.find('/', slash + 1) == path.npos;
  if (!two) return Plain(400);
  const std::string name = path.substr(1, slash - 1), key = path.substr(slash + 1);
  if (method == "PUT") return Put(name, key, std::move(body));
  if (method == "DELETE") return Delete(name, key);
  if (method != "GET") return Plain(400);
  const auto scope = scopes_.find(name);
  if (scope == scopes_.end() || !scope->second.values.contains(key)) return Plain(404);
  return Plain(200, scope->second.values[key]);
}

HttpResponse KeyStore::Put(const std::string& name, const std::string& key, std::string body) {
  const auto scope = scopes_.find(name);
  size_t after = bytes_ + key.size() + body.size();
  if (scope == scopes_.end()) {
    after += name.size();
  } else if (const auto old = scope->second.values.find(key); old != scope->second.values.end()) {
    after -= key.size() + old->second.size();
  }
  if (after > kMostStored) return Plain(413);
  bytes_ = after;
  scopes_[name].values[key] = std::move(body);
  return Plain(200);
}

HttpResponse KeyStore::Delete(const std::string& name, const std::string& key) {
  const auto scope = scopes_.find(name);
  // The other ranks have emptied it already.
  if (scope == scopes_.end()) return Plain(200);
  auto& [values, done] = scope->second;
  if (!done.contains(key)) {
    if (bytes_ + key.size() > kMostStored) return Plain(413);
    bytes_ += key.size();
    done.insert(key);
  }
  // Each rank has its number as a key, and possibly more keys under other names.
  const bool all = std::ranges::all_of(
      values, [&](const auto& each) { return !IsRank(each.first) || done.contains(each.first); });
  if (!all) return Plain(200);
  for (const auto& [each, value] : values) bytes_ -= each.size() + value.size();
  for (const std::string& each : done) bytes_ -= each.size();
  bytes_ -= name.size();
  scopes_.erase(scope);
  return Plain(200);
}

class KeyServer::Service : public HttpService {
 public:
  HttpAdmission Admit(const HttpRequest&) override { return {.body_bytes = kMostRequest}; }
  // The pool has one thread, and therefore the store as well.
  HttpResponse Respond(const HttpRequest& request, const std::string& body) override {
    return store_.Respond(request.method, request.path, body);
  }
  std::chrono::milliseconds Drain() override { return {}; }

 private:
  KeyStore store_;
};

Result<std::unique_ptr<KeyServer>> KeyServer::Start(bool loopback) {
  // Horovod's client reads a response without a body until the connection ends.
  const HttpLimits limits{.connections = 512, .one_request = true, .end = std::chrono::seconds(1)};
  const std::string host = loopback ? "127.0.0.1" : "0.0.0.0";
  auto server = HttpServer::Bind({.guard = {.host = host}, .limits = limits});
  PT_TRY(Annotate(server.status(), "for programs that look for each other"));
  return std::unique_ptr<KeyServer>(new KeyServer(std::move(*server)));
}

KeyServer::KeyServer(std::unique_ptr<HttpServer> server)
    : server_(std::move(server)), thread_([this](std::stop_token stop) {
        Service service;
        (void)server_->Serve(service, std::move(stop));  // It has nothing to report.
      }) {}

Result<std::unique_ptr<KeyServer>> ShareKeyServer(TaskContext& context, ProgramPlace& place) {
  std::unique_ptr<KeyServer> server;
  if (place.world == 1) return server;
  Status started;
  if (place.rank == 0) {
    auto made = KeyServer::Start(place.hosts == 1);
    started = made.status();
    if (made.ok()) server = std::move(*made);
  }
  // A rank that fails here still takes part, so the others learn it at once.
  PT_LET(const auto told, context.AllGather(std::to_string(server ? server->port() : 0)));
  PT_TRY(started);
  place.store = std::atoi(told[0].c_str());
  if (place.store > 0) return server;
  return Fail({.exit = Exit::kRemote, .what = "rank 0 found no port"});
}

}  // namespace protium
