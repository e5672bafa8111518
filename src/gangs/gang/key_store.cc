// SPDX-License-Identifier: Apache-2.0
#include "gang/key_store.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <list>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/fault.h"
#include "os/poll.h"

namespace protium {
namespace {

constexpr size_t kMostStored = size_t{64} << 20;
constexpr size_t kMostRequest = size_t{1} << 20;
constexpr size_t kMostVisitors = 512;
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kPauseWithoutDescriptors{20};

struct Question {
  std::string method, path, body;
};

// As much of HTTP/1.1 as is needed: of the headers Content-Length counts alone, without which there
// is no body. Nothing before the request is whole. Too long, or no length: a method that nobody
// has.
std::optional<Question> ReadQuestion(std::string_view bytes) {
  const size_t end = bytes.find("\r\n\r\n");
  if (end == bytes.npos) return std::nullopt;
  const std::string_view head = bytes.substr(0, end);
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const size_t first = line.find(' '), second = line.find(' ', first + 1);
  if (first == line.npos || second == line.npos) return Question{};
  size_t length = 0;
  const std::string lower = Lower(head);
  if (const size_t at = lower.find("\r\ncontent-length:"); at != lower.npos) {
    // Behind the name, its colon and the line end in front.
    size_t from = lower.find_first_not_of(' ', at + 17);
    from = std::min(from, lower.size());
    const auto read = std::from_chars(lower.data() + from, lower.data() + lower.size(), length);
    if (read.ec != std::errc() || length > kMostRequest) return Question{};
  }
  const std::string_view body = bytes.substr(end + 4);
  if (body.size() < length) return std::nullopt;
  return Question{.method = std::string(line.substr(0, first)),
                  .path = std::string(line.substr(first + 1, second - first - 1)),
                  .body = std::string(body.substr(0, length))};
}

std::string ToHttp(const KeyStore::Answer& answer) {
  const char* const phrase = answer.status == 200   ? "OK"
                             : answer.status == 404 ? "Not Found"
                             : answer.status == 413 ? "Content Too Large"
                                                    : "Bad Question";
  return fmt::format("HTTP/1.1 {} {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                     answer.status, phrase, answer.body.size()) +
         answer.body;
}

bool IsRank(std::string_view key) { return key.find_first_not_of("0123456789") == key.npos; }

// One connection, of one request.
struct Visitor {
  UniqueFd fd;
  Deadline until;
  std::string in;
  std::string out;  // Empty until the request is whole.
  size_t sent = 0;

  // False: it is gone, or has its answer.
  bool Go(KeyStore& store) { return out.empty() ? Receive(store) : Send(); }
  bool Receive(KeyStore& store) {
    char bytes[1 << 14];
    // Once each time that poll(2) says so, so that one visitor does not hold up the others.
    const ssize_t got = ::recv(fd.get(), bytes, sizeof(bytes), MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    in.append(bytes, size_t(got));
    auto question = ReadQuestion(in);
    if (!question && in.size() <= kMostRequest) return true;
    if (!question) question.emplace();
    out = ToHttp(store.Ask(question->method, question->path, std::move(question->body)));
    // At once: what the socket does not take goes on after a poll(2).
    return Send();
  }
  bool Send() {
    const ssize_t put =
        ::send(fd.get(), out.data() + sent, out.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0) return errno == EAGAIN || errno == EINTR;
    sent += size_t(put);
    return sent < out.size();
  }
};

}  // namespace

KeyStore::Answer KeyStore::Ask(const std::string& method, const std::string& path,
                               std::string body) {
  const size_t slash = path.find('/', 1);
  const bool two = path.starts_with('/') && slash > 1 && slash != path.npos &&
                   slash + 1 < path.size() && path.find('/', slash + 1) == path.npos;
  if (!two) return {400, ""};
  const std::string name = path.substr(1, slash - 1), key = path.substr(slash + 1);
  if (method == "PUT") return Put(name, key, std::move(body));
  if (method == "DELETE") return Delete(name, key);
  if (method != "GET") return {400, ""};
  const auto scope = scopes_.find(name);
  if (scope == scopes_.end() || !scope->second.values.contains(key)) return {404, ""};
  return {200, scope->second.values[key]};
}

KeyStore::Answer KeyStore::Put(const std::string& name, const std::string& key, std::string body) {
  const auto scope = scopes_.find(name);
  size_t after = bytes_ + key.size() + body.size();
  if (scope == scopes_.end()) {
    after += name.size();
  } else if (const auto old = scope->second.values.find(key); old != scope->second.values.end()) {
    after -= key.size() + old->second.size();
  }
  if (after > kMostStored) return {413, ""};
  bytes_ = after;
  scopes_[name].values[key] = std::move(body);
  return {};
}

KeyStore::Answer KeyStore::Delete(const std::string& name, const std::string& key) {
  const auto scope = scopes_.find(name);
  // The other ranks have emptied it already.
  if (scope == scopes_.end()) return {};
  auto& [values, done] = scope->second;
  if (!done.contains(key)) {
    if (bytes_ + key.size() > kMostStored) return {413, ""};
    bytes_ += key.size();
    done.insert(key);
  }
  // Of a rank there is its number, and there may be more under other names.
  const bool all = std::ranges::all_of(
      values, [&](const auto& each) { return !IsRank(each.first) || done.contains(each.first); });
  if (!all) return {};
  for (const auto& [each, value] : values) bytes_ -= each.size() + value.size();
  for (const std::string& each : done) bytes_ -= each.size();
  bytes_ -= name.size();
  scopes_.erase(scope);
  return {};
}

Result<std::unique_ptr<KeyServer>> KeyServer::Start(bool loopback) {
  UniqueFd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  UniqueFd ending(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(loopback ? INADDR_LOOPBACK : INADDR_ANY);
  auto* const at = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  const bool failed = !listening || !ending || ::bind(listening.get(), at, size) != 0 ||
                      ::listen(listening.get(), 256) != 0 ||
                      ::getsockname(listening.get(), at, &size) != 0;
  if (failed) return SystemFault("listen for programs that look for each other", errno);
  const int32_t port = ntohs(address.sin_port);
  return std::unique_ptr<KeyServer>(new KeyServer(std::move(listening), std::move(ending), port));
}

KeyServer::KeyServer(UniqueFd listening, UniqueFd ending, int32_t port)
    : listening_(std::move(listening)),
      ending_(std::move(ending)),
      port_(port),
      thread_([this] { Serve(); }) {}

KeyServer::~KeyServer() {
  (void)::eventfd_write(ending_.get(), 1);
  thread_.join();
}

void KeyServer::Serve() {
  KeyStore store;
  std::list<Visitor> visitors;
  while (true) {
    // poll(2) passes over -1: while there are kMostVisitors, others wait in the queue.
    std::vector<pollfd> polls = {
        {ending_.get(), POLLIN, 0},
        {visitors.size() < kMostVisitors ? listening_.get() : -1, POLLIN, 0}};
    Deadline until = kNever;
    for (const Visitor& each : visitors) {
      polls.push_back({each.fd.get(), short(each.out.empty() ? POLLIN : POLLOUT), 0});
      until = std::min(until, each.until);
    }
    Poll(polls, until);
    if (polls[0].revents != 0) return;
    const auto now = Clock::now();
    // Visitors are looked at once each and in order, as they stand in `polls`.
    size_t i = 2;
    std::erase_if(visitors, [&](Visitor& each) {
      const bool ready = polls[i++].revents != 0;
      return (ready && !each.Go(store)) || now >= each.until;
    });
    if (polls[1].revents == 0) continue;
    UniqueFd fd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd) {
      visitors.push_back({.fd = std::move(fd), .until = now + kPatience});
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
      // It stays in the queue, and poll(2) would say so at once, again and again.
      std::this_thread::sleep_for(kPauseWithoutDescriptors);
    }
  }
}

Result<std::unique_ptr<KeyServer>> ShareKeyServer(TaskContext& context, ProgramPlace& place) {
  std::unique_ptr<KeyServer> server;
  if (place.world == 1) return server;
  Status started;
  if (place.rank == 0) {
    auto made = KeyServer::Start(place.hosts == 1);
    started = made.status();
    if (made.ok()) server = std::move(*made);
  }
  // A rank that fails here still takes part: the others are told at once.
  PT_LET(const auto told, context.AllGather(std::to_string(server ? server->port() : 0)));
  PT_TRY(started);
  place.store = std::atoi(told[0].c_str());
  if (place.store > 0) return server;
  return Fail({.exit = Exit::kRemote, .what = "rank 0 found no port"});
}

}  // namespace protium
