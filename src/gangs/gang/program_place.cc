// SPDX-License-Identifier: Apache-2.0
#include "gang/program_place.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/fault.h"
#include "gang/placement.h"
#include "os/fd.h"
#include "os/machine.h"

namespace protium {

namespace {

// A port that this process holds for the lifetime of the object.
struct HeldPort {
  UniqueFd socket;
  int32_t number = 0;

  static Result<HeldPort> Take(int32_t number) {
    HeldPort held{UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
    const int one = 1;
    // As programs do: lingering connections of an earlier one must not block the port.
    ::setsockopt(held.socket.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(number));
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof(address);
    const bool taken = !held.socket || ::bind(held.socket.get(), at, size) != 0 ||
                       ::listen(held.socket.get(), 1) != 0 ||
                       ::getsockname(held.socket.get(), at, &size) != 0;
    if (taken) {
      return Fail({.exit = Exit::kEnvironment,
                   .what = number == 0 ? "no port is free on " + HostName()
                                       : fmt::format("port {} is taken on {}", number, HostName()),
                   .why = std::strerror(errno),
                   .fix = number == 0 ? "" : "without --port a free one is chosen"});
    }
    held.number = ntohs(address.sin_port);
    return held;
  }
};

// What a rank sends to the others.
struct RankHost {
  std::string host;
  int32_t port = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("host", host);
    visit("port", port);
  }
};

ProgramPlace PlaceAmong(const std::vector<RankHost>& all, int32_t rank) {
  ProgramPlace place{.rank = rank, .world = int32_t(all.size()), .host = all[rank].host};
  std::vector<std::string> by_rank, hosts;
  for (const RankHost& member : all) {
    by_rank.push_back(member.host);
    if (std::ranges::find(hosts, member.host) != hosts.end()) continue;
    if (member.host == place.host) place.host_rank = int32_t(hosts.size());
    hosts.push_back(member.host);
  }
  const OnHost here = FindOnHost(by_rank, rank);
  place.local_rank = here.rank;
  place.local_world = here.world;
  place.hosts = int32_t(hosts.size());
  // A host's name need not resolve on the host itself.
  const auto address = [&](const RankHost& member) {
    return place.hosts == 1 ? std::string("127.0.0.1") : member.host;
  };
  place.master = address(all[0]);
  place.port = all[0].port;
  for (const RankHost& member : all) {
    place.members.push_back(fmt::format("{}:{}", address(member), member.port));
  }
  return place;
}

}  // namespace

Result<ProgramPlace> FindPlace(TaskContext& context, int32_t port) {
  // Held until all have chosen, so that no two ranks of a host choose the same.
  auto held = HeldPort::Take(context.rank() == 0 ? port : 0);
  // A rank that fails here still takes part, so the others learn it at once.
  RankHost own{.host = context.host(), .port = held.ok() ? held->number : 0};
  PT_LET(const auto told, context.AllGather(Dump(FieldsToJson(own))));
  PT_TRY(held.status());
  std::vector<RankHost> all;
  for (const std::string& each : told) {
    PT_LET(const Json json, ParseJson(each));
    PT_TRY(FieldsFromJson(json, "rank", all.emplace_back()));
    if (all.back().port == 0) {
      return Fail({.exit = Exit::kRemote, .what = "another rank found no port"});
    }
  }
  // Nobody releases a port before all have chosen: another process could get it.
  PT_TRY(context.Barrier("program ports"));
  return PlaceAmong(all, context.rank());
}

Status CheckPort(int32_t port) { return HeldPort::Take(port).status(); }

std::vector<std::pair<std::string, std::string>> PlaceVariables(const ProgramPlace& place,
                                                                const ProgramSpec& spec,
                                                                int32_t attempt) {
  const auto text = [](int32_t number) { return std::to_string(number); };
  const Json cluster = {{"cluster", {{"worker", place.members}}},
                        {"task", {{"type", "worker"}, {"index", place.rank}}}};
  std::vector<std::pair<std::string, std::string>> all = {
      {"RANK", text(place.rank)},
      {"WORLD_SIZE", text(place.world)},
      {"LOCAL_RANK", text(place.local_rank)},
      {"LOCAL_WORLD_SIZE", text(place.local_world)},
      {"GROUP_RANK", text(place.host_rank)},
      {"GROUP_WORLD_SIZE", text(place.hosts)},
      {"ROLE_NAME", "default"},
      {"ROLE_RANK", text(place.rank)},
      {"ROLE_WORLD_SIZE", text(place.world)},
      {"MASTER_ADDR", place.master},
      {"MASTER_PORT", text(place.port)},
      {"TORCHELASTIC_RESTART_COUNT", text(attempt)},
      {"TORCHELASTIC_MAX_RESTARTS", text(spec.max_restarts)},
      {"TORCHELASTIC_RUN_ID", "protium"},
      {"OMP_NUM_THREADS", text(spec.threads)},
      {"MKL_NUM_THREADS", text(spec.threads)},
      {"HOROVOD_RANK", text(place.rank)},
      {"HOROVOD_SIZE", text(place.world)},
      {"HOROVOD_LOCAL_RANK", text(place.local_rank)},
      {"HOROVOD_LOCAL_SIZE", text(place.local_world)},
      {"HOROVOD_CROSS_RANK", text(place.host_rank)},
      {"HOROVOD_CROSS_SIZE", text(place.hosts)},
      {"HOROVOD_HOSTNAME", place.host},
      {"TF_CONFIG", Dump(cluster)}};
  if (place.store == 0) return all;
  all.insert(all.end(), {{"HOROVOD_GLOO_RENDEZVOUS_ADDR", place.master},
                         {"HOROVOD_GLOO_RENDEZVOUS_PORT", text(place.store)},
                         {"HOROVOD_CONTROLLER", "gloo"},
                         {"HOROVOD_CPU_OPERATIONS", "gloo"}});
  // A host's name need not resolve on the host itself, and Gloo would look it up.
  if (place.hosts == 1) all.emplace_back("HOROVOD_GLOO_IFACE", "lo");
  return all;
}

}  // namespace protium
