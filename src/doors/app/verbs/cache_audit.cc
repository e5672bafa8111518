// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/cache_audit.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <thread>

#include "app/verbs/cache_why.h"
#include "base/text.h"
#include "base/units.h"
#include "os/file.h"
#include "run/terminal.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAuditFile = "audit.json";
constexpr double kBytesPerSecond = 50e6;
constexpr auto kLongest = std::chrono::seconds(60);
constexpr size_t kMostRemembered = 20;
constexpr int kLeastNice = 19;
// Of ioprio_set(2), which the C library has no name for: this process, the class that gets the disk
// when nobody else wants it.
constexpr int kIoProcess = 1;
constexpr int kIoIdle = 3 << 13;

void BeModest() {
  (void)::setpriority(PRIO_PROCESS, 0, kLeastNice);
  (void)::syscall(SYS_ioprio_set, kIoProcess, 0, kIoIdle);
}

// So that reading stays below the rate on average; one object is read at once.
void Rest(Clock::time_point since, int64_t bytes) {
  const std::chrono::duration<double> due(double(bytes) / kBytesPerSecond);
  std::this_thread::sleep_until(since + std::chrono::duration_cast<Clock::duration>(due));
}

Status Remember(const fs::path& store, Json found) {
  Json all = LastAudit(store);
  Json damaged = all.is_null() ? Json::array() : all.value("damaged", Json::array());
  for (Json& each : found["damaged"]) damaged.push_back(std::move(each));
  while (damaged.size() > kMostRemembered) damaged.erase(damaged.begin());
  found["damaged"] = std::move(damaged);
  found["when"] = int64_t(std::time(nullptr));
  return WriteFile(store / kAuditFile, Dump(found) + "\n");
}

}  // namespace

Result<Json> AuditSome(LocalStore& store) {
  BeModest();
  std::vector<Manifest> all = store.List();
  std::ranges::shuffle(all, std::mt19937_64(std::random_device()()));
  int64_t checked = 0, bytes = 0;
  Json damaged = Json::array();
  const auto since = Clock::now();
  for (const Manifest& each : all) {
    if (Clock::now() - since >= kLongest) break;
    PT_LET(const bool fits, store.Verify(each.cause));
    ++checked;
    bytes += each.bytes;
    if (!fits && !store.Has(each.cause)) {
      damaged.push_back({{"object", each.cause},
                         {"kind", each.kind},
                         {"run", each.run},
                         {"when", int64_t(std::time(nullptr))}});
    }
    if (&each != &all.back()) Rest(since, bytes);
  }
  Json found = {{"checked", checked}, {"bytes", bytes}, {"damaged", std::move(damaged)}};
  PT_TRY(Remember(store.folder(), found));
  return found;
}

Json LastAudit(const fs::path& store) {
  const auto text = ReadFile(store / kAuditFile, 1 << 20);
  auto json = text.ok() ? ParseJson(*text) : Result<Json>(text.status());
  return json.ok() && json->is_object() ? std::move(*json) : Json();
}

std::string AuditText(const Json& audit) {
  if (audit.is_null()) return {};
  const int64_t checked = WholeAt(audit, "checked");
  std::string text =
      fmt::format("audit     {} kept object{} ({}) read on {}", Grouped(checked), PluralOf(checked),
                  BytesText(NumberAt(audit, "bytes")), DateText(WholeAt(audit, "when")));
  const Json damaged = audit.value("damaged", Json::array());
  if (damaged.empty()) return text + "\n";
  const Json& last = damaged.back();
  return text + fmt::format("; {} found damaged and removed, the last a {} of {} on {}\n",
                            damaged.size(), TextAt(last, "kind"), TextAt(last, "run"),
                            DateText(WholeAt(last, "when")));
}

}  // namespace protium
