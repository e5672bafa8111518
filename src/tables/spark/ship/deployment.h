// SPDX-License-Identifier: Apache-2.0
// This program on its way to executors. A session starts the small launcher as its Python; the
// bundles of program and libraries, hundreds of megabytes with LibTorch, are sent only once an
// executor says that it lacks them: executors keep what an earlier session unpacked.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/call.h"
#include "connect/session.h"
#include "engine/spark_settings.h"
#include "spark/ship/bundle.h"

namespace protium {

// Whether an operation failed because an executor lacks the program; then no task is to blame.
bool LacksProgram(const Status& failure);

// What a session's executors have been sent. One per session. Thread-safe.
class Deployment {
 public:
  // `program` is what executors become; empty: the program of this process.
  Deployment(SparkSession& session, SparkSettings settings, std::filesystem::path program)
      : session_(session), settings_(std::move(settings)), program_file_(std::move(program)) {}

  // Whether what Use() sends can be made on this machine. Quick, and sends nothing.
  Status Check() const;

  // Makes the session start this program, with or without LibTorch, for the tasks of the operations
  // that follow; operations that run already are not affected. Sends the launcher if the session
  // has not got it. With SparkSettings::program that path is started instead, and nothing is sent.
  Status Use(bool torch, const Call& call);

  // How many bundles have been sent. Noted before an operation is submitted, for SendMissing().
  int64_t sends() const;

  // True if an operation failed because executors lack a bundle that was sent only after `sends`
  // were noted, by this call or by another operation's: it may be submitted again. An operation
  // brings along the bundles that had been sent when it was submitted, to executors that come later
  // as well. False for any other failure; so an operation is submitted again as often as there are
  // bundles at most. Sends BundleSent.
  Result<bool> SendMissing(const Status& failure, int64_t sends, const Call& call);

  // Runs an operation, and again whenever SendMissing() allows it. `operation` returns a Result.
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
  mutable std::mutex mutex_;
  std::optional<Bundle> program_;
  std::optional<Bundle> torch_;
  std::map<std::string, int64_t> sent_;  // By name; how many were sent before it.
  std::string used_;                     // What the session starts at present.
};

}  // namespace protium
