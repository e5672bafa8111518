// SPDX-License-Identifier: Apache-2.0
// This program on its way to executors.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/call.h"
#include "engine/spark_settings.h"
#include "spark/connect/session.h"
#include "spark/ship/bundle.h"

namespace protium {

// Does a task of this name need the LibTorch library?
bool NeedsTorch(std::string_view task);

// Did an operation fail because an executor lacks the program? Then no task is to blame.
bool LacksProgram(const Status& failure);

// What of this program a session's executors have. One per session; any thread.
class Deployment {
 public:
  Deployment(SparkSession& session, SparkSettings settings)
      : session_(session), settings_(std::move(settings)) {}

  // Makes the session start this program, with or without LibTorch, for the tasks of the operations
  // that follow. Sends the launcher when the session has not got it.
  Status Use(bool torch, const Call& call);

  // True when an operation failed because an executor lacks the program. Then it has been sent, and
  // the operation may be submitted once more. Tells how much and for how long.
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
  std::set<std::string> sent_;  // Names of artifacts.
  std::string used_;            // What the session starts now.
};

}  // namespace protium
