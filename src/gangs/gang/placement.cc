// SPDX-License-Identifier: Apache-2.0
#include "gang/placement.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/fault.h"
#include "base/units.h"

namespace protium {

namespace {

constexpr int32_t kMostWorkers = 128;  // A rank gets a socket to each other rank in one message.
constexpr int32_t kMostServers = 64;   // Each holds a partition (docs/together.md).

Status RefuseSetting(const char* key, std::string_view must, const Json& got) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("gang.{} must be {}, got {}", key, must, Dump(got)),
               .where = std::string("gang.") + key});
}

Status CheckServers(const GangSpec& gang) {
  if (gang.servers < 0 || gang.servers > kMostServers) {
    return RefuseSetting("servers", fmt::format("between 0 and {}", kMostServers), gang.servers);
  }
  if (gang.servers > 0 && gang.workers.bends()) {
    return RefuseSetting("servers", "0 where gang.workers is a range and no number", gang.servers);
  }
  if (gang.servers > 0 && gang.gpus_per_worker > 0) {
    return RefuseSetting("servers", "0 where gang.gpus_per_worker is above 0", gang.servers);
  }
  if (gang.ranks() <= kMostWorkers) return Status::OK();
  return RefuseSetting("servers", fmt::format("at most {} with gang.workers", kMostWorkers),
                       gang.ranks());
}

Status Check(const GangSpec& gang) {
  if (gang.workers.max < 1 || gang.workers.max > kMostWorkers) {
    return RefuseSetting("workers", fmt::format("between 1 and {}", kMostWorkers),
                         gang.workers.max);
  }
  if (gang.workers.min < 1 || gang.workers.min > gang.workers.max) {
    return RefuseSetting("workers.min", "between 1 and gang.workers.max", gang.workers.min);
  }
  if (gang.workers.bends() && gang.workers.max > kMostBending) {
    return RefuseSetting("workers.max", fmt::format("at most {}", kMostBending), gang.workers.max);
  }
  PT_TRY(CheckServers(gang));
  if (gang.cores_per_worker < 1)
    return RefuseSetting("cores_per_worker", "at least 1", gang.cores_per_worker);
  if (gang.gpus_per_worker < 0)
    return RefuseSetting("gpus_per_worker", "at least 0", gang.gpus_per_worker);
  PT_TRY(SizeAt("gang.memory_per_worker", gang.memory_per_worker).status());
  if (gang.max_restarts < 0) return RefuseSetting("max_restarts", "at least 0", gang.max_restarts);
  if (!(gang.restart_window > 0))
    return RefuseSetting("restart_window", "more than 0 seconds", gang.restart_window);
  if (gang.quarantine < 0) return RefuseSetting("quarantine", "at least 0", gang.quarantine);
  if (!(gang.probation >= 0))
    return RefuseSetting("probation", "at least 0 seconds", gang.probation);
  if (gang.rebalance && !gang.workers.bends()) {
    return RefuseSetting("rebalance", "false where gang.workers is a number and no range", true);
  }
  if (!(gang.patience >= 0)) return RefuseSetting("patience", "at least 0 seconds", gang.patience);
  if (!(gang.deadline > 0)) return RefuseSetting("deadline", "more than 0 seconds", gang.deadline);
  return Status::OK();
}

// What is left of a host while seats are assigned. `cores` may fall below 0 if the host is not
// strict.
struct Free {
  const Host* host;
  int32_t cores;
  std::vector<Device> gpus;
};

bool Same(const Device& a, const Device& b) { return a.name == b.name && a.address == b.address; }

Free CountFree(const Host& host, bool idle) {
  Free free{&host, host.cores, host.gpus};
  if (idle) return free;
  for (const Holding& holding : host.holdings) {
    free.cores -= holding.cores;
    for (const Device& gpu : holding.gpus) {
      std::erase_if(free.gpus, [&](const Device& each) { return Same(each, gpu); });
    }
  }
  return free;
}

bool Fits(const GangSpec& gang, const Free& free) {
  // Cores can be shared, GPUs cannot.
  const bool cores = !free.host->strict || free.cores >= gang.cores_per_worker;
  return cores && static_cast<int32_t>(free.gpus.size()) >= gang.gpus_per_worker;
}

Seat TakeSeat(const GangSpec& gang, int32_t rank, Free& free) {
  Seat seat{.rank = rank,
            .host = free.host->name,
            .cores = gang.cores_per_worker,
            .server = rank >= gang.workers.max};
  free.cores -= gang.cores_per_worker;
  const auto end = free.gpus.begin() + gang.gpus_per_worker;
  seat.gpus.assign(free.gpus.begin(), end);
  free.gpus.erase(free.gpus.begin(), end);
  return seat;
}

std::string NoteOn(const GangSpec& gang, size_t ranks, const std::vector<Free>& left) {
  for (const Free& free : left) {
    if (free.cores >= 0) continue;
    return fmt::format("{} {} x {} cores share the {} cores of {}", ranks,
                       gang.servers > 0 ? "workers and servers" : "workers", gang.cores_per_worker,
                       free.host->cores, free.host->name);
  }
  return {};
}

// Seats neighbouring ranks on the same host as far as possible. A range gets as many as there is
// room for.
std::optional<Placement> Seats(const GangSpec& gang, std::span<const Host> hosts, bool idle) {
  std::vector<Free> left;
  for (const Host& host : hosts) left.push_back(CountFree(host, idle));
  Placement placement;
  size_t at = 0;
  const int32_t least = gang.workers.min + gang.servers;
  while (static_cast<int32_t>(placement.seats.size()) < gang.ranks()) {
    while (at < left.size() && !Fits(gang, left[at])) ++at;
    if (at == left.size() && int32_t(placement.seats.size()) >= least) break;
    if (at == left.size()) return std::nullopt;
    placement.seats.push_back(
        TakeSeat(gang, static_cast<int32_t>(placement.seats.size()), left[at]));
  }
  placement.note = NoteOn(gang, placement.seats.size(), left);
  return placement;
}

Status RefuseTooLarge(const GangSpec& gang, std::span<const Host> hosts) {
  int64_t cores = 0;
  int64_t gpus = 0;
  for (const Host& host : hosts) cores += host.cores;
  for (const Host& host : hosts) gpus += static_cast<int64_t>(host.gpus.size());
  const int64_t want_gpus = int64_t{gang.workers.min} * gang.gpus_per_worker;
  const bool by_gpus = want_gpus > gpus;
  const std::string asked =
      by_gpus
          ? fmt::format("gang.workers={} x gang.gpus_per_worker={} asks for {} gpus, {} found",
                        gang.workers.min, gang.gpus_per_worker, want_gpus, gpus)
          : fmt::format("gang.workers={}{} x gang.cores_per_worker={} asks for {} cores, {} found",
                        gang.workers.min,
                        gang.servers > 0 ? fmt::format(" and gang.servers={}", gang.servers) : "",
                        gang.cores_per_worker,
                        int64_t{gang.workers.min + gang.servers} * gang.cores_per_worker, cores);
  return Fail({.exit = Exit::kUsage,
               .what = "the gang can never fit: " + asked,
               .where = by_gpus ? "gang.gpus_per_worker" : "gang.workers"});
}

// "1 of 4 cores and gpus 2, 3"
std::string WhatIsHeld(const Holding& holding, const Host& host) {
  std::vector<std::string> parts;
  if (holding.cores > 0) parts.push_back(fmt::format("{} of {} cores", holding.cores, host.cores));
  std::string gpus;
  for (const Device& gpu : holding.gpus) gpus += (gpus.empty() ? "" : ", ") + gpu.address;
  if (!gpus.empty()) parts.push_back((holding.gpus.size() == 1 ? "gpu " : "gpus ") + gpus);
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string WhoHoldsWhat(std::span<const Host> hosts) {
  std::string text;
  for (const Host& host : hosts) {
    for (const Holding& holding : host.holdings) {
      text += fmt::format("{}{} holds {} on {}", text.empty() ? "" : "; ", holding.who,
                          WhatIsHeld(holding, host), host.name);
    }
  }
  return text;
}

}  // namespace

Result<std::variant<Placement, NotNow>> Place(const GangSpec& gang, std::span<const Host> hosts) {
  PT_TRY(Check(gang));
  if (auto placed = Seats(gang, hosts, false)) return std::move(*placed);
  // The same search over idle hosts distinguishes "not now" from "never".
  if (Seats(gang, hosts, true)) return NotNow{WhoHoldsWhat(hosts)};
  return RefuseTooLarge(gang, hosts);
}

OnHost FindOnHost(std::span<const std::string> hosts, int32_t rank) {
  OnHost found;
  for (size_t r = 0; r < hosts.size(); ++r) {
    if (hosts[r] != hosts[size_t(rank)]) continue;
    ++found.world;
    found.rank += int32_t(r) < rank;
  }
  return found;
}

Json PlacementToJson(const Placement& placement) {
  Json ranks = Json::array();
  for (const Seat& seat : placement.seats) {
    Json gpus = Json::array();
    for (const Device& gpu : seat.gpus) gpus.push_back(gpu.address);
    ranks.push_back(
        {{"rank", seat.rank}, {"host", seat.host}, {"cores", seat.cores}, {"gpus", gpus}});
    if (seat.server) ranks.back()["server"] = true;
  }
  Json json = {{"ranks", std::move(ranks)}};
  if (!placement.note.empty()) json["note"] = placement.note;
  return json;
}

}  // namespace protium
