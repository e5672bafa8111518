// SPDX-License-Identifier: Apache-2.0
#include "run/elsewhere.h"

#include <chrono>

#include "os/file.h"
#include "run/event_log.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

fs::path FileOf(const fs::path& run) {
  return run.parent_path() / ".state" / (run.filename().string() + ".elsewhere");
}

}  // namespace

Status NoteElsewhere(const fs::path& run, const std::string& time) {
  PT_TRY(MakeFolder(FileOf(run).parent_path()));
  return WriteFile(FileOf(run), time);
}

Status ForgetElsewhere(const fs::path& run) {
  std::error_code ignored;
  fs::remove(FileOf(run), ignored);
  return Status::OK();
}

bool WorksElsewhere(const fs::path& run) {
  constexpr int64_t kFew = 64;
  constexpr double kMinute = 60'000;
  const auto text = ReadFile(FileOf(run), kFew);
  const auto time = text.ok() ? ReadTimeText(*text) : std::nullopt;
  const auto now = std::chrono::duration<double, std::milli>(
      std::chrono::system_clock::now().time_since_epoch());
  return time && now.count() - *time < kMinute;
}

}  // namespace protium
