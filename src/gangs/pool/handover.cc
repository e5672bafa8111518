// SPDX-License-Identifier: Apache-2.0
#include "pool/handover.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/fault.h"
#include "os/memfd.h"
#include "pool/seat_claim.h"

namespace protium {

namespace {

constexpr char kHandoverVariable[] = "PROTIUM_POOL_HANDOVER";
constexpr int64_t kHandoverFormat = 1;
constexpr int64_t kMostBytes = int64_t{64} << 20;
constexpr int64_t kMostHandedSeats = 1 << 16;

void Inherit(int fd, bool inherited) {
  if (fd >= 0) ::fcntl(fd, F_SETFD, inherited ? 0 : FD_CLOEXEC);
}

void InheritAll(const PoolHandover& handover, bool inherited) {
  Inherit(handover.listener.socket.get(), inherited);
  Inherit(handover.listener.lock.get(), inherited);
  for (const UniqueFd& each : handover.fds) Inherit(each.get(), inherited);
}

Result<Memfd> Written(const PoolHandover& handover) {
  Json fds = Json::array();
  for (const UniqueFd& each : handover.fds) fds.push_back(each.get());
  const std::string text = Dump({{"format", kHandoverFormat},
                                 {"listener", handover.listener.socket.get()},
                                 {"lock", handover.listener.lock.get()},
                                 {"passed", handover.listener.passed},
                                 {"fds", std::move(fds)},
                                 {"state", handover.state}});
  PT_LET(Memfd memory, Memfd::Make("protium pool", int64_t(text.size())));
  PT_LET(const Mapping mapping, memory.Map());
  std::memcpy(mapping.data(), text.data(), text.size());
  return memory;
}

// Inherited descriptors that are open.
UniqueFd Adopted(int64_t number) {
  if (number <= STDERR_FILENO || number > INT32_MAX) return UniqueFd();
  if (::fcntl(int(number), F_SETFD, FD_CLOEXEC) != 0) return UniqueFd();
  return UniqueFd(int(number));
}

Result<PoolHandover> Read(int fd) {
  PT_LET(const Memfd memory, Memfd::Adopt(UniqueFd(fd), kMostBytes));
  PT_LET(const Mapping mapping, memory.Map());
  std::string text(size_t(mapping.size()), '\0');
  std::memcpy(text.data(), mapping.data(), text.size());
  PT_LET(const Json json, ParseJson(text));
  PoolHandover handover{.listener = {.socket = Adopted(WholeAt(json, "listener", -1)),
                                     .lock = Adopted(WholeAt(json, "lock", -1)),
                                     .passed = json.value("passed", false)}};
  if (!handover.listener.socket || !handover.listener.lock) {
    return Status::Invalid("the pool before this one has left no socket");
  }
  for (const Json& each : json.value("fds", Json::array())) {
    handover.fds.push_back(Adopted(each.is_number_integer() ? each.get<int64_t>() : -1));
  }
  // Those of another format are closed.
  if (WholeAt(json, "format") == kHandoverFormat) handover.state = json.value("state", Json());
  return handover;
}

// All of it, also what no driver says.
Json ToJson(const Claim& wish) {
  Json json = ClaimToJson(wish);
  json["program"] = wish.program;
  json["devices"] = wish.per_worker.devices;
  json["shares_cores"] = wish.shares_cores;
  json["pauses"] = wish.pauses;
  return json;
}

Result<Claim> WishFrom(const Json& json) {
  PT_LET(Claim wish, ClaimFromJson(json));
  wish.program = WholeAt(json, "program");
  wish.per_worker.devices = WholeAt(json, "devices");
  wish.shares_cores = json.value("shares_cores", true);
  wish.pauses = json.value("pauses", true);
  return wish;
}

Json ToJson(const KnownClaim& claim) {
  Json seats = Json::array();
  for (const PoolSeat& each : claim.seats) seats.push_back(each.devices);
  return {{"number", claim.number},
          {"wish", ToJson(claim.wish)},
          {"since", TicksOf(claim.since)},
          {"seats", std::move(seats)},
          {"why", claim.why},
          {"waits", claim.waits},
          {"waits_since", TicksOf(claim.waits_since)},
          {"asked_for", claim.asked_for},
          {"pausing", claim.pausing},
          {"paused", claim.paused},
          {"asked_at", TicksOf(claim.asked_at)},
          {"rests_until", TicksOf(claim.rests_until)},
          {"offered", claim.offered},
          {"offered_at", TicksOf(claim.offered_at)},
          {"sated", claim.sated}};
}

Result<PoolSeat> SeatFrom(const Json& devices) {
  PoolSeat seat;
  if (!devices.is_array()) return Status::Invalid("a seat that was handed over has no devices");
  for (const Json& each : devices) {
    if (!each.is_string()) return Status::Invalid("a device that was handed over has no name");
    seat.devices.push_back(each.get<std::string>());
  }
  return seat;
}

Result<KnownClaim> ClaimFrom(const Json& json) {
  const Json wish = json.value("wish", Json::object()), seats = json.value("seats", Json::array());
  KnownClaim claim{.number = WholeAt(json, "number"),
                   .since = TimeAt(json, "since"),
                   .why = TextAt(json, "why"),
                   .waits = json.value("waits", false),
                   .waits_since = TimeAt(json, "waits_since"),
                   .asked_for = int32_t(WholeAt(json, "asked_for")),
                   .pausing = json.value("pausing", false),
                   .paused = json.value("paused", false),
                   .asked_at = TimeAt(json, "asked_at"),
                   .rests_until = TimeAt(json, "rests_until"),
                   .offered = int32_t(WholeAt(json, "offered")),
                   .offered_at = TimeAt(json, "offered_at"),
                   .sated = json.value("sated", false)};
  PT_LET(claim.wish, WishFrom(wish));
  if (!seats.is_array() || int64_t(seats.size()) > kMostHandedSeats) {
    return Status::Invalid("seats that were handed over are no list");
  }
  for (const Json& each : seats) {
    PT_LET(PoolSeat seat, SeatFrom(each));
    claim.seats.push_back(std::move(seat));
  }
  return claim;
}

}  // namespace

int64_t PoolHandover::Put(UniqueFd fd) {
  if (!fd) return -1;
  fds.push_back(std::move(fd));
  return int64_t(fds.size()) - 1;
}

UniqueFd PoolHandover::Take(const Json& json, const char* key) {
  const int64_t place = WholeAt(json, key, -1);
  if (place < 0 || place >= int64_t(fds.size())) return UniqueFd();
  return std::move(fds[size_t(place)]);
}

Status BecomeSuccessor(const std::filesystem::path& program,
                       const std::vector<std::string>& arguments, PoolHandover& handover) {
  PT_LET(const Memfd memory, Written(handover));
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& each : words) argv.push_back(each.data());
  argv.push_back(nullptr);
  ::setenv(kHandoverVariable, std::to_string(memory.fd()).c_str(), 1);
  Inherit(memory.fd(), true);
  InheritAll(handover, true);
  ::execv(argv[0], argv.data());
  const int error = errno;
  InheritAll(handover, false);
  ::unsetenv(kHandoverVariable);
  return SystemFault("run " + program.string(), error);
}

Result<std::optional<PoolHandover>> InheritedHandover() {
  const char* const value = std::getenv(kHandoverVariable);
  if (value == nullptr) return std::optional<PoolHandover>();
  const long fd = std::strtol(value, nullptr, 10);
  ::unsetenv(kHandoverVariable);
  if (fd <= STDERR_FILENO || fd > INT32_MAX || ::fcntl(int(fd), F_SETFD, FD_CLOEXEC) != 0) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = std::string(kHandoverVariable) + " is for the pool that takes another's place"});
  }
  PT_LET(PoolHandover handover, Read(int(fd)));
  return std::optional(std::move(handover));
}

Json ClaimsToHandOver(const std::vector<KnownClaim>& claims) {
  Json all = Json::array();
  for (const KnownClaim& each : claims) all.push_back(ToJson(each));
  return all;
}

Result<std::vector<KnownClaim>> HandedClaims(const Json& json) {
  std::vector<KnownClaim> claims;
  for (const Json& each : json) {
    PT_LET(KnownClaim claim, ClaimFrom(each));
    claims.push_back(std::move(claim));
  }
  return claims;
}

int64_t TicksOf(Clock::time_point time) { return time.time_since_epoch().count(); }

Clock::time_point TimeAt(const Json& json, const char* key) {
  return Clock::time_point(Clock::duration(WholeAt(json, key)));
}

}  // namespace protium
