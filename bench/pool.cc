// SPDX-License-Identifier: Apache-2.0
// How long a driver waits for workers, with the pool and without: medians of 100, one JSON line for
// each figure.
//   bench_pool bin/protium   starts pools of its own in /tmp, which end with it
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

#include "base/fault.h"
#include "base/json.h"
#include "os/temporary_folder.h"
#include "pool/pool_client.h"
#include "pool/pool_daemon.h"

namespace protium {
namespace {

constexpr int kRounds = 100;
// The pool forks the next ones when nobody asks.
constexpr std::chrono::milliseconds kPause{100};
const EnvironmentList kOneThread = {{"OMP_NUM_THREADS", "1"}};

double Milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

void Print(const char* name, std::vector<double> times) {
  std::ranges::sort(times);
  const Json figure = {{"figure", std::string("pool, ") + name},
                       {"value", times[times.size() / 2]},
                       {"unit", "ms"},
                       {"of 95 %", times[times.size() * 95 / 100]}};
  fmt::print("{}\n", Dump(figure));
}

bool HasSpoken(Link& worker) {
  const auto frame = worker.Receive(Clock::now() + std::chrono::seconds(20));
  return frame.ok() && *frame;
}

struct Times {
  std::vector<double> attach, first_word;
};

// `count` workers at once, as a gang takes them.
Status Measure(PoolClient& pool, const PooledWish& wish, int count, Times& times) {
  const auto begin = Clock::now();
  const std::vector<PooledWorker> workers = pool.Take(wish, count);
  times.attach.push_back(Milliseconds(begin));
  if (int(workers.size()) != count) return Status::Invalid("the pool gave too few workers");
  for (const PooledWorker& each : workers) {
    if (!HasSpoken(*each.link)) return Status::Invalid("a worker said nothing");
  }
  times.first_word.push_back(Milliseconds(begin));
  return Status::OK();
}

Status Rounds(const std::string& name, const std::filesystem::path& socket,
              const PooledWish& wish) {
  PoolClient first(socket, "bench");
  for (int i = 0; i < 200 && first.Take(wish, 4).size() < 4; ++i) {
    std::this_thread::sleep_for(kPause);
  }
  PoolClient pool(socket, "bench");
  Times one, four;
  for (int i = 0; i < kRounds; ++i) {
    std::this_thread::sleep_for(kPause);
    PT_TRY(Measure(pool, wish, 1, one));
    std::this_thread::sleep_for(kPause);
    PT_TRY(Measure(pool, wish, 4, four));
  }
  Print((name + "attach").c_str(), one.attach);
  Print((name + "first word").c_str(), one.first_word);
  Print((name + "gang of 4 attached").c_str(), four.attach);
  Print((name + "gang of 4, all have spoken").c_str(), four.first_word);
  return Status::OK();
}

// As without a pool: the program started again.
Status Started(const std::filesystem::path& program, int count) {
  Spawner spawner;
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) {
    std::vector<Subprocess> processes;
    std::vector<std::unique_ptr<Link>> links;
    const auto begin = Clock::now();
    for (int each = 0; each < count; ++each) {
      PT_LET(auto ends, Channel::Pair());
      PT_LET(Subprocess process, spawner.Start({.program = program,
                                                .env = {{"PROTIUM_WORKER", "3"}},
                                                .fds = {{ends.second.fd(), 3}}}));
      processes.push_back(std::move(process));
      links.push_back(std::make_unique<Link>(std::move(ends.first)));
    }
    for (const auto& each : links) {
      if (!HasSpoken(*each)) return Status::Invalid("a worker said nothing");
    }
    times.push_back(Milliseconds(begin));
  }
  Print(count == 1 ? "started, first word" : "started, 4 have spoken", times);
  return Status::OK();
}

// A new connection, as at a program's start.
Status Connections(const std::filesystem::path& socket) {
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) {
    const auto begin = Clock::now();
    PT_TRY(AttachToPool(socket, "bench").status());
    times.push_back(Milliseconds(begin));
  }
  Print("connect and hello", times);
  return Status::OK();
}

// With a pool of its own, so that its warm workers are all of one kind.
Status WithPool(const std::function<Status(const std::filesystem::path&)>& measure) {
  PT_LET(const auto folder, TemporaryFolder::Make());
  const auto socket = folder.path() / "own" / "pool.sock";
  PT_LET(PoolListener listener, ListenAsPool(socket));
  // This process has one thread.
  const pid_t pool = ::fork();
  if (pool == 0) {
    (void)PoolDaemon({.socket = socket, .log = "/dev/null"}, std::move(listener)).Serve({});
    ::_exit(0);
  }
  listener = {};
  const Status status = measure(socket);
  ::kill(pool, SIGTERM);
  ::waitpid(pool, nullptr, 0);
  return status;
}

Status Run(const std::filesystem::path& program) {
  const PooledWish plain{.program = program, .environment = kOneThread};
  PT_TRY(WithPool([&](const std::filesystem::path& socket) -> Status {
    PT_TRY(Connections(socket));
    return Rounds("", socket, plain);
  }));
  PooledWish torch = plain;
  torch.torch = true;
  PT_TRY(WithPool([&](const auto& socket) { return Rounds("LibTorch, ", socket, torch); }));
  for (const int count : {1, 4}) PT_TRY(Started(program, count));
  return Status::OK();
}

}  // namespace
}  // namespace protium

int main(int argc, char** argv) {
  if (argc != 2) return fmt::print(stderr, "bench_pool bin/protium\n"), 2;
  const protium::Status status = protium::Run(argv[1]);
  if (!status.ok()) fmt::print(stderr, "{}\n", status.ToString());
  return status.ok() ? 0 : 1;
}
