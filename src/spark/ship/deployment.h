// SPDX-License-Identifier: Apache-2.0
// This program on its way to executors. A session starts the small launcher as its Python; the
// bundles of program and libraries, hundreds of megabytes with LibTorch, are sent only once an
// executor says that it lacks them: executors keep what an earlier session unpacked.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/call.h"
#include "spark/connect/session.h"
#include "spark/settings.h"
#include "spark/ship/bundle.h"

namespace protium {

// Whether a task of this name needs the LibTorch library.
bool NeedsTorch(std::string_view task);

// Whether an operation failed because an executor lacks the program; then no task is to blame.
bool LacksProgram(const Status& failure);

// What a session's executors have been sent. One per session. Thread-safe.
class Deployment {
 public:
  Deployment(SparkSession& session, SparkSettings settings)
      : session_(session), settings_(std::move(settings)) {}

  // Makes the session start this program, with or without LibTorch, for the tasks of the operations
  // that follow; operations that run already are not affected. Sends the launcher if the session
  // has not got it. With SparkSettings::program that path is started instead, and nothing is sent.
  Status Use(bool torch, const Call& call);

  // True if an operation failed because executors lack the program: it has been sent, and the
  // operation may be submitted once more. False for any other failure, and if it was sent before.
  // Tells {"event": "sent", "what", "bytes", "seconds"}.
  Result<bool> SendMissing(const Status& failure, const Call& call);

 private:
  struct Sendable {
    Bundle program;
    std::optional<Bundle> torch;
  };
  Result<Sendable> MakeBundles(bool torch);
  Status Send(const Artifact& artifact, const Call& call);

  SparkSession& session_;
  const SparkSettings settings_;
  std::mutex mutex_;
  std::optional<Bundle> program_;
  std::optional<Bundle> torch_;
  std::set<std::string> sent_;
  std::string used_;  // What the session starts at present.
};

}  // namespace protium
