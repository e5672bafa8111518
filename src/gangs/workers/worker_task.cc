// SPDX-License-Identifier: Apache-2.0
#include "workers/worker_task.h"

#include <arrow/type.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "base/fault.h"
#include "column/ipc.h"
#include "os/thrown.h"

namespace protium {

namespace {

Result<SchemaPtr> SchemaIn(std::string_view bytes) {
  return SchemaFromIpc(arrow::Buffer::FromString(std::string(bytes)));
}

Json DoneHead(int64_t task, const Status& status) {
  return {{"type", "done"},
          {"task", task},
          {"status", StatusToJson(status)},
          {"at", Clock::now().time_since_epoch().count()}};
}

Result<std::vector<Device>> DevicesIn(const Json& head) {
  std::vector<Device> devices;
  const auto list = head.find("devices");
  if (list == head.end()) return devices;
  for (const Json& each : *list) {
    Device device;
    PT_LET(device.name, RequireText(each, "name"));
    PT_LET(device.address, RequireText(each, "address"));
    devices.push_back(std::move(device));
  }
  return devices;
}

Result<Columns> GroupsIn(const Json& head) {
  Columns groups;
  const auto list = head.find("groups");
  if (list == head.end()) return groups;
  for (const Json& each : *list) {
    if (!each.is_string()) return Status::Invalid("a task arrived with groups that are no names");
    groups.push_back(each.get<std::string>());
  }
  return groups;
}

// Sockets to the other ranks, by rank, with an empty entry for this one.
std::vector<UniqueFd> PeersIn(std::vector<UniqueFd> fds, int32_t rank) {
  if (rank >= 0 && rank <= static_cast<int32_t>(fds.size())) fds.emplace(fds.begin() + rank);
  return fds;
}

}  // namespace

Result<std::shared_ptr<WorkerTask>> WorkerTask::Make(std::shared_ptr<Link> link, Frame frame) {
  std::shared_ptr<WorkerTask> task(new WorkerTask(std::move(link)));
  PT_TRY(task->Read(std::move(frame)));
  return task;
}

Status WorkerTask::Refuse(Link& link, const Json& head, const Status& why) {
  PT_LET(const int64_t number, RequireWhole(head, "task"));
  return link.Send(DoneHead(number, why));
}

Status WorkerTask::Read(Frame frame) {
  const Json& head = frame.head;
  PT_LET(number_, RequireWhole(head, "task"));
  PT_LET(name_, RequireText(head, "name"));
  torch_ = head.value("torch", false);
  PT_LET(config_, RequireText(head, "config"));
  PT_LET(groups_, GroupsIn(head));
  PT_LET(rank_, RequireWhole(head, "rank"));
  PT_LET(world_, RequireWhole(head, "world"));
  PT_LET(attempt_, RequireWhole(head, "attempt"));
  PT_LET(host_, RequireText(head, "host"));
  PT_LET(devices_, DevicesIn(head));
  PT_LET(const int64_t deadline, RequireWhole(head, "deadline"));
  deadline_ = std::chrono::milliseconds(deadline);
  PT_LET(const int64_t beat, RequireWhole(head, "beat"));
  beat_ = std::chrono::milliseconds(beat);
  gang_ = head.value("gang", false);
  PT_LET(const int64_t input_bytes, RequireWhole(head, "input_bytes"));
  if (input_bytes < 0 || input_bytes > static_cast<int64_t>(frame.raw.size())) {
    return Status::Invalid("a task arrived without its schemas");
  }
  PT_LET(SchemaPtr input, SchemaIn(std::string_view(frame.raw).substr(0, input_bytes)));
  PT_LET(output_schema_, SchemaIn(std::string_view(frame.raw).substr(input_bytes)));
  // Batches may outlive the task, and must not keep the channel open: so the link is held weakly.
  input_ = std::make_unique<SlotReader>(
      std::move(input), [link = std::weak_ptr(link_), number = number_](int32_t slot) {
        const auto alive = link.lock();
        if (alive) (void)alive->Send({{"type", "free"}, {"task", number}, {"slot", slot}});
      });
  if (head.value("log", false) && !frame.fds.empty()) {
    log_ = std::move(frame.fds.front());
    frame.fds.erase(frame.fds.begin());
  }
  return gang_ ? ReadGang(frame) : Status::OK();
}

Status WorkerTask::ReadGang(Frame& frame) {
  peers_ = PeersIn(std::move(frame.fds), rank_);
  bends_ = frame.head.value("bends", false);
  if (!bends_) return Status::OK();
  PT_LET(const int64_t patience, RequireWhole(frame.head, "patience"));
  membership_ = std::make_unique<WorkerMembership>(
      GangMemberSpec{.newcomer = frame.head.value("newcomer", false),
                     .deadline = deadline_,
                     .patience = std::chrono::milliseconds(patience),
                     .rebalances = frame.head.value("rebalance", false),
                     .spare = frame.head.value("spare", false),
                     .stop = stop_.get_token()},
      link_, number_, doing_);
  return Status::OK();
}

Json WorkerTask::Head(const char* type) const { return {{"type", type}, {"task", number_}}; }

void WorkerTask::HandleFrame(Frame frame) {
  if (frame.type == "taken") {
    output_.Taken();
  } else if (frame.type == "free") {
    output_.Free(RequireWhole(frame.head, "slot").ValueOr(-1));
  } else if (frame.type == "stop") {
    stop_.request_stop();
  } else if (membership_ && (frame.type == "call" || frame.type == "parts")) {
    return membership_->HandleFrame(std::move(frame));
  }
  std::lock_guard lock(mutex_);
  if (frame.type == "end") ended_ = true;
  if (frame.type == "batch") batches_.push_back(std::move(frame));
  changed_.notify_all();
}

Result<std::shared_ptr<arrow::RecordBatch>> WorkerTask::Next() {
  Frame frame;
  {
    std::unique_lock lock(mutex_);
    const Doing::Waiting waiting(doing_, kForInput);
    // Ends with a message from the driver; if the driver is gone, the whole process ends.
    changed_.wait(lock, [&] { return !batches_.empty() || ended_ || stop_.stop_requested(); });
    if (stop_.stop_requested()) return AskedToStop();
    if (batches_.empty()) return std::shared_ptr<arrow::RecordBatch>();
    frame = std::move(batches_.front());
    batches_.pop_front();
  }
  PT_TRY(link_->Send(Head("taken")));
  PT_LET(const int64_t slot, RequireWhole(frame.head, "slot"));
  PT_LET(const int64_t bytes, RequireWhole(frame.head, "bytes"));
  return input_->Read(slot, bytes, frame.fds.empty() ? UniqueFd() : std::move(frame.fds[0]));
}

Status WorkerTask::Emit(const arrow::RecordBatch& batch) {
  if (!batch.schema()->Equals(*output_schema_)) {
    return Fail(
        {.exit = Exit::kBug,
         .what = "task \"" + name_ + "\" emitted a batch whose schema is not that of its plan",
         .why = "emitted: " + batch.schema()->ToString() +
                "\nplanned: " + output_schema_->ToString()});
  }
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return output_.HasRoom() || stop_.stop_requested(); });
    // A task that was asked to stop may still emit while there is room.
    if (!output_.HasRoom()) return AskedToStop();
  }
  PT_LET(const WrittenBatch written, output_.Write(batch));
  Json head = Head("batch");
  head["slot"] = written.slot;
  head["bytes"] = written.bytes;
  const int fd = written.memory.get();
  return link_->Send(head, {}, std::span(&fd, written.memory ? 1 : 0));
}

Result<Communicator*> WorkerTask::communicator() {
  if (!gang_) {
    return Fail({.what = "task \"" + name_ + "\" has no other ranks: it is not in a gang"});
  }
  return membership_ ? membership_->ranks() : ranks_.get();
}

void WorkerTask::Send(const Json& event) {
  Json head = Head("event");
  head["event"] = event;
  if (membership_) head["rank"] = membership_->rank();
  // If the driver is gone, this process ends anyway.
  (void)link_->Send(head);
}

// On the task's thread: ranks wait here for each other, up to their deadline.
Status WorkerTask::MakeRanks() {
  if (!gang_ || (membership_ && membership_->newcomer())) return Status::OK();
  PT_LET(ranks_, JoinRanks(rank_, std::move(peers_), deadline_, doing_));
  // From here on the membership has the communicator of each generation.
  if (membership_) membership_->Begin(std::move(ranks_));
  return Status::OK();
}

Status WorkerTask::Call(const Task& task) {
  PT_TRY(MakeRanks());
  try {
    return task(*this);
  } catch (const std::bad_alloc&) {
    return Fail({.exit = Exit::kNoRoom,
                 .what = "task \"" + name_ + "\" ran out of memory",
                 .why = "fewer workers (gang.workers) or smaller batches need less"});
  } catch (const std::system_error&) {
    return Annotate(FaultOfThrown(), "task \"" + name_ + "\"");
  } catch (const std::exception& error) {
    return Status::UnknownError("task \"", name_, "\" threw: ", error.what());
  } catch (...) {
    return Status::UnknownError("task \"", name_,
                                "\" threw something that is not a std::exception");
  }
}

// Drops what the task did not read before "done" is sent, so that the driver finds its slots free.
void WorkerTask::ReleaseAll() {
  std::lock_guard lock(mutex_);
  batches_.clear();
}

Status WorkerTask::Run(Result<Task> task) {
  if (log_) {
    ::dup2(log_.get(), 1);
    ::dup2(log_.get(), 2);
    // Descriptors 1 and 2 keep the file open; they stay with the log until the next task.
    log_.reset();
  }
  doing_.SetPhase("");
  const Status status = task.ok() ? Call(*task) : task.status();
  std::fflush(nullptr);
  ReleaseAll();
  // Before Abort(): what other ranks report because of it is then reported later, and the driver
  // sees which came first.
  const Status sent = link_->Send(DoneHead(number_, status));
  if (membership_ && !status.ok()) membership_->Abort(status);
  if (ranks_ && !status.ok()) ranks_->Abort(status);
  membership_.reset();
  ranks_.reset();
  return sent;
}

}  // namespace protium
