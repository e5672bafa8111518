// SPDX-License-Identifier: Apache-2.0
// Refusals of the machine are reported as such, with the system's words and a fix, and never as a
// bug.
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// Runs a command line after a shell command.
Outcome Shell(const OwnJob& own, const std::string& before, const std::string& words,
              const std::string& behind = "") {
  const std::string command = before + " " + ProtiumCommand() + " " + words + " " + behind;
  Running running({"/bin/sh", "-c", command}, own.path());
  return running.Wait();
}

// Limits and rights do not apply to root, so this runs as another user.
std::string AsSomebody(const std::string& limited = "") {
  if (::geteuid() != 0) return "exec " + limited;
  const std::string user = std::to_string(50'000 + ::getpid() % 10'000);
  return "exec " + limited + "setpriv --reuid=" + user + " --regid=" + user + " --clear-groups";
}

void ExpectTold(const Outcome& outcome, const std::string& part, const std::string& what) {
  EXPECT_NE(outcome.exit, 70) << what << "\n" << outcome.err;
  EXPECT_GT(outcome.exit, 0) << what << "\n" << outcome.err;
  EXPECT_FALSE(Has(outcome.err, "bug in protium")) << what << "\n" << outcome.err;
  EXPECT_TRUE(Has(outcome.err, part)) << what << "\n" << outcome.err;
}

}  // namespace

TEST(Environment, WithoutThreadsIsTold) {
  const OwnJob own;
  fs::permissions(own.path(), fs::perms::all);
  for (const std::string& words :
       {std::string("sql 'SELECT 1 AS a' --table m="), std::string("inspect ")}) {
    const Outcome outcome =
        Shell(own, "cd " + own.path().string() + " && " + AsSomebody("prlimit --nproc=1 "),
              words + (own / "machines.csv").string());
    ExpectTold(outcome, "cannot start a thread: Resource temporarily unavailable", words);
    ExpectTold(outcome, "ulimit -u", words);
    EXPECT_EQ(outcome.exit, 4) << outcome.err;
  }
}

TEST(Environment, WithoutDescriptorsIsToldWhereverTheyEnd) {
  const OwnJob own;
  for (int files = 4; files < 24; files += 2) {
    const Outcome outcome = Shell(own, "ulimit -n " + std::to_string(files) + "; exec",
                                  "inspect " + (own / "machines.csv").string());
    if (outcome.exit == 0) break;
    EXPECT_FALSE(Has(outcome.err, "bug in protium")) << files << "\n" << outcome.err;
    EXPECT_NE(outcome.exit, 70) << files << "\n" << outcome.err;
  }
}

TEST(Environment, WithALinkToItselfInAnyPlaceIsTold) {
  const OwnJob own;
  fs::create_symlink("loop", own / "loop");
  const std::string loop = (own / "loop").string(), table = (own / "machines.csv").string();
  for (const std::string& words :
       {"inspect " + loop, "inspect " + loop + "/t.csv", "check " + loop + "/job.toml",
        "plan " + loop, "run " + loop, "runs list --runs-dir " + loop,
        "run " + (own / "job.toml").string() + " --runs-dir " + loop + "/runs",
        "sql 'SELECT 1 AS a' --data " + loop, "sql 'SELECT * FROM t' --table t=" + loop,
        "sql 'SELECT 1 AS a' --output " + loop + "/a.csv",
        "predict --model " + loop + " --data . --output a.csv", "export " + loop + " --to onnx",
        "init " + loop + " --label y",
        "init " + table + " --label hours --output " + loop + "/job.toml",
        "gang --files " + loop + " -- true", "status --runs-dir " + loop,
        "example flights " + loop + "/data --rows 10"}) {
    ExpectTold(Shell(own, "exec", words), "", words);
  }
}

TEST(Environment, WithALinkToItselfAmongTheTablesPassesItOverAndSaysSo) {
  const OwnJob own;
  fs::create_symlink("b.csv", own / "b.csv");
  fs::create_symlink("tables", own / "tables");
  const std::string folder = own.path().string();
  const Outcome queried =
      own.Protium({"sql", "SELECT count(*) AS n FROM machines", "--data", folder});
  EXPECT_EQ(queried.exit, 0) << queried.err;
  EXPECT_TRUE(Has(queried.err, "ignored " + folder + "/b.csv: Too many levels")) << queried.err;
  EXPECT_TRUE(Has(queried.err, "ignored " + folder + "/tables")) << queried.err;
  const Outcome looked = own.Protium({"inspect", folder});
  EXPECT_EQ(looked.exit, 0) << looked.err;
}

TEST(Environment, WithoutRightsIsTold) {
  const OwnJob own;
  fs::permissions(own.path(), fs::perms::all);
  fs::create_directory(own / "mine");
  fs::permissions(own / "mine", fs::perms::none);
  const std::string mine = (own / "mine").string(), table = (own / "machines.csv").string();
  for (const std::string& words :
       {"inspect " + mine, "inspect " + mine + "/t.csv", "check " + mine + "/job.toml",
        "runs list --runs-dir " + mine + "/runs", "sql 'SELECT 1 AS a' --data " + mine,
        "run " + (own / "job.toml").string() + " --runs-dir " + mine + "/runs",
        "sql 'SELECT 1 AS a' --output " + mine + "/a.csv",
        "predict --model " + mine + "/model --data . --output a.csv",
        "export " + mine + "/run --to csv", "gang --files " + mine + "/a -- true",
        "init " + table + " --label hours --output " + mine + "/job.toml"}) {
    ExpectTold(Shell(own, "cd " + own.path().string() + " && " + AsSomebody(), words), "", words);
  }
  fs::permissions(own / "mine", fs::perms::all);
}

TEST(Environment, WithoutATemporaryFolderIsTold) {
  const OwnJob own;
  const Outcome outcome = Shell(own, "TMPDIR=/nowhere exec",
                                "sql 'SELECT 1 AS a' --table m=" + (own / "machines.csv").string());
  ExpectTold(outcome, "/nowhere", "sql");
  ExpectTold(outcome, "TMPDIR", "sql");
  EXPECT_EQ(outcome.exit, 4) << outcome.err;
}

// The output of a run must not go into the files that it has opened.
TEST(ClosedDescriptors, AreNobodyElses) {
  const OwnJob own;
  const std::string job = (own / "job.toml").string(), runs = (own / "runs").string();
  for (const std::string closed : {"<&- >&- 2>&-", ">&- 2>&-", "<&- 2>&-", "2>&-"}) {
    fs::remove_all(runs);
    const Outcome outcome =
        Shell(own, "exec", "run " + job + " --verbose --runs-dir " + runs, closed);
    // The result cannot be printed if stdout is closed.
    EXPECT_EQ(outcome.exit, Has(closed, ">&- 2") ? 4 : 0) << closed;
    const fs::path run = fs::path(own.Model()).parent_path();
    EXPECT_TRUE(fs::exists(run / "model" / "model.json")) << closed;
    std::stringstream events(ReadText(run / "events.jsonl"));
    for (std::string line; std::getline(events, line);) {
      EXPECT_TRUE(ParseJson(line).ok()) << closed << "\n" << line;
    }
    for (const char* file : {"run.json", "job.json", "result.json", "inputs.json"}) {
      EXPECT_TRUE(ParseJson(ReadText(run / file)).ok()) << closed << " " << file;
    }
  }
}

TEST(ClosedDescriptors, FailAsClosedOnesDo) {
  const OwnJob own;
  const Outcome printed = Shell(own, "exec", "sql 'SELECT 1 AS a'", ">&-");
  EXPECT_EQ(printed.exit, 4) << printed.err;
  EXPECT_TRUE(Has(printed.err, "cannot write to stdout")) << printed.err;
  const Outcome read = Shell(own, "exec", "sql -", "<&-");
  EXPECT_NE(read.exit, 0) << read.out;
}

}  // namespace protium::whole
