// SPDX-License-Identifier: Apache-2.0
// The example job, small: two epochs by default.
#pragma once

#include <string>
#include <vector>

#include "whole/command.h"

namespace protium::whole {

inline std::vector<std::string> FlightsCommand(const Scratch& scratch, const std::string& tables,
                                               const std::vector<std::string>& settings) {
  std::vector<std::string> argv = {ProtiumCommand(), "run",
                                   FlightsJob(),     "--json",
                                   "--runs-dir",     (scratch.path() / "runs").string(),
                                   "--set",          "data=" + tables,
                                   "--set",          "train.epochs=2"};
  for (const std::string& setting : settings) {
    argv.push_back("--set");
    argv.push_back(setting);
  }
  return argv;
}

inline Outcome RunFlights(const Scratch& scratch, const std::string& tables,
                          const std::vector<std::string>& settings) {
  Running command(FlightsCommand(scratch, tables, settings), scratch.path());
  Outcome outcome = command.Wait();
  // The mark finds whatever a run leaves behind.
  if (!command.Descendants().empty()) outcome.err += "\nprocesses were left behind";
  return outcome;
}

inline std::string ModelWeights(const Outcome& run, const Scratch& scratch) {
  if (run.exit != 0 || !run.json.contains("model")) return {};
  return ReadWeightsHash(run.json["model"].get<std::string>(), scratch.path());
}

// `more`, followed by what all runs of a test have.
inline std::vector<std::string> Joined(std::vector<std::string> more,
                                       const std::vector<std::string>& common) {
  more.insert(more.end(), common.begin(), common.end());
  return more;
}

// The weights of an undisturbed run; empty if it fails.
inline std::string WeightsOfRun(int rows, const std::vector<std::string>& settings) {
  const Scratch scratch;
  return ModelWeights(RunFlights(scratch, ExampleTables(rows), settings), scratch);
}

}  // namespace protium::whole
