// SPDX-License-Identifier: Apache-2.0
// A job that grows a forest, as a process in a folder of its own, to be disturbed.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "whole/flights.h"
#include "whole/live_run.h"
#include "whole/own_job.h"

namespace protium::whole {

inline constexpr int kForestRows = 6000;

constexpr const char* kForestJob = R"(name = "trees"
[tables]
machines = { csv = "machines.csv" }
[etl]
sql = "SELECT *, id * 7919 % 1009 / 50.0 AS noise FROM machines"
[split]
by = ["id"]
[[pipeline]]
kind = "string_indexer"
id = "index"
inputs = ["kind"]
[[pipeline]]
kind = "tree_estimator"
categorical = [{ stage = "index" }]
numeric = ["age", "load", "noise"]
label = "hours"
trees = { rounds = 1500, learning_rate = 0.02, leaves = 15, rows = 0.8 }
[train]
validation = { share = 0.2, by = ["id"] }
checkpoint = { every_steps = 100 }
)";

// The table's rows in another order; 0: as they are.
inline std::string Shuffled(const std::string& table, unsigned seed) {
  if (seed == 0) return table;
  std::istringstream lines(table);
  std::string head, text;
  std::getline(lines, head);
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  std::shuffle(rows.begin(), rows.end(), std::mt19937(seed));
  text = head + "\n";
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

// A run of the job in a folder of its own.
class Growing {
 public:
  explicit Growing(const std::string& workers, const std::vector<std::string>& settings = {},
                   unsigned order = 0)
      : command_(Prepared(workers, settings, order), scratch_.path()) {}

  Running& command() { return command_; }
  const Scratch& scratch() const { return scratch_; }

  Outcome Call(const std::vector<std::string>& verb) const {
    std::vector<std::string> argv = {ProtiumCommand()};
    argv.insert(argv.end(), verb.begin(), verb.end());
    argv.insert(argv.end(), {"--runs-dir", (scratch_.path() / "runs").string()});
    Running command(argv, scratch_.path());
    return command.Wait();
  }
  Outcome Resume(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> verb = {"resume", "last", "--json"};
    verb.insert(verb.end(), more.begin(), more.end());
    return Call(verb);
  }
  bool AwaitRound(int64_t round) { return AwaitStep(command_, scratch_, round); }
  // Until the gang trains with so many: Spark may bring some of them later than others.
  bool AwaitWorld(size_t world) {
    return command_.AwaitChange(scratch_.path() / "runs", [&] {
      size_t now = 0;
      for (const Json& event : EventsOf(scratch_)) {
        const std::string name = event.value("event", "");
        if (name == "gang_start") now = event["ranks"].size();
        if (name == "gang_entered") now = event["world"];
      }
      return now == world;
    });
  }
  // A member that is in the gang now: the newest one.
  int Newest() const {
    const std::vector<Json> started = EventsNamed(scratch_, "member_start");
    return started.empty() ? 0 : started.back()["rank"].get<int>();
  }

  // To its end; returns the forest's hash.
  std::string Weights() {
    const Outcome run = command_.Wait();
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_TRUE(command_.Descendants().empty());
    return ModelWeights(run, scratch_);
  }
  // Rounds follow one another. That in which a rank died may be reported again or, if rank 0 died
  // right after it, not at all.
  void LosesNoRound(int64_t deaths) const {
    int64_t last = 0, odd = 0;
    for (const Json& event : EventsNamed(scratch_, "epoch")) {
      const auto round = event["step"].get<int64_t>();
      EXPECT_GE(round, last);
      EXPECT_LE(round, last + 2);
      odd += round == last + 1 ? 0 : 1;
      last = round;
    }
    EXPECT_LE(odd, deaths);
    EXPECT_THAT(EventsNamed(scratch_, "restart"), testing::IsEmpty());
  }

 private:
  std::vector<std::string> Prepared(const std::string& workers,
                                    const std::vector<std::string>& settings, unsigned order) {
    std::ofstream(scratch_.path() / "machines.csv") << Shuffled(MachinesTable(kForestRows), order);
    std::ofstream(scratch_.path() / "job.toml") << kForestJob;
    std::vector<std::string> argv = {ProtiumCommand(),
                                     "run",
                                     (scratch_.path() / "job.toml").string(),
                                     "--json",
                                     "--runs-dir",
                                     (scratch_.path() / "runs").string(),
                                     "--set",
                                     "gang.workers=" + workers};
    for (const std::string& each : settings) argv.insert(argv.end(), {"--set", each});
    return argv;
  }

  Scratch scratch_;
  Running command_;
};

}  // namespace protium::whole
