// SPDX-License-Identifier: Apache-2.0
#include "search/asked_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "base/fault.h"
#include "os/file_lock.h"
#include "search/same_search.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

Status Refused(const fs::path& path, std::string what, std::string why, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = path.string(),
               .why = std::move(why),
               .fix = std::move(fix)});
}

Status CheckSearch(const fs::path& path, const Json& first, const Json& search) {
  const Json was = first.value("search", Json());
  if (!was.is_object()) {
    return Refused(path, path.string() + " is not the file of a search", "",
                   "name another file, which need not exist");
  }
  const std::vector<std::string> differ = DifferencesOf(was, search);
  if (differ.empty()) return Status::OK();
  return Refused(path, "the file is that of another search: " + Dump(Json(differ)) + " differ",
                 "each trial depends on those before it",
                 "go on with the same search (more trials are fine), or name another file");
}

}  // namespace

Json SavedNumber(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double ReadSavedNumber(const Json& json) {
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  if (json.is_number()) return json.get<double>();
  return json == "inf" ? kEndless : json == "-inf" ? -kEndless : std::nan("");
}

Result<AskedFile> AskedFile::Open(const fs::path& path, const Json& search) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    return Refused(path, path.string() + " is not a file", "", "name a file");
  }
  PT_LET(std::vector<Json> lines, ReadEvents(path));
  if (!lines.empty()) PT_TRY(CheckSearch(path, lines.front(), search));
  if (lines.empty() && fs::exists(path, ignored) && fs::file_size(path, ignored) > 0) {
    PT_TRY(CheckSearch(path, Json::object(), search));
  }
  PT_LET(std::unique_ptr<EventLog> log, EventLog::Open(path));
  UniqueFd lock(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  // Without locks, as on some network file systems, nobody is seen.
  if (!LockFile(lock.get()).ok() && IsLockedByOthers(lock.get())) {
    return Refused(path, "another program asks and tells with " + path.string(), "",
                   "wait for it to end, or name another file");
  }
  if (lines.empty()) {
    PT_TRY(log->Append({{"search", search}}));
  } else {
    // Read again: before the lock another may have written.
    PT_LET(lines, ReadEvents(path));
    lines.erase(lines.begin());
  }
  return AskedFile(path, std::move(lock), std::move(log), std::move(lines));
}

Status AskedFile::Append(const char* act, Json what, double seconds) {
  return log_->Append({{"seconds", seconds}, {act, std::move(what)}});
}

std::string AskedFile::Where(size_t index) const {
  return fmt::format("{}, line {}", path_.string(), index + 2);
}

}  // namespace protium
