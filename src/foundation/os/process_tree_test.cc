// SPDX-License-Identifier: Apache-2.0
#include "os/process_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/fault.h"
#include "os/file.h"
#include "os/testing/within.h"

namespace protium {
namespace {

class ProcessTrees : public testing::Test {
 protected:
  ProcessTree Start(const std::string& script) {
    return ProcessTree::Start({.program = "/bin/sh",
                               .args = {"-c", script},
                               .env = {{"PT_FOLDER", folder_.path().string()}}})
        .ValueOrDie();
  }
  std::string Read(const std::string& name) { return ReadFile(folder_.path() / name).ValueOr(""); }
  // Waits for the process id that a script writes to this file.
  pid_t Pid(const std::string& name) {
    const auto deadline = Within(10'000);
    while (!Read(name).ends_with("\n") && Clock::now() < deadline) ::usleep(1000);
    return std::atoi(Read(name).c_str());
  }
  static bool Lives(pid_t pid) { return ::kill(pid, 0) == 0; }
  static bool EndsSoon(pid_t pid) {
    const auto deadline = Within(5000);
    while (Lives(pid) && Clock::now() < deadline) ::usleep(1000);
    return !Lives(pid);
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(ProcessTrees, TellHowTheProgramEnded) {
  EXPECT_EQ(Start("exit 3").Wait(Within(10'000)).ValueOrDie()->Describe(), "exited with code 3");
  EXPECT_EQ(Start("kill -9 $$").Wait(Within(10'000)).ValueOrDie()->signal, SIGKILL);
  ProcessTree sleeper = Start("sleep 60");
  EXPECT_FALSE(sleeper.Wait(Within(20)).ValueOrDie().has_value());
  sleeper.Terminate();
  EXPECT_EQ(sleeper.Wait(Within(10'000)).ValueOrDie()->signal, SIGTERM);
}

TEST_F(ProcessTrees, SayWhatCannotBeRun) {
  const auto tree = ProcessTree::Start({.program = folder_.path() / "nothing"});
  EXPECT_EQ(FaultOf(tree.status()).exit, Exit::kInput);
  const auto elsewhere =
      ProcessTree::Start({.program = "/bin/true", .folder = folder_.path() / "nothing"});
  EXPECT_FALSE(elsewhere.ok());
}

// A daemon: forked twice, in its own session, without its parent's descriptors, ignoring signals.
constexpr char kDaemon[] =
    "setsid sh -c 'trap \"\" TERM HUP; (exec >&- 2>&- <&-; echo $$ > $PT_FOLDER/daemon; "
    "while :; do sleep 1; done) & wait' & ";

TEST_F(ProcessTrees, EndWithWhatTheProgramLeftRunning) {
  ProcessTree tree =
      Start(std::string(kDaemon) + "while [ ! -s $PT_FOLDER/daemon ]; do sleep 0.01; done; exit 5");
  const pid_t daemon = Pid("daemon");
  ASSERT_GT(daemon, 1);
  EXPECT_EQ(tree.Wait(Within(10'000)).ValueOrDie()->code, 5);
  EXPECT_FALSE(Lives(daemon));
}

TEST_F(ProcessTrees, EndAtOnceWhenTheyAreDestroyed) {
  pid_t daemon = 0, deaf = 0;
  {
    const ProcessTree tree =
        Start(std::string(kDaemon) + "trap '' TERM; echo $$ > $PT_FOLDER/deaf; wait; sleep 60");
    daemon = Pid("daemon"), deaf = Pid("deaf");
    EXPECT_TRUE(Lives(daemon) && Lives(deaf));
  }
  EXPECT_FALSE(Lives(daemon) || Lives(deaf));
}

TEST_F(ProcessTrees, EndWithTheirOwnerHoweverThatEnds) {
  const pid_t owner = ::fork();
  if (owner == 0) {
    const ProcessTree tree = Start(std::string(kDaemon) + "echo $$ > $PT_FOLDER/shell; wait");
    ::pause();
  }
  const pid_t daemon = Pid("daemon"), shell = Pid("shell");
  EXPECT_TRUE(Lives(daemon) && Lives(shell));
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  EXPECT_TRUE(EndsSoon(daemon));
  EXPECT_TRUE(EndsSoon(shell));
}

TEST_F(ProcessTrees, HoldNoDescriptorsOfTheirOwner) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const ProcessTree tree = Start("sleep 60");
  writer.reset();
  const int fd = reader.get();
  EXPECT_EQ(WaitReadable({&fd, 1}, Within(5000)).ValueOrDie().size(), 1u);
}

TEST_F(ProcessTrees, FindProgramsAsShellsDo) {
  const auto put = [&](const std::string& name, mode_t mode) {
    const auto path = folder_.path() / name;
    std::ofstream(path) << "#!/bin/sh\n";
    ::chmod(path.c_str(), mode);
    return path.string();
  };
  const std::string tool = put("tool", 0755), notes = put("notes", 0644), py = put("a.py", 0644);
  EXPECT_EQ(FindProgram("tool", ("/nowhere:" + folder_.path().string()).c_str()).ValueOrDie(),
            tool);
  EXPECT_EQ(FindProgram(tool, nullptr).ValueOrDie(), tool);
  const auto refused = [](const std::string& name) {
    return FaultOf(FindProgram(name, "/nowhere").status());
  };
  EXPECT_EQ(refused("tool").exit, Exit::kUsage);
  EXPECT_EQ(refused("tool").what, "cannot run \"tool\": there is no such program");
  EXPECT_EQ(refused(notes).fix, "chmod +x " + notes);
  EXPECT_EQ(refused(py).fix, "python3 " + py);
  EXPECT_NE(refused(folder_.path().string()).what.find("it is a folder"), std::string::npos);
}

}  // namespace
}  // namespace protium
