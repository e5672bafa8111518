// SPDX-License-Identifier: Apache-2.0
// Sends this program to executors. A session starts the small launcher as its Python; the bundles
// of program and libraries, hundreds of megabytes with LibTorch, are sent only when an executor
// reports that it lacks them: executors retain what an earlier session unpacked.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "connect/session.h"
#include "engine/spark_settings.h"
#include "spark/ship/bundle.h"

namespace protium {

// Whether an operation failed because an executor lacks the program; then no task is to blame.
bool LacksProgram(const Status& failure);

// Keeps track of what a session's executors have been sent. One per session. Thread-safe.
class Deployment {
 public:
  // `program` is what executors run; empty: the program of this process. `libraries` are those that
  // it opens by name.
  Deployment(SparkSession& session, SparkSettings settings, std::filesystem::path program,
             std::vector<std::filesystem::path> libraries = {})
      : session_(session),
        settings_(std::move(settings)),
        program_file_(std::move(program)),
        libraries_(std::move(libraries)) {}

  // Checks whether what Use() sends can be made on this machine. Fast, and sends nothing.
  Status Check() const;

  // Makes the session start this program, with or without LibTorch, for the tasks of later
  // operations; running operations are not affected. ONNX Runtime comes with the program once this
  // process has opened it. Sends the launcher if the session does not have it. With
  // SparkSettings::program that path is started instead, and nothing is sent.
  Status Use(bool torch, const Call& call);

  // The number of bundles sent so far. Read it before an operation is submitted, for SendMissing().
  int64_t sends() const;

  // Returns true if the failed operation may be submitted again: executors lack a bundle that was
  // sent, by this call or another operation's, only after `sends` was read. An operation carries
  // the bundles that had been sent when it was submitted, also to executors that start later.
  // Returns false for any other failure; so an operation is resubmitted at most as often as there
  // are bundles. Sends BundleSent.
  Result<bool> SendMissing(const Status& failure, int64_t sends, const Call& call);

  // Runs an operation, and again as long as SendMissing() allows it. `operation` returns a Result.
  template <class Operation>
  auto Run(const Operation& operation, const Call& call) -> decltype(operation()) {
    while (true) {
      const int64_t noted = sends();
      auto outcome = operation();
      PT_LET(const bool again, SendMissing(outcome.status(), noted, call));
      if (!again) return outcome;
    }
  }

 private:
  struct Sendable {
    Bundle program;
    std::optional<Bundle> torch;
  };
  Result<Sendable> MakeBundles(bool torch);
  Status Send(const Artifact& artifact, const Call& call);

  SparkSession& session_;
  const SparkSettings settings_;
  const std::filesystem::path program_file_;
  const std::vector<std::filesystem::path> libraries_;
  mutable std::mutex mutex_;
  std::vector<Bundle> programs_;  // With other libraries each; the last is in use.
  std::vector<std::filesystem::path> libraries_in_use_;
  std::optional<Bundle> torch_;
  std::map<std::string, int64_t> sent_;  // By name, how many were sent before it.
  std::string used_;                     // What the session starts now.
};

}  // namespace protium
