// SPDX-License-Identifier: Apache-2.0
// Which workers are alike: those of one profile can be forked from one process that has loaded
// their libraries.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

using EnvironmentList = std::vector<std::pair<std::string, std::string>>;

struct WorkerProfile {
  std::filesystem::path program;
  std::string file;  // Identity of the program's file (FileIdentity).
  // Build ids of the program and our libraries, as its driver has loaded them (os/build_ids.h).
  std::map<std::string, std::string> builds;
  EnvironmentList environment;  // As far as it is read while libraries load.
  bool torch = false;

  // Equal for profiles that are alike.
  std::string Key() const;
  Json ToJson() const;
  static Result<WorkerProfile> FromJson(const Json& json);
};

// The profile of workers that this process starts by running `program`, with `more` on top of its
// environment. kEnvironment: the program's file is gone, or is another one by now.
Result<WorkerProfile> ProfileOf(const std::filesystem::path& program, const EnvironmentList& more,
                                bool torch);

// Device, inode, size and time of change of a file; empty if there is none.
std::string FileIdentity(const std::filesystem::path& path);
// The build ids by which drivers and zygotes compare themselves.
std::map<std::string, std::string> OwnBuilds();
// The name of a library that both have, in different builds; empty: there is none.
std::string DifferenceOfBuilds(const std::map<std::string, std::string>& one,
                               const std::map<std::string, std::string>& other);

}  // namespace protium
