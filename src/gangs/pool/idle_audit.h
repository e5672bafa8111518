// SPDX-License-Identifier: Apache-2.0
// What the pool does while nobody needs it: it starts a command that reads what runs have kept and
// drops what is damaged (protium cache verify --sample), and ends it when a program comes.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "os/subprocess.h"

namespace protium {

struct IdleAuditSettings {
  std::vector<std::string> command;          // Empty: there is nothing to do.
  std::chrono::milliseconds after{60'000};   // Without programs.
  std::chrono::milliseconds every{600'000};  // From one start to the next.
};

// One thread.
class IdleAudit {
 public:
  // `log`: where the command writes.
  IdleAudit(IdleAuditSettings settings, std::filesystem::path log)
      : settings_(std::move(settings)), log_(std::move(log)) {}

  // `busy`: when a program was last served; `serving`: one is.
  void Look(bool serving, Clock::time_point busy, Clock::time_point now);
  // Ends the command. A program that takes the pool's place would not know it.
  void End() { runs_.reset(); }
  bool runs() const { return runs_.has_value(); }

 private:
  void Start();

  const IdleAuditSettings settings_;
  const std::filesystem::path log_;
  std::optional<Subprocess> runs_;
  std::optional<Clock::time_point> started_;
};

}  // namespace protium
