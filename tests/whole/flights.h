// SPDX-License-Identifier: Apache-2.0
// The example job, small: two epochs unless a test says otherwise.
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
  // Whatever a run leaves behind would be found by its mark.
  if (!command.Descendants().empty()) outcome.err += "\nprocesses were left behind";
  return outcome;
}

inline std::string ModelWeights(const Outcome& run, const Scratch& scratch) {
  if (run.exit != 0 || !run.json.contains("model")) return {};
  return ReadWeightsHash(run.json["model"].get<std::string>(), scratch.path());
}

}  // namespace protium::whole
