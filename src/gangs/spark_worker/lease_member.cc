// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/lease_member.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/fault.h"
#include "collective/self.h"
#include "os/file.h"
#include "spark_worker/gathering.h"
#include "spark_worker/lease_words.h"

namespace protium {
namespace {

constexpr size_t kCopiedBytes = size_t{64} << 20;
// After every other generation.
constexpr int64_t kNoMore = std::numeric_limits<int64_t>::max();

std::vector<int32_t> MembersIn(const Json& line, const char* key) {
  return line.value(key, std::vector<int32_t>());
}

// Copies all of `memory` into a new file.
Status CopyTo(const std::filesystem::path& path, int memory) {
  const std::string doing = "write shared rows to " + path.string();
  const UniqueFd to(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  struct stat about {};
  if (!to || ::fstat(memory, &about) != 0) return SystemFault(doing, errno);
  off_t done = 0;
  while (done < about.st_size) {
    const ssize_t copied = ::sendfile(to.get(), memory, &done, kCopiedBytes);
    if (copied <= 0) return SystemFault(doing, copied == 0 ? EIO : errno);
  }
  return Status::OK();
}

}  // namespace

LeaseMember::LeaseMember(GangMemberSpec spec, LeaseTalk& talk, Doing& doing,
                         const SparkCommand& command, LeasePlace place)
    : GangMember(spec),
      deadline_(spec.deadline),
      stop_(spec.stop),
      talk_(talk),
      doing_(doing),
      command_(command),
      place_(place) {
  talk_.Follow([this](const Json& line) { Hear(line); });
}

std::filesystem::path LeaseMember::File(const std::string& name) const {
  return std::filesystem::path(command_.events) / name;
}

void LeaseMember::Hear(const Json& line) {
  const std::string type = line.value("type", "");
  if (type == "call") return HearCall(line);
  if (type == "parts") {
    return GotParts(OpenParts(line.value("memories", std::vector<int64_t>())));
  }
  const bool mine = line.value("task", int64_t{-1}) == place_.task;
  // As if a generation had been called without it.
  if (type == "leave" && mine) return Heard({.generation = kNoMore, .cut = true, .why = "it left"});
  if (type == "over") {
    Abort(AskedToStop());
    Despair(AskedToStop());
  }
  std::lock_guard lock(mutex_);
  over_ = over_ || type == "over";
  if (type == "cards") {
    cards_[line.value("generation", int64_t{-1})] = line.value("cards", std::vector<std::string>());
  }
  came_.notify_all();
}

// The lines hold all calls so far; those from before this member's time are not meant for it.
void LeaseMember::HearCall(const Json& line) {
  const std::vector<int32_t> members = MembersIn(line, "members");
  const std::vector<int32_t> leaving = MembersIn(line, "leaving");
  const auto self = std::ranges::find(members, place_.member);
  const bool leaves = std::ranges::find(leaving, place_.member) != leaving.end();
  if (self == members.end() && !leaves) return;
  GangCall call{.generation = line.value("generation", int64_t{-1}),
                .rank = leaves ? -1 : int32_t(self - members.begin()),
                .cut = line.value("cut", false),
                .why = line.value("why", std::string())};
  call.join = [this, generation = call.generation, rank = call.rank,
               world = int32_t(members.size())](const std::stop_token& over) {
    return Join(generation, rank, world, over);
  };
  Heard(std::move(call));
}

Status LeaseMember::JoinFirst() {
  PT_LET(auto ranks, Join(0, place_.member, place_.world, stop_));
  Begin(std::move(ranks));
  return Status::OK();
}

// Each generation has another key: if a rank of an older one finds a port in use again, it is a
// stranger there.
Result<std::unique_ptr<Communicator>> LeaseMember::Join(int64_t generation, int32_t rank,
                                                        int32_t world,
                                                        const std::stop_token& over) {
  if (world == 1) return MarkCalls(MakeSelfCommunicator(), doing_);
  const Doing::Waiting waiting(doing_, "first meeting");
  TcpOptions options = TcpOptionsOf(command_);
  options.key += std::to_string(generation);
  PT_LET(auto candidate, TcpCandidate::Make(options, rank, world));
  Say({{"type", "card"}, {"generation", generation}, {"card", candidate.card()}});
  PT_LET(const auto cards, AwaitCards(generation, over));
  PT_LET(auto ranks, std::move(candidate).Join(cards, Clock::now() + deadline_, over));
  return MarkCalls(std::move(ranks), doing_);
}

Result<std::vector<std::string>> LeaseMember::AwaitCards(int64_t generation,
                                                         const std::stop_token& over) {
  const LeaseTalk::Waiting waiting(talk_);
  std::unique_lock lock(mutex_);
  (void)came_.wait_for(lock, over, deadline_, [&] { return over_ || cards_.contains(generation); });
  if (const auto found = cards_.find(generation); found != cards_.end()) return found->second;
  if (over_ || stop_.stop_requested()) return AskedToStop();
  if (over.stop_requested()) {
    return Fail({.exit = Exit::kRemote, .what = "the ranks that were to meet have changed"});
  }
  return Fail(
      {.exit = Exit::kStalled, .what = "some rank did not come to meet the others in time"});
}

Result<std::vector<SharedPart>> LeaseMember::Share(SharedPart own) {
  const LeaseTalk::Waiting waiting(talk_);
  return GangMember::Share(std::move(own));
}

Result<Communicator*> LeaseMember::Enter(const Status& failed) {
  const LeaseTalk::Waiting waiting(talk_);
  return GangMember::Enter(failed);
}

Status LeaseMember::Give(SharedPart own) {
  for (size_t i = 0; i < own.memories.size(); ++i) {
    PT_TRY(CopyTo(File(SharedRowsFile(place_.member, i)), own.memories[i].get()));
    // Otherwise its rows would be in memory twice.
    own.memories[i].reset();
  }
  PT_TRY(WriteFile(File(PartFile(place_.member)), own.text));
  Say({{"type", "shared"}, {"memories", own.memories.size()}});
  return Status::OK();
}

Result<std::vector<SharedPart>> LeaseMember::OpenParts(const std::vector<int64_t>& memories) const {
  std::vector<SharedPart> parts;
  for (size_t member = 0; member < memories.size(); ++member) {
    SharedPart part;
    PT_LET(part.text, ReadFile(File(PartFile(int32_t(member)))));
    for (int64_t i = 0; i < memories[member]; ++i) {
      const auto path = File(SharedRowsFile(int32_t(member), size_t(i)));
      // Mapped like memory that ranks share, and therefore writable; nobody writes.
      UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
      if (!file) return SystemFault("open shared rows in " + path.string(), errno);
      part.memories.push_back(std::move(file));
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace protium
