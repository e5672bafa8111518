// SPDX-License-Identifier: Apache-2.0
// bench_serve_load PORT PATH BODY RATE SECONDS CONNECTIONS: sends requests at fixed times over
// persistent connections, and prints how long responses took from the moment that each request was
// due: a server that stalls delays all requests due meanwhile, and they count.
#define CPPHTTPLIB_OPENSSL_SUPPORT  // As Debian has built the library: the layout depends on these.
#define CPPHTTPLIB_ZLIB_SUPPORT
#define CPPHTTPLIB_BROTLI_SUPPORT
#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/json.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Load {
  int port;
  std::string path, body;
  double rate, seconds;
  int connections;
};

// Returns the milliseconds of each response on one connection; -1 for one that is not 200.
std::vector<double> Send(const Load& load, Clock::time_point begin, int which) {
  httplib::Client client("127.0.0.1", load.port);
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  std::vector<double> took;
  const int64_t requests = int64_t(load.rate * load.seconds);
  for (int64_t i = which; i < requests; i += load.connections) {
    const auto due = begin + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(double(i) / load.rate));
    std::this_thread::sleep_until(due);
    const auto answer = client.Post(load.path, load.body, "application/json");
    const std::chrono::duration<double, std::milli> since = Clock::now() - due;
    took.push_back(answer && answer->status == 200 ? since.count() : -1);
  }
  return took;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    fmt::print(stderr, "bench_serve_load PORT PATH BODY RATE SECONDS CONNECTIONS\n");
    return 2;
  }
  const Load load{std::atoi(argv[1]), argv[2],           argv[3], std::atof(argv[4]),
                  std::atof(argv[5]), std::atoi(argv[6])};
  std::vector<std::vector<double>> each{size_t(load.connections)};
  const auto begin = Clock::now() + std::chrono::milliseconds(100);
  {
    std::vector<std::jthread> threads;
    for (int c = 0; c < load.connections; ++c) {
      threads.emplace_back([&, c] { each[size_t(c)] = Send(load, begin, c); });
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::vector<double> all;
  int64_t failed = 0;
  for (const auto& some : each) {
    for (const double took : some) took < 0 ? void(++failed) : all.push_back(took);
  }
  std::sort(all.begin(), all.end());
  const auto at = [&](double share) {
    return all.empty() ? -1 : all[std::min(all.size() - 1, size_t(share * double(all.size())))];
  };
  fmt::print("{}\n", protium::Dump({{"answers", all.size()},
                                    {"failed", failed},
                                    {"rate", double(all.size()) / seconds},
                                    {"p50_ms", at(0.5)},
                                    {"p99_ms", at(0.99)},
                                    {"worst_ms", at(1)}}));
  return failed == 0 ? 0 : 1;
}
