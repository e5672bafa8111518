// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/fault.h"
#include "http/connection.h"

namespace protium {

namespace asio = boost::asio;

using asio::ip::tcp;
using boost::beast::error_code;

namespace {

constexpr int32_t kPortsTried = 20;
constexpr int kWaitingConnections = 1024;  // In the kernel, before they are accepted.
constexpr auto kStrangersEnd = std::chrono::seconds(1);
constexpr auto kAcceptAgain = std::chrono::milliseconds(50);

// Leaves descriptors for files and libraries.
size_t MostConnections(size_t asked) {
  constexpr rlim_t kOthers = 128;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return asked;
  return std::min(asked, size_t(std::max(files.rlim_cur, 2 * kOthers) - kOthers));
}

// Destroys the connection before whoever waits for the end of this resumes.
asio::awaitable<void> Talk(std::unique_ptr<HttpConnection> given) {
  const std::unique_ptr<HttpConnection> connection = std::move(given);
  co_await connection->Run();
}

class BeastServer : public HttpServer {
 public:
  explicit BeastServer(Options options) : options_(std::move(options)) {
    options_.limits.connections = MostConnections(options_.limits.connections);
  }

  const Guard& guard() const override { return options_.guard; }

  std::string address() const override {
    std::array<char, 256> name{};
    const std::string& host = guard().host;
    const bool all = host == "0.0.0.0" || host == "::";
    if (all && ::gethostname(name.data(), name.size() - 1) == 0) {
      return fmt::format("http://{}:{}/", name.data(), guard().port);
    }
    const bool six = host.find(':') != host.npos;
    return fmt::format("http://{}{}{}:{}/", six ? "[" : "", host, six ? "]" : "", guard().port);
  }

  Status TakePort() {
    Guard& guard = options_.guard;
    const bool one = guard.port > 0 || options_.first_port == 0;
    const int32_t first = guard.port > 0 ? guard.port : options_.first_port;
    const int32_t tries = one ? 1 : kPortsTried;
    error_code error;
    for (int32_t port = first; port < first + tries; ++port) {
      guard.port = port;
      if (Listen(error)) return Status::OK();
    }
    return Fail({.exit = Exit::kEnvironment,
                 .what = one ? fmt::format("cannot listen on port {} of {}", first, guard.host)
                             : fmt::format("cannot listen on any of the ports {} to {} of {}",
                                           first, first + tries - 1, guard.host),
                 .why = "other programs have them, or the address is not this machine's: " +
                        error.message(),
                 .fix = one ? "--port N with a port that is free, or none for the next free one"
                            : "--port N with a port that is free"});
  }

  Status Serve(HttpService& service, std::stop_token stop) override {
    ResponsePool pool({.threads = options_.limits.threads,
                       .waiting = options_.limits.waiting,
                       .bytes = options_.limits.computed_bytes});
    HttpServing serving{io_, service, options_, pool, {}, {}, 0, false};
    serving_ = &serving;
    asio::co_spawn(io_, Accept(), asio::detached);
    const std::stop_callback stopping(stop, [this] { asio::post(io_, [this] { Drain(); }); });
    io_.run();
    serving_ = nullptr;
    return Status::OK();
  }

 private:
  // Without SO_REUSEPORT, which would allow a second server to take the port, too.
  bool Listen(error_code& error) {
    tcp::resolver resolver(io_);
    const auto found = resolver.resolve(options_.guard.host, std::to_string(options_.guard.port),
                                        tcp::resolver::passive, error);
    if (error || found.empty()) return false;
    const tcp::endpoint endpoint = *found.begin();
    tcp::acceptor acceptor(io_);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(kWaitingConnections, error);
    if (!error) options_.guard.port = acceptor.local_endpoint(error).port();
    if (!error) acceptor_ = std::move(acceptor);
    return !error;
  }

  asio::awaitable<void> Accept() {
    while (!serving_->ending) {
      tcp::socket socket(io_);
      error_code error;
      co_await acceptor_.async_accept(socket, Into(error));
      if (!error) {
        Welcome(std::move(socket));
      } else if (!serving_->ending) {
        // For example, too many files are open.
        MakeRoom();
        asio::steady_timer again(io_, kAcceptAgain);
        co_await again.async_wait(Into(error));
      }
    }
  }

  bool MakeRoom() {
    const auto last = serving_->crowd.Last();
    if (last) serving_->connections.at(*last)->Close();
    return last.has_value();
  }

  void Welcome(tcp::socket socket) {
    if (serving_->crowd.size() >= options_.limits.connections && !MakeRoom()) return;
    try {
      auto connection = std::make_unique<HttpConnection>(*serving_, std::move(socket));
      asio::co_spawn(io_, Talk(std::move(connection)),
                     [this](const std::exception_ptr&) { CheckEnd(); });
    } catch (const std::bad_alloc&) {
      // This connection ends; the others and later ones need not.
    }
  }

  void Drain() {
    drained_.expires_after(serving_->service.Drain());
    drained_.async_wait([this](error_code) { BeginEnd(); });
  }

  void BeginEnd() {
    serving_->ending = true;
    error_code ignored;
    acceptor_.close(ignored);
    Close({Crowd::Stage::kIdle});
    EndAfter(strangers_, kStrangersEnd, {Crowd::Stage::kStranger});
    EndAfter(all_, options_.limits.end,
             {Crowd::Stage::kStranger, Crowd::Stage::kSending, Crowd::Stage::kReading});
    CheckEnd();
  }

  void EndAfter(asio::steady_timer& timer, std::chrono::milliseconds after,
                std::vector<Crowd::Stage> stages) {
    timer.expires_after(after);
    timer.async_wait([this, stages = std::move(stages)](error_code cancelled) {
      if (!cancelled) Close(stages);
    });
  }

  void Close(const std::vector<Crowd::Stage>& stages) {
    for (const auto& [id, connection] : serving_->connections) {
      if (std::count(stages.begin(), stages.end(), connection->stage()) > 0) connection->Close();
    }
  }

  // Stops waiting as soon as no connection is left.
  void CheckEnd() {
    if (!serving_->ending || !serving_->connections.empty()) return;
    strangers_.cancel();
    all_.cancel();
  }

  Options options_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer drained_{io_}, strangers_{io_}, all_{io_};
  HttpServing* serving_ = nullptr;  // While Serve() runs.
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Bind(Options options) {
  auto server = std::make_unique<BeastServer>(std::move(options));
  PT_TRY(server->TakePort());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace protium
