// SPDX-License-Identifier: Apache-2.0
#include "pool/pool_client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/fault.h"
#include "pool/newborn.h"
#include "pool/place.h"
#include "pool/pool_protocol.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

Status NoAnswer() {
  return Fail({.exit = Exit::kStalled,
               .what = fmt::format("it did not answer within {} ms", kPoolPatience.count()),
               .fix = "protium pool restart"});
}

Status PoolHasEnded() {
  return Fail({.exit = Exit::kInput, .what = "the pool has ended", .fix = "protium pool start"});
}

Result<std::vector<PooledWorker>> WorkersIn(Frame frame) {
  const Json pids = frame.head.value("pids", Json::array());
  if (frame.type != "workers" || !pids.is_array() ||
      frame.fds.size() != pids.size() * size_t(kWorkerFds)) {
    return Status::Invalid("the pool's answer is incomplete");
  }
  std::vector<PooledWorker> workers;
  for (size_t i = 0; i < pids.size(); ++i) {
    UniqueFd* const fds = &frame.fds[i * kWorkerFds];
    const auto pid = pids[i].is_number_integer() ? pids[i].get<pid_t>() : 0;
    if (pid <= 1) return Status::Invalid("the pool's answer names no process");
    workers.push_back({Subprocess(pid, std::move(fds[1]), std::move(fds[2])),
                       std::make_shared<Link>(Channel(std::move(fds[0])))});
  }
  return workers;
}

}  // namespace

Result<Frame> AskPool(Link& pool, const Json& request) {
  const Status sent = pool.Send(request);
  if (!sent.ok()) return FaultOf(sent).exit == Exit::kStalled ? NoAnswer() : PoolHasEnded();
  auto frame = pool.Receive(Clock::now() + kPoolPatience);
  if (!frame.ok() && FaultOf(frame.status()).exit == Exit::kStalled) return NoAnswer();
  if (!frame.ok() || !*frame) return PoolHasEnded();
  if ((*frame)->type == "refused") {
    return Fail({.exit = Exit::kEnvironment, .what = TextAt((*frame)->head, "why")});
  }
  return std::move(**frame);
}

Result<std::unique_ptr<Link>> AttachToPool(const fs::path& socket, const std::string& who) {
  PT_LET(UniqueFd fd, ConnectToPool(socket, Clock::now() + kPoolPatience));
  return AttachOver(std::move(fd), who);
}

Result<std::unique_ptr<Link>> AttachOver(UniqueFd connection, const std::string& who) {
  auto link = std::make_unique<Link>(Channel(std::move(connection)));
  link->LimitSends(std::chrono::duration<double>(kPoolPatience).count());
  PT_LET(const Frame welcome, AskPool(*link, {{"type", "hello"},
                                              {"version", kPoolVersion},
                                              {"pid", ::getpid()},
                                              {"place", PlaceOfProcess()},
                                              {"who", who}}));
  const int64_t version = WholeAt(welcome.head, "version");
  if (welcome.type == "welcome" && version == kPoolVersion) return link;
  return Fail({.exit = Exit::kEnvironment,
               .what = fmt::format("it speaks version {} of the protocol, this program {}", version,
                                   kPoolVersion),
               .fix = "protium pool restart"});
}

Result<Json> PoolState(const fs::path& socket) {
  if (socket.empty()) return Fail({.exit = Exit::kInput, .what = "the pool is switched off"});
  PT_LET(const auto link, AttachToPool(socket, "look"));
  PT_LET(Frame answer, AskPool(*link, {{"type", "status"}}));
  return answer.head.value("pool", Json::object());
}

// Asks the pool that it knows, or the one that runs since that one has ended.
Result<Frame> PoolClient::AskAny(const Json& request) {
  auto answer = AskPool(*link_, request);
  if (answer.ok() || FaultOf(answer.status()).exit != Exit::kInput) return answer;
  PT_LET(link_, AttachToPool(socket_, who_));
  return AskPool(*link_, request);
}

Result<std::vector<PooledWorker>> PoolClient::Ask(const PooledWish& wish, int32_t count) {
  if (!link_) {
    PT_LET(link_, AttachToPool(socket_, who_));
  }
  PT_LET(const WorkerProfile profile, ProfileOf(wish.program, wish.environment, wish.torch));
  PT_LET(Frame answer, AskAny({{"type", "workers"},
                               {"profile", profile.ToJson()},
                               {"count", std::min(count, kMostInMessage)}}));
  const std::string why = TextAt(answer.head, "why");
  if (!why.empty()) return Fail({.exit = Exit::kEnvironment, .what = why});
  PT_LET(auto workers, WorkersIn(std::move(answer)));
  for (const PooledWorker& each : workers) {
    PT_TRY(SendBecome(*each.link, wish.environment, wish.log));
  }
  return workers;
}

void PoolClient::GiveUp(const Status& why) {
  const Fault fault = FaultOf(why);
  // That none runs is nothing to speak of; one may be started later.
  if (fault.exit == Exit::kInput) return link_.reset();
  // The link stays: the workers of a driver that closes it are killed.
  given_up_ = true;
  note_ = "without the pool: " + fault.what + (fault.fix.empty() ? "" : "; " + fault.fix);
}

std::vector<PooledWorker> PoolClient::Take(const PooledWish& wish, int32_t count) {
  const std::lock_guard lock(mutex_);
  if (socket_.empty() || given_up_) return {};
  auto workers = Ask(wish, count);
  if (workers.ok()) return std::move(*workers);
  GiveUp(workers.status());
  return {};
}

std::string PoolClient::TakeNote() {
  const std::lock_guard lock(mutex_);
  return std::exchange(note_, {});
}

}  // namespace protium
