// SPDX-License-Identifier: Apache-2.0
// Runs whole commands as a user would, in their own process group and environment, and finds
// whatever they leave behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "os/fd.h"

namespace protium::whole {

// The result of a command. `exit` is -signal if a signal ended it.
struct Outcome {
  int exit = -1000;
  std::string out;
  std::string err;
  Json json;  // The last line of `out`, if it is JSON.
  double seconds = 0;
};

// A running command. Its descendants have a mark in their environment, by which they are found.
class Running {
 public:
  Running(std::vector<std::string> argv, const std::filesystem::path& scratch,
          const std::map<std::string, std::string>& environment = {});
  ~Running();  // Kills whatever is left.
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  pid_t pid() const { return pid_; }
  bool alive() { return !AwaitEnd(std::chrono::seconds(0)); }
  void Signal(int signal) const;
  Outcome Wait(std::chrono::seconds limit = std::chrono::seconds(240));
  // Checks `holds` again whenever something changes in `folder` or a folder in it, and twice a
  // second; returns false if the command ended, or the time was up, before it held.
  bool AwaitChange(const std::filesystem::path& folder, const std::function<bool()>& holds,
                   std::chrono::seconds limit = std::chrono::seconds(180));
  // Processes other than the command that have its mark.
  std::vector<pid_t> Descendants() const;

 private:
  bool AwaitEnd(std::chrono::seconds limit);

  pid_t pid_ = -1;
  UniqueFd pidfd_;  // Readable when the command has ended.
  bool reaped_ = false;
  int status_ = 0;
  std::string mark_;
  std::filesystem::path out_;
  std::filesystem::path err_;
  std::chrono::steady_clock::time_point start_;
};

// Whether all of `processes`, which may be anyone's, end before the time is up.
bool EndWithin(const std::vector<pid_t>& processes, std::chrono::seconds limit);

// A folder for one test, removed afterwards.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The built command, the example job and program, and the repository.
std::string ProtiumCommand();
std::string FlightsProgram();
std::string FlightsJob();
std::filesystem::path Repository();

// Generated tables, made once for each (rows, seed) and shared by the tests of a program.
std::string ExampleTables(int rows, int seed = 7);
// The real tables, or an empty string if they are missing.
std::string RealTables();

std::string ReadText(const std::filesystem::path& path);
// The last value of `key` in the run's events.jsonl, or -1.
int64_t LastEventValue(const std::filesystem::path& run, const std::string& key);
// `weights_sha256` as `protium inspect --json` prints it.
std::string ReadWeightsHash(const std::string& model, const std::filesystem::path& scratch);

}  // namespace protium::whole
