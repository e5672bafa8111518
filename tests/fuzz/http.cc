// SPDX-License-Identifier: Apache-2.0
// Input from a stranger to the HTTP server, over a real connection: several requests, heads without
// bodies, bodies of any framing. Each input is one connection; it sends everything, and reads the
// responses.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "base/fault.h"
#include "http/server.h"
#include "os/fd.h"

namespace protium {
namespace {

constexpr char kToken[] = "let-me-in";
constexpr size_t kMostBody = 4096;

// Admits whoever presents the token, and returns the body. The guard's result is ignored.
class Echo : public HttpService {
 public:
  HttpAdmission Admit(const HttpRequest& head) override {
    guard_.Check(head, true);
    if (head.Parameter("token") == kToken) return {.refusal = {}, .body_bytes = kMostBody};
    return {.refusal = Refusal(403, {.what = "no token"})};
  }
  HttpResponse Respond(const HttpRequest& request, const std::string& body) override {
    PT_CHECK(request.Parameter("token") == kToken && body.size() <= kMostBody);
    return {.type = "text/plain", .body = request.path + body};
  }
  std::chrono::milliseconds Drain() override { return {}; }

 private:
  const Guard guard_{.host = "127.0.0.1", .port = 80, .token = kToken, .verb = "serve"};
};

class Serving {
 public:
  Serving() : server_(Bind()), thread_([this](std::stop_token stop) { Run(stop); }) {}
  int32_t port() const { return server_->guard().port; }

 private:
  static std::unique_ptr<HttpServer> Bind() {
    HttpServer::Options options;
    options.guard.host = "127.0.0.1";
    options.first_port = 20000;
    return HttpServer::Bind(std::move(options)).ValueOrDie();
  }
  void Run(std::stop_token stop) { PT_CHECK(server_->Serve(service_, stop).ok()); }

  Echo service_;
  std::unique_ptr<HttpServer> server_;
  std::jthread thread_;
};

UniqueFd Connect(int32_t port) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(uint16_t(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // Avoids TIME_WAIT, since there are more inputs than ports.
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  PT_CHECK(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  return fd;
}

}  // namespace
}  // namespace protium

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  static Serving serving;
  const UniqueFd fd = Connect(serving.port());
  // The server may close the connection before everything is sent.
  ::send(fd.get(), data, size, MSG_NOSIGNAL);
  ::shutdown(fd.get(), SHUT_WR);
  std::array<char, 64 << 10> answer;
  for (bool first = true;; first = false) {
    const ssize_t got = ::recv(fd.get(), answer.data(), answer.size(), 0);
    if (got <= 0) return 0;
    if (first) PT_CHECK(std::string_view(answer.data(), size_t(got)).starts_with("HTTP/1."));
  }
}
