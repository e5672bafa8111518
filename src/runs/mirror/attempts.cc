// SPDX-License-Identifier: Apache-2.0
#include "mirror/attempts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <thread>

#include "base/fault.h"
#include "mirror/intervals.h"
#include "os/machine.h"
#include "os/random_letters.h"
#include "run/event_log.h"

namespace protium {

namespace {

constexpr int64_t kMostAttempts = 100'000;
constexpr int64_t kMostManifest = 256 << 20;
constexpr int64_t kMostClaim = 64 << 10;

std::string ClaimName(int64_t number) { return fmt::format("attempt-{:06}.json", number); }

// A token is part of the names of objects.
bool IsSound(const Attempt& attempt, int64_t number) {
  return attempt.number == number && !attempt.token.empty() && attempt.token.size() <= 64 &&
         std::ranges::all_of(attempt.token, [](char c) { return std::isalnum(c) != 0; });
}

Result<std::optional<Attempt>> ReadClaim(const ObjectStore& run, int64_t number) {
  PT_LET(const auto text, run.GetText(ClaimName(number), kMostClaim));
  if (!text) return std::optional<Attempt>();
  Attempt attempt;
  const Result<Json> json = ParseJson(*text);
  const Status status = json.ok() ? FieldsFromJson(*json, "", attempt) : json.status();
  if (status.ok() && IsSound(attempt, number)) return std::optional(std::move(attempt));
  return Fail(
      {.exit = Exit::kInput, .what = "damaged object " + (run.place() / ClaimName(number)).text()});
}

Status PutClaim(const ObjectStore& run, const Attempt& attempt) {
  return run.PutText(ClaimName(attempt.number), Dump(FieldsToJson(attempt)) + "\n");
}

Status TakenOver(const ObjectStore& run, const Attempt& by) {
  return Fail({.exit = Exit::kEnvironment,
               .what = fmt::format("attempt {} has taken over {}", by.number, run.place().text()),
               .where = by.Who(),
               .kept = "what it continues from; this one writes no more"});
}

}  // namespace

std::string NameOfRun(const ObjectPlace& run) {
  return fmt::format("{}/{}", kNamesOfRuns, run.name());
}

std::string Attempt::folder() const { return fmt::format("{:06}-{}", number, token); }

std::string Attempt::Who() const {
  return fmt::format("host {}, process {}, since {}", host, pid, started);
}

Result<std::optional<RunManifest>> ReadManifestOf(const ObjectStore& run, const Attempt& attempt) {
  const std::string name = attempt.folder() + "/manifest.json";
  PT_LET(const auto text, run.GetText(name, kMostManifest));
  if (!text) return std::optional<RunManifest>();
  PT_LET(RunManifest manifest, ReadManifest(*text, (run.place() / name).text()));
  return std::optional(std::move(manifest));
}

Result<PublishedRun> ReadPublished(const ObjectStore& run) {
  PublishedRun published;
  for (int64_t number = 1; number <= kMostAttempts; ++number) {
    PT_LET(std::optional<Attempt> attempt, ReadClaim(run, number));
    if (!attempt) break;
    published.attempts.push_back(std::move(*attempt));
  }
  for (size_t i = published.attempts.size(); i-- > 0 && !published.manifest;) {
    PT_LET(published.manifest, ReadManifestOf(run, published.attempts[i]));
  }
  return published;
}

// Whoever writes last has the number. The pause is longer than a write that began before ours was
// seen; should it not be, CheckIsNewest() finds out before anything counts.
Result<Attempt> ClaimAttempt(const ObjectStore& run, int64_t number, bool contested) {
  Attempt mine{.number = number,
               .token = RandomLetters(8),
               .host = HostName(),
               .pid = getpid(),
               .started = TimeText()};
  PT_TRY(PutClaim(run, mine));
  if (contested) std::this_thread::sleep_for(std::chrono::seconds(1));
  PT_TRY(CheckIsNewest(run, mine));
  return mine;
}

Status CheckIsNewest(const ObjectStore& run, const Attempt& attempt) {
  PT_LET(const auto own, ReadClaim(run, attempt.number));
  if (own && own->token != attempt.token) return TakenOver(run, *own);
  PT_LET(const auto next, ReadClaim(run, attempt.number + 1));
  if (next) return TakenOver(run, *next);
  if (own) return Status::OK();
  return Fail({.exit = Exit::kEnvironment,
               .what = run.place().text() + " has been removed while this attempt wrote to it"});
}

Status DeleteClaim(const ObjectStore& run, const Attempt& attempt) {
  return run.Delete(ClaimName(attempt.number));
}

Status GiveUpAttempt(const ObjectStore& run, Attempt attempt) {
  if (attempt.number == 1) return DeleteClaim(run, attempt);
  PT_TRY(CheckIsNewest(run, attempt));
  attempt.given_up = true;
  return PutClaim(run, attempt);
}

Status CheckIsIdle(const ObjectStore& run, const PublishedRun& published,
                   const std::function<void(const Attempt&)>& waits) {
  const Attempt& newest = published.attempts.back();
  PT_LET(const auto before, ReadManifestOf(run, newest));
  if (newest.given_up || (before && before->ended)) return Status::OK();
  waits(newest);
  const auto until = std::chrono::steady_clock::now() + kLifeSign;
  while (std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    PT_LET(const auto now, ReadManifestOf(run, newest));
    if (now && now->ended) return Status::OK();
    if (!now || (before && now->sequence == before->sequence)) continue;
    return Fail({.exit = Exit::kEnvironment,
                 .what = run.place().text() + " is in use by another job",
                 .where = newest.Who(),
                 .fix = "wait for it, or stop it first",
                 .kept = "nothing was changed"});
  }
  return Status::OK();
}

}  // namespace protium
