// SPDX-License-Identifier: Apache-2.0
#include "os/subprocess.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/fault.h"
#include "os/file.h"
#include "os/signals.h"
#include "os/testing/within.h"

namespace protium {
namespace {

SubprocessOptions Shell(const std::string& script) {
  return {.program = "/bin/sh", .args = {"-c", script}};
}

size_t OpenDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

TEST(Subprocess, TellsItsExitCodeOrSignal) {
  Spawner spawner;
  Subprocess code = spawner.Start(Shell("exit 3")).ValueOrDie();
  EXPECT_EQ(code.Wait(Within(10000)).ValueOrDie()->Describe(), "exited with code 3");
  Subprocess killed = spawner.Start(Shell("kill -9 $$")).ValueOrDie();
  EXPECT_EQ(killed.Wait(Within(10000)).ValueOrDie()->Describe(),
            "was killed by signal 9 (SIGKILL)");
}

TEST(Subprocess, GetsEnvironmentDescriptorsAndLog) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  Spawner spawner;
  SubprocessOptions options = Shell("echo $PT_WORD >&9; echo oops >&2; exec ls /proc/self/fd");
  options.env = {{"PT_WORD", "hello"}};
  options.fds = {{write_end.get(), 9}};
  options.log = folder.path() / "log";
  Subprocess child = spawner.Start(options).ValueOrDie();
  EXPECT_EQ(child.Wait(Within(10000)).ValueOrDie()->code, 0);
  char text[16] = {};
  EXPECT_EQ(::read(read_end.get(), text, sizeof(text)), 6);
  EXPECT_STREQ(text, "hello\n");
  EXPECT_EQ(*ReadFile(options.log), "oops\n0\n1\n2\n3\n9\n");  // 3 is the folder itself.
}

TEST(Subprocess, DescriptorsMayTradePlaces) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd read_end(ends[0]);
  const UniqueFd write_end(ends[1]);
  Spawner spawner;
  SubprocessOptions options = Shell("echo x >&" + std::to_string(ends[0]));
  options.fds = {{ends[0], ends[1]}, {ends[1], ends[0]}};
  EXPECT_EQ(spawner.Start(options).ValueOrDie().Wait(Within(10000)).ValueOrDie()->code, 0);
  char got = 0;
  EXPECT_EQ(::read(read_end.get(), &got, 1), 1);
}

TEST(Subprocess, IsKilledAndReapedWithItsGroup) {
  const size_t before = OpenDescriptors();
  pid_t pid = 0;
  {
    Spawner spawner;
    Subprocess child = spawner.Start(Shell("sleep 100 & wait")).ValueOrDie();
    pid = child.pid();
    EXPECT_FALSE(child.Wait(Within(1)).ValueOrDie().has_value());
  }
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST(Subprocess, ThatCannotRunIsAnError) {
  Spawner spawner;
  const Status status = spawner.Start({.program = "/nowhere/at/all"}).status();
  EXPECT_NE(status.message().find("/nowhere/at/all: No such file"), std::string::npos) << status;
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

// A process between this one and the child is killed: the child must end without being notified.
TEST(Subprocess, EndsWithItsKilledParent) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const pid_t parent = ::fork();
  if (parent == 0) {
    Spawner spawner;
    SubprocessOptions options = Shell("echo ready >&9; exec sleep 100");
    options.fds = {{write_end.get(), 9}};
    const auto child = spawner.Start(options);
    ::pause();
    ::_exit(0);
  }
  ASSERT_GT(parent, 1);  // kill() of -1 would signal every process.
  write_end.reset();
  char text[6];
  ASSERT_EQ(::read(read_end.get(), text, 6), 6);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  const int fd = read_end.get();
  EXPECT_EQ(WaitReadable({&fd, 1}, Within(5000)).ValueOrDie().size(), 1u);
}

TEST(StopOnSignal, AsksToStopOnceAndExitsTheSecondTime) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const auto stop = StopOnSignal::Make().ValueOrDie();
    ::kill(::getpid(), SIGINT);
    while (!stop->token().stop_requested()) ::usleep(1000);
    if (stop->signal() != SIGINT) ::_exit(1);
    ::kill(::getpid(), SIGINT);
    ::pause();
    ::_exit(2);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 130);
}

}  // namespace
}  // namespace protium
