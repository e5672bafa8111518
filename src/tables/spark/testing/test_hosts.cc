// SPDX-License-Identifier: Apache-2.0
#include "spark/testing/test_hosts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <thread>

#include "base/fault.h"

namespace protium {
namespace {

// Opens the calling thread's own namespace.
UniqueFd OpenOwn(const char* kind) {
  return UniqueFd(
      ::open(fmt::format("/proc/thread-self/ns/{}", kind).c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

// Namespaces belong to a thread, and live as long as somebody has them open.
Result<TestHosts::Host> TestHosts::MakeHost(int number) {
  Host host;
  int error = 0;
  std::jthread([&] {
    const std::string name = fmt::format("host-{}", number);
    const bool made =
        ::unshare(CLONE_NEWNET | CLONE_NEWUTS) == 0 && ::sethostname(name.data(), name.size()) == 0;
    if (!made) error = errno;
    host = {OpenOwn("net"), OpenOwn("uts")};
  }).join();
  if (error != 0) return SystemFault("make a network of our own", error);
  return host;
}

Result<std::unique_ptr<TestHosts>> TestHosts::Make() {
  if (std::system("ip -V >/dev/null 2>&1") != 0) return Fail({.what = "there is no ip(8)"});
  auto hosts = std::make_unique<TestHosts>();
  for (int number = 0; number < 2; ++number) {
    PT_LET(Host host, MakeHost(number));
    hosts->hosts_.push_back(std::move(host));
  }
  const std::string other =
      fmt::format("/proc/{}/fd/{}", ::getpid(), hosts->hosts_[1].network.get());
  PT_TRY(hosts->Run(0, "ip link add line type veth peer name line netns " + other));
  for (int number = 0; number < 2; ++number) {
    PT_TRY(hosts->Run(number, fmt::format("ip addr add 10.99.0.{}/24 dev line && "
                                          "ip link set line up && ip link set lo up",
                                          number + 1)));
  }
  return hosts;
}

void TestHosts::Enter(int host) const {
  EXPECT_EQ(::setns(hosts_[size_t(host)].network.get(), CLONE_NEWNET), 0);
  EXPECT_EQ(::setns(hosts_[size_t(host)].name.get(), CLONE_NEWUTS), 0);
}

Status TestHosts::Run(int host, const std::string& command) const {
  int code = -1;
  std::jthread([&] {
    Enter(host);
    code = std::system(command.c_str());
  }).join();
  return code == 0 ? Status::OK() : Fail({.what = "\"" + command + "\" failed"});
}

void TestHosts::Cut() const { EXPECT_TRUE(Run(0, "ip link set line down").ok()); }
void TestHosts::Join() const { EXPECT_TRUE(Run(0, "ip link set line up").ok()); }

}  // namespace protium
