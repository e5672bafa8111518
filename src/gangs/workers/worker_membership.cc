// SPDX-License-Identifier: Apache-2.0
#include "workers/worker_membership.h"

#include <utility>

#include "base/fault.h"
#include "collective/self.h"
#include "collective/shared/communicator.h"

namespace protium {
namespace {

Result<std::vector<SharedPart>> ReadParts(Frame frame) {
  std::vector<SharedPart> parts;
  size_t text = 0, memory = 0;
  for (const Json& each : frame.head.value("parts", Json::array())) {
    PT_LET(const int64_t bytes, RequireWhole(each, "bytes"));
    PT_LET(const int64_t memories, RequireWhole(each, "memories"));
    const bool fits = bytes >= 0 && bytes <= int64_t(frame.raw.size() - text) && memories >= 0 &&
                      memories <= int64_t(frame.fds.size() - memory);
    if (!fits) return Status::Invalid("shared parts arrived without what they name");
    SharedPart part{.text = frame.raw.substr(text, size_t(bytes))};
    for (int64_t i = 0; i < memories; ++i) part.memories.push_back(std::move(frame.fds[memory++]));
    text += size_t(bytes);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

Result<std::unique_ptr<Communicator>> JoinRanks(int32_t rank, std::vector<UniqueFd> peers,
                                                std::chrono::milliseconds deadline, Doing& doing) {
  if (peers.size() <= 1) return MarkCalls(MakeSelfCommunicator(), doing);
  const Doing::Waiting waiting(doing, "first meeting");
  PT_LET(auto ranks, MakeSharedCommunicator(rank, std::move(peers), {.deadline = deadline}));
  return MarkCalls(std::move(ranks), doing);
}

// The sockets lead to the others, by rank, without an entry for this rank.
GangCall WorkerMembership::ReadCall(Frame frame) const {
  GangCall call{.generation = RequireWhole(frame.head, "generation").ValueOr(-1),
                .rank = int32_t(RequireWhole(frame.head, "rank").ValueOr(-1)),
                .cut = frame.head.value("cut", false),
                .why = frame.head.value("why", std::string())};
  // Held by a pointer, since a std::function must be copyable.
  const auto peers = std::make_shared<std::vector<UniqueFd>>(std::move(frame.fds));
  call.join = [peers, rank = call.rank, deadline = deadline_,
               &doing = doing_](auto) -> Result<std::unique_ptr<Communicator>> {
    if (size_t(rank) > peers->size()) {
      return Status::Invalid("a call arrived without its sockets");
    }
    peers->emplace(peers->begin() + rank);
    return JoinRanks(rank, std::move(*peers), deadline, doing);
  };
  return call;
}

void WorkerMembership::HandleFrame(Frame frame) {
  if (frame.type == "parts") return GotParts(ReadParts(std::move(frame)));
  Heard(ReadCall(std::move(frame)));
}

void WorkerMembership::Say(const Json& what) {
  Json head = what;
  head["task"] = task_;
  // If the driver is gone, this process ends anyway.
  (void)link_->Send(head);
}

Status WorkerMembership::Give(SharedPart own) {
  std::vector<int> fds;
  for (const UniqueFd& each : own.memories) fds.push_back(each.get());
  return link_->Send({{"type", "share"}, {"task", task_}}, own.text, fds);
}

}  // namespace protium
