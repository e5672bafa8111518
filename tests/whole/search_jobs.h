// SPDX-License-Identifier: Apache-2.0
// For tests of whole searches: what a run of one has come to.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "whole/own_job.h"

namespace protium::whole {

// trials.json without anything that depends on the clock.
inline Json Trials(const std::filesystem::path& run) {
  Json table = ParseJson(ReadText(run / "trials.json")).ValueOr(Json::object());
  if (!table.contains("trials")) return table;
  for (Json& trial : table["trials"]) trial.erase("seconds");
  return table;
}

inline Outcome RunJson(const OwnJob& job, std::vector<std::string> more = {}) {
  more.push_back("--json");
  return job.Run(more);
}

inline std::string Weights(const Outcome& run, const OwnJob& job) {
  if (run.exit != 0 || !run.json.contains("model")) return run.err;
  return ReadWeightsHash(run.json["model"].get<std::string>(), job.path());
}

}  // namespace protium::whole
