// SPDX-License-Identifier: Apache-2.0
#include "app/gang/sizing.h"

#include <fcntl.h>

#include <cerrno>

#include "base/fault.h"
#include "base/json.h"
#include "os/file.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr char kSizes[] = "gang-workers.json";
constexpr int64_t kMostSizesBytes = 1000;

}  // namespace

Result<UniqueFd> OfferSizing(const SizedGang& gang) {
  const fs::path file = gang.folder / kSizes;
  PT_TRY(WriteFile(file, Dump(ToJson(gang.workers))));
  UniqueFd held(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!held) return SystemFault("open " + file.string(), errno);
  return held;
}

std::optional<SizedGang> FindSizedGang(pid_t process) {
  std::error_code hidden;
  const fs::path fds = "/proc/" + std::to_string(process) + "/fd";
  for (const auto& each : fs::directory_iterator(fds, hidden)) {
    const fs::path file = fs::read_symlink(each.path(), hidden);
    if (hidden || file.filename() != kSizes) continue;
    const auto text = ReadFile(file, kMostSizesBytes);
    const auto json = text.ok() ? ParseJson(*text) : Result<Json>(text.status());
    SizedGang gang{.folder = file.parent_path(), .workers = {}};
    if (json.ok() && FromJson(*json, "workers", gang.workers).ok()) return gang;
  }
  return std::nullopt;
}

}  // namespace protium
