// SPDX-License-Identifier: Apache-2.0
// An interrupted command leaves no temporary folder; that of a killed one is removed by the next.
#include <gtest/gtest.h>
#include <signal.h>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// Lines that take long enough to read to be interrupted, and that no engine reads by itself.
std::string ManyLines() {
  std::string text;
  for (int i = 0; i < 400'000; ++i) {
    text += fmt::format("{{\"id\":{},\"name\":\"number {}\",\"parts\":[{},2,3]}}\n", i, i, i);
  }
  return text;
}

class Leftovers : public testing::Test {
 protected:
  Leftovers() : own_(MachinesTable(60)) {
    own_.Write("lines.jsonl", ManyLines());
    fs::create_directory(temporary_);
  }
  bool Empty() const { return fs::is_empty(temporary_); }
  Outcome Interrupted(const std::vector<std::string>& words, int signal) {
    std::vector<std::string> argv = {ProtiumCommand()};
    argv.insert(argv.end(), words.begin(), words.end());
    Running command(argv, own_.path(), {{"TMPDIR", temporary_.string()}});
    EXPECT_TRUE(command.AwaitChange(temporary_, [this] { return !Empty(); })) << words[0];
    command.Signal(signal);
    return command.Wait();
  }

  const OwnJob own_;
  const fs::path temporary_ = own_ / "tmp";
  const std::string lines_ = (own_ / "lines.jsonl").string();
};

}  // namespace

TEST_F(Leftovers, OfAnInterruptedCommandThereAreNone) {
  for (const int signal : {SIGINT, SIGTERM}) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"inspect", lines_},
          std::vector<std::string>{"init", lines_, "--label", "id", "--output",
                                   (own_ / "out.toml").string()}}) {
      const Outcome outcome = Interrupted(words, signal);
      EXPECT_EQ(outcome.exit, -signal) << words[0] << "\n" << outcome.err;
      EXPECT_TRUE(Empty()) << words[0] << " " << signal;
    }
    const Outcome queried =
        Interrupted({"sql", "SELECT count(*) AS n FROM l AS a, l AS b WHERE a.id < b.id", "--table",
                     "l=" + lines_},
                    signal);
    EXPECT_EQ(queried.exit, 75) << queried.err;
    EXPECT_TRUE(Empty()) << "sql " << signal;
  }
}

// The folder appears when init begins to try trees and a net.
TEST_F(Leftovers, OfAnInterruptedTrialThereAreNone) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Outcome outcome = Interrupted(
        {"init", own_ / "machines.csv", "--label", "hours", "--output", own_ / "out.toml"}, signal);
    EXPECT_EQ(outcome.exit, -signal) << outcome.err;
    EXPECT_TRUE(Empty()) << signal;
    EXPECT_FALSE(fs::exists(own_ / "out.toml"));
  }
}

TEST_F(Leftovers, OfAKilledCommandAreRemovedByTheNext) {
  EXPECT_EQ(Interrupted({"inspect", lines_}, SIGKILL).exit, -SIGKILL);
  ASSERT_FALSE(Empty());
  Running next({ProtiumCommand(), "sql", "SELECT 1 AS a"}, own_.path(),
               {{"TMPDIR", temporary_.string()}});
  const Outcome outcome = next.Wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(Empty());
}

}  // namespace protium::whole
