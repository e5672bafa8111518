// SPDX-License-Identifier: Apache-2.0
#include "workers/member.h"

#include <arrow/buffer.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "column/ipc.h"
#include "gang/task_book.h"
#include "os/file.h"
#include "os/machine.h"
#include "workers/process_state.h"

// A member is its worker's side of one task: the "task" message with schemas, log and sockets as
// descriptors, slots in each direction, and what is known of it when it fails.

namespace protium {

namespace {

// How much of a log is shown with a failure.
constexpr int64_t kTailBytes = 2000;
constexpr size_t kTailLines = 12;

// Opened for appending, so that attempts follow each other in one file.
Result<UniqueFd> OpenLog(Member& member) {
  const RunSpec& spec = member.spec;
  if (spec.logs.empty()) return UniqueFd();
  const char* kind = spec.gang() ? "rank" : "worker";
  const std::string lane = spec.lane > 0 ? fmt::format("-gang-{}", spec.lane + 1) : "";
  member.log = spec.logs / fmt::format("{}-{:03}{}.log", kind, member.rank(), lane);
  UniqueFd fd(::open(member.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd) return SystemFault("write " + member.log.string(), errno);
  std::error_code ignored;
  member.log_begin = static_cast<int64_t>(std::filesystem::file_size(member.log, ignored));
  return fd;
}

Json DevicesJson(const std::vector<Device>& devices) {
  Json list = Json::array();
  for (const Device& each : devices)
    list.push_back({{"name", each.name}, {"address", each.address}});
  return list;
}

Json TaskHead(const RunSpec& spec, const MemberPlace& place) {
  Json head = {{"type", "task"},
               {"task", spec.number},
               {"name", spec.task.task},
               {"torch", RunsInLibrary(spec.task)},
               {"config", spec.task.config},
               {"groups", spec.task.groups},
               {"rank", place.rank},
               {"world", spec.most},
               {"attempt", spec.attempt},
               {"host", HostName()},
               {"devices", Json::array()}};
  if (place.at) {
    head["host"] = place.at->host;
    head["devices"] = DevicesJson(place.at->gpus);
  }
  head["gang"] = spec.gang();
  head["deadline"] = static_cast<int64_t>(spec.deadline * 1000);
  head["beat"] = spec.beat().count();
  if (!spec.bends) return head;
  head["bends"] = true;
  head["newcomer"] = place.newcomer;
  head["spare"] = place.newcomer && spec.bends->fixed_ranks;
  head["rebalance"] = spec.task.gang && spec.task.gang->rebalance;
  head["patience"] =
      std::chrono::duration_cast<std::chrono::milliseconds>(spec.bends->patience).count();
  return head;
}

// Ignores errors: whoever watches the worker finds out what happened to it.
void SendTo(Link& link, const SentBatch& batch) {
  const int fd = batch.memory.get();
  (void)link.Send(batch.head, {}, std::span(&fd, batch.memory ? 1 : 0));
}

// Returns at most kTailLines lines of what ReadTail() cut off by bytes.
std::string LastLines(std::string text) {
  while (std::count(text.begin(), text.end(), '\n') > static_cast<std::ptrdiff_t>(kTailLines)) {
    text.erase(0, text.find('\n') + 1);
  }
  return text;
}

}  // namespace

WaitTerms RunSpec::wait_terms() const {
  return {.deadline = deadline,
          .beat = beat(),
          .silent_after = 4 * beat(),
          .replaces_hung = replaces_hung()};
}

WorkerWish RunSpec::MakeWish(const MemberPlace& place) const {
  WorkerWish wish{.torch = RunsInLibrary(task), .unused = gang()};
  if (!place.at) return wish;
  for (const Device& device : place.at->gpus) {
    wish.devices.push_back(device.address);
    wish.leases.push_back(lease_of(device));
  }
  return wish;
}

Json Member::Head(const char* type) const { return {{"type", type}, {"task", spec.number}}; }

void Member::Send(const Json& head, std::string_view raw, std::span<const int> fds) const {
  if (const auto alive = link.lock()) (void)alive->Send(head, raw, fds);
}

Status Member::SendBatch(const arrow::RecordBatch& batch) {
  PT_LET(WrittenBatch written, input.Write(batch));
  Json head = Head("batch");
  head["slot"] = written.slot;
  head["bytes"] = written.bytes;
  SentBatch sent{std::move(head), std::move(written.memory)};
  const std::lock_guard lock(sending);
  if (const auto alive = link.lock()) SendTo(*alive, sent);
  if (!begun && !spec.gang()) first.push_back(std::move(sent));
  return Status::OK();
}

void Member::EndInput() {
  const std::lock_guard lock(sending);
  input_ended = true;
  Send(Head("end"));
}

void Member::Begun() {
  const std::lock_guard lock(sending);
  begun = true;
  first.clear();
}

void Member::Dismiss() {
  done = true;
  if (worker) worker->process.Signal(SIGKILL);
  worker.reset();
}

RankFailure Member::Failure(RankFailure::Kind kind, Status status, Clock::time_point at) const {
  RankFailure failure{.kind = kind,
                      .role = spec.gang() ? "rank" : "partition",
                      .rank = rank(),
                      .world = spec.most,
                      .host = HostName(),
                      .status = std::move(status),
                      .at = at.time_since_epoch().count(),
                      .log = log,
                      .is_program = spec.task.role == MapTask::Role::kProgram,
                      .server = place.serves()};
  if (place.at) failure.devices = place.at->gpus;
  std::error_code error;
  const auto size = log.empty() ? 0 : std::filesystem::file_size(log, error);
  // Only what this attempt wrote; the log of an earlier attempt may hold another error.
  if (!error && static_cast<int64_t>(size) > log_begin) {
    const int64_t written = static_cast<int64_t>(size) - log_begin;
    failure.last_lines = LastLines(ReadTail(log, std::min(written, kTailBytes)));
  }
  return failure;
}

std::string Member::WhyStill(bool silent) const {
  const char state = worker ? ReadProcessState(worker->process.pid()) : '?';
  if (IsStopped(state)) return "its process is stopped";
  if (silent && state == 'D') return "its process waits for a disk or a device";
  return silent ? "its process is stopped or gets no CPU time" : "";
}

Result<std::unique_ptr<Member>> StartMember(const RunSpec& spec, MemberPlace place,
                                            std::unique_ptr<Worker> worker,
                                            const std::vector<UniqueFd>& peers) {
  auto member = std::make_unique<Member>(spec, std::move(place));
  PT_TRY(member->Hand(std::move(worker), peers));
  return member;
}

Status Member::Hand(std::unique_ptr<Worker> next, const std::vector<UniqueFd>& peers) {
  PT_LET(const UniqueFd log_file, OpenLog(*this));
  PT_LET(const auto input_schema, SchemaToIpc(*spec.input));
  PT_LET(const auto output_schema, SchemaToIpc(*spec.task.output));
  Json head = TaskHead(spec, place);
  head["log"] = static_cast<bool>(log_file);
  head["input_bytes"] = input_schema->size();
  std::vector<int> fds;
  if (log_file) fds.push_back(log_file.get());
  for (const UniqueFd& peer : peers) {
    if (peer) fds.push_back(peer.get());
  }
  const std::lock_guard lock(sending);
  link = next->link;
  output = std::make_unique<SlotReader>(
      spec.task.output, [link = link, number = spec.number](int32_t slot) {
        const auto alive = link.lock();
        if (alive) (void)alive->Send({{"type", "free"}, {"task", number}, {"slot", slot}});
      });
  next->link->LimitSends(spec.deadline);
  // If the worker has just died, whoever watches it finds out, and how it ended.
  (void)next->link->Send(head, input_schema->ToString() + output_schema->ToString(), fds);
  for (const SentBatch& each : first) SendTo(*next->link, each);
  if (input_ended) (void)next->link->Send(Head("end"));
  next->used = true;
  worker = std::move(next);
  return Status::OK();
}

Result<std::vector<std::vector<UniqueFd>>> MakeMesh(int32_t world) {
  std::vector<std::vector<UniqueFd>> mesh(world);
  for (auto& row : mesh) row.resize(world);
  for (int32_t a = 0; a < world; ++a) {
    for (int32_t b = a + 1; b < world; ++b) {
      PT_LET(auto ends, SocketPair());
      mesh[a][b] = std::move(ends.first);
      mesh[b][a] = std::move(ends.second);
    }
  }
  return mesh;
}

}  // namespace protium
