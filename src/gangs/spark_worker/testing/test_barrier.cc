// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/testing/test_barrier.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/json.h"
#include "os/poll.h"
#include "spark_worker/wire.h"

namespace protium {

namespace {

constexpr char kSecret[] = "of the test";

// Binds to a free port of the loopback device, and returns it.
int Port(int fd) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(fd, any, length), 0);
  EXPECT_EQ(::getsockname(fd, any, &length), 0);
  return ntohs(address.sin_port);
}

void BindPath(int fd, const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
}

Result<std::string> ReadText(ExecutorWire& wire) {
  PT_LET(const int32_t bytes, wire.ReadInt());
  std::string text(static_cast<size_t>(bytes), '\0');
  PT_TRY(wire.Read(text.data(), bytes));
  return text;
}

}  // namespace

TestBarrier::TestBarrier(Kind kind, int32_t tasks)
    : tasks_(tasks), folder_(TemporaryFolder::Make().ValueOrDie()) {
  const int family = kind == Kind::kTcp ? AF_INET : AF_UNIX;
  listener_ = UniqueFd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ending_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
  if (kind == Kind::kTcp) {
    address_ = {.port = Port(listener_.get()), .secret = kSecret};
  } else {
    address_ = {.path = folder_.path() / "barrier"};
    BindPath(listener_.get(), address_.path);
  }
  // Before the thread starts and the address is known: an early call waits in the queue.
  EXPECT_EQ(::listen(listener_.get(), 16), 0);
  thread_ = std::jthread([this] { Serve(); });
}

// After this, thread_, the last member, is joined while what it uses still exists.
TestBarrier::~TestBarrier() { EXPECT_EQ(::eventfd_write(ending_.get(), 1), 0); }

void TestBarrier::Serve() {
  std::vector<Caller> callers;
  std::array<pollfd, 2> polls = {{{ending_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}}};
  for (;;) {
    (void)Poll(polls, kNever);
    if (polls[0].revents != 0) return;
    if (Accept(callers) && callers.size() == static_cast<size_t>(tasks_)) {
      Answer(callers);
      callers.clear();
    }
  }
}

// Receives one call; returns false if it does not know the secret.
bool TestBarrier::Accept(std::vector<Caller>& callers) {
  // The wire is destroyed with this function; `fd` stays open for the reply, which comes when all
  // have called.
  UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  auto wire = ExecutorWire::Make(fd.Duplicate().ValueOrDie()).ValueOrDie();
  wire->WaitUntil(Clock::now() + std::chrono::seconds(20));
  // A Unix socket requires none.
  if (!address_.secret.empty()) {
    const bool known = ReadText(*wire).ValueOr("") == kSecret;
    EXPECT_TRUE(wire->WriteText(known ? "ok" : "err").ok() && wire->Flush().ok());
    if (!known) return false;
  }
  // 1 is a barrier, 2 a gathering, whose text follows (barrier.h).
  Caller caller{.fd = std::move(fd), .what = wire->ReadInt().ValueOr(0)};
  if (caller.what == 2) caller.text = ReadText(*wire).ValueOr("");
  said_.push_back(caller.text);
  callers.push_back(std::move(caller));
  return true;
}

// Texts go by partition: those of tests say which theirs is, as JSON, or sort by themselves.
void TestBarrier::Answer(std::vector<Caller>& callers) {
  std::vector<std::pair<int64_t, std::string>> texts;
  for (const Caller& each : callers) {
    const auto json = ParseJson(each.text);
    const bool seat = json.ok() && json->is_object() && json->contains("rank");
    texts.emplace_back(seat ? (*json)["rank"].get<int64_t>() : 0, each.text);
  }
  std::sort(texts.begin(), texts.end());
  for (Caller& each : callers) {
    const auto wire = ExecutorWire::Make(std::move(each.fd)).ValueOrDie();
    if (!canned_.empty()) {
      (void)wire->Write(canned_.data(), static_cast<int64_t>(canned_.size()));
    } else if (each.what == 1) {
      // A count, then that many texts: one after a barrier, one per task after a gathering.
      (void)wire->WriteInt(1);
      (void)wire->WriteText("success");
    } else {
      (void)wire->WriteInt(tasks_);
      for (const auto& [rank, text] : texts) (void)wire->WriteText(text);
    }
    (void)wire->Flush();
  }
}

}  // namespace protium
