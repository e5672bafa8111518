// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/spark_task.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "base/fault.h"
#include "gang/waits.h"
#include "os/thrown.h"
#include "spark_worker/event_tail.h"
#include "spark_worker/gathering.h"
#include "spark_worker/lease_words.h"
#include "spark_worker/row_files.h"
#include "spark_worker/task_place.h"

namespace protium {

namespace {

Status Stopped() { return Fail({.exit = Exit::kStopped, .what = "the task was asked to stop"}); }

std::filesystem::path EventPath(const SparkCommand& command, const TaskInit& init) {
  if (command.events.empty()) return {};
  const int32_t place = command.lease ? command.lease->seat : init.partition;
  return std::filesystem::path(command.events) / EventFileName(place, init.task_attempt_id);
}

Json DevicesToJson(const std::vector<Device>& devices) {
  Json list = Json::array();
  for (const Device& each : devices)
    list.push_back({{"name", each.name}, {"address", each.address}});
  return list;
}

}  // namespace

SparkTask::SparkTask(ExecutorWire& wire, const TaskInit& init, SparkCommand command,
                     std::unique_ptr<TaskTransit> transit)
    : wire_(wire),
      init_(init),
      command_(std::move(command)),
      transit_(std::move(transit)),
      place_(DescribeTask(init, command_)),
      rank_(init.partition),
      world_(command_.world),
      output_(wire, command_.output, command_.task) {}

// Spark may run a stage again with only some of its tasks; the list of addresses in the job's
// properties has one for each task that it started.
Status SparkTask::CheckGang() const {
  const bool barrier = command_.gang && !command_.lease;
  if (barrier != init_.barrier) {
    return Fail({.exit = Exit::kBug,
                 .what = barrier          ? "a gang's stage is not a barrier stage"
                         : command_.lease ? "a task of a lease is in a barrier stage"
                                          : "a task without a gang is in a barrier stage"});
  }
  if (!barrier) return Status::OK();
  const auto found = init_.properties.find("addresses");
  const auto ranks = found == init_.properties.end()
                         ? command_.world
                         : 1 + std::count(found->second.begin(), found->second.end(), ',');
  if (ranks == command_.world && init_.partition < command_.world) return Status::OK();
  return Fail(
      {.exit = Exit::kRemote,
       .what = fmt::format("Spark started {} of the gang's {} ranks", ranks, command_.world),
       .where = fmt::format("rank {}", init_.partition)});
}

// The stream from Spark is opened even if the rows are in files: then it has no rows for the task,
// but its schema and end must be read.
Status SparkTask::OpenInput() {
  PT_LET(sent_, WireInput::Open(wire_));
  source_ = sent_.get();
  if (!command_.rows) return Status::OK();
  if (member_ && member_->newcomer()) {
    rows_ = MakeStream(command_.rows->schema, {});
    source_ = rows_.get();
    return Status::OK();
  }
  PT_LET(rows_, ReadRowFiles(*command_.rows,
                             {.rank = rank(), .world = world(), .threads = init_.cpus > 1}));
  source_ = rows_.get();
  PT_LET(steps_, RowSteps::FromJson(command_.rows->steps, rows_->schema()));
  return Status::OK();
}

Status SparkTask::StartWatch(std::stop_token signals) {
  WatchOptions watch{.socket = wire_.fd()};
  // A rank that the others can do without must not stop them all: on a signal it leaves, and
  // without its executor it ends.
  if (command_.lease && command_.lease->bends) {
    watch.gone_time = std::chrono::milliseconds(0);
  } else {
    watch.signals = std::move(signals);
  }
  if (!command_.events.empty())
    watch.stop_file = std::filesystem::path(command_.events) / kStopFile;
  if (command_.gang && !command_.events.empty())
    watch.driver_file = std::filesystem::path(command_.events) / kDriverFile;
  watch.on_stop = [this] {
    stop_.request_stop();
    wire_.Interrupt();
  };
  PT_LET(watch_, TaskWatch::Start(std::move(watch)));
  return Status::OK();
}

// A rank that cannot report anything any more, since the disk of the folder is full, would look
// like one that hangs: so it ends.
void SparkTask::StartBeats() {
  if (!command_.gang || command_.events.empty()) return;
  const std::filesystem::path folder = command_.events;
  beats_ = std::make_unique<RankBeats>(
      RankBeats::Options{.where = folder / WhereFile(init_.task_attempt_id),
                         .beat = BeatOf(command_.deadline),
                         .on_mute = [this] { mute_.request_stop(); }},
      *events_, doing_);
  on_mute_.emplace(mute_.get_token(), [this] {
    stop_.request_stop();
    wire_.Interrupt();
  });
}

Status SparkTask::Prepare(std::stop_token signals) {
  PT_LET(events_, EventFile::Make(EventPath(command_, init_), command_.lease.has_value()));
  PT_TRY(CheckGang());
  PT_TRY(StartWatch(signals));
  StartBeats();
  if (command_.lease) {
    PT_LET(needed_, TakePlace(std::move(signals)));
  }
  if (command_.gang && needed_ && !command_.log.empty()) PT_TRY(RedirectLog(command_.log, rank()));
  ReportStart();
  return OpenInput();
}

Result<bool> SparkTask::TakePlace(std::stop_token signals) {
  const std::filesystem::path folder = command_.events;
  using std::chrono::milliseconds;
  const auto seconds = [](double time) { return milliseconds(int64_t(time * 1000)); };
  talk_ = std::make_unique<LeaseTalk>(
      LeaseTalk::Options{
          .folder = folder, .task = init_.task_attempt_id, .stop = stop_.get_token()},
      *events_);
  const Json about = {{"attempt", init_.attempt},
                      {"host", host()},
                      {"pid", ::getpid()},
                      {"executor", ::getppid()},
                      {"devices", DevicesToJson(devices())}};
  PT_LET(const std::optional<LeasePlace> place, talk_->AwaitPlace(about));
  if (!place) return false;
  rank_ = place_.rank = place->member;
  world_ = place_.world = place->world;
  place_.log = LogFile(command_.log, rank_);
  kept_.emplace(folder / RowsFile(init_.task_attempt_id), command_.output, command_.task);
  member_ =
      std::make_unique<LeaseMember>(GangMemberSpec{.newcomer = place->newcomer,
                                                   .deadline = seconds(command_.deadline),
                                                   .patience = seconds(command_.lease->patience),
                                                   .rebalances = command_.lease->rebalances,
                                                   .stop = stop_.get_token()},
                                    *talk_, doing_, command_, *place);
  if (command_.lease->bends) {
    // A stop would be one of the whole gang, which can do without this rank.
    on_mute_.emplace(mute_.get_token(), [this] {
      member_->Despair(events_->status());
      member_->Abort(events_->status());
    });
    on_notice_.emplace(std::move(signals), [this] { talk_->Say({{"type", "notice"}}); });
  }
  return true;
}

// For rows through Spark the task waits; it reads those in files itself.
Result<std::shared_ptr<arrow::RecordBatch>> SparkTask::Receive() {
  if (source_ != sent_.get()) return source_->Next();
  const Doing::Waiting waiting(doing_, kForInput);
  return source_->Next();
}

Result<std::shared_ptr<arrow::RecordBatch>> SparkTask::Next() {
  while (true) {
    if (stop_.stop_requested()) return Stopped();
    PT_LET(auto batch, Receive());
    // Readers of files know themselves how many rows they must return; only a stream is summed.
    if (batch != nullptr && command_.gang && !command_.rows) read_ += SumRows(*batch);
    read_all_ = read_all_ || (batch == nullptr && !command_.rows);
    if (batch == nullptr || !steps_) return batch;
    PT_LET(batch, steps_->Apply(std::move(batch)));
    // Steps may leave nothing of a batch; tasks get no empty ones.
    if (batch->num_rows() > 0) return batch;
  }
}

Result<Communicator*> SparkTask::communicator() {
  if (!command_.gang) {
    return Fail({.what = "task \"" + command_.task + "\" has no other ranks: it is not in a gang"});
  }
  if (member_) return member_->ranks();
  if (ranks_) return ranks_.get();
  const Doing::Waiting waiting(doing_, "first meeting");
  PT_LET(
      auto ranks,
      JoinRanks(command_,
                {.rank = rank(), .task = init_.task_attempt_id, .address = init_.barrier_address},
                signs_.get(), stop()));
  ranks_ = MarkCalls(std::move(ranks), doing_);
  signs_.reset();
  return ranks_.get();
}

GangMembership* SparkTask::membership() {
  return member_ && command_.lease->bends ? member_.get() : nullptr;
}

Status SparkTask::Call(const Task& task) {
  if (!needed_) return Status::OK();
  doing_.SetPhase("");
  if (member_ && !member_->newcomer()) PT_TRY(member_->JoinFirst());
  try {
    return task(*this);
  } catch (const std::bad_alloc&) {
    return Status::OutOfMemory("task \"", command_.task, "\" ran out of memory");
  } catch (const std::system_error&) {
    return Annotate(FaultOfThrown(), "task \"" + command_.task + "\"");
  } catch (const std::exception& error) {
    return Status::UnknownError("task \"", command_.task, "\" threw: ", error.what());
  } catch (...) {
    return Status::UnknownError("task \"", command_.task,
                                "\" threw something that is not a std::exception");
  }
}

// A successful task is not stopped any more. Unread input must be read, since the next number from
// the executor comes after it.
Status SparkTask::SkipInput() {
  watch_.reset();
  wire_.Resume();
  return sent_->Skip();
}

// Ranks of a lease have reported themselves already, and give signs with their messages.
void SparkTask::ReportStart() {
  if (!command_.gang || command_.lease) return;
  if (!command_.events.empty() && world() > 1) signs_ = GiveSigns();
  events_->Write({{"type", "start"},
                  {"rank", rank()},
                  {"world", world()},
                  {"host", host()},
                  {"pid", ::getpid()},
                  {"devices", DevicesToJson(devices())},
                  {"attempt", attempt()},
                  {"log", LogForDriver()}});
}

std::string SparkTask::LogForDriver() const {
  return transit_ ? transit_->ForDriver(place_.log.string()) : place_.log.string();
}

// Ranks emit what they have made, and where it lies.
Status SparkTask::Emit(const arrow::RecordBatch& batch) {
  if (!transit_ || !command_.gang) return EmitHere(batch);
  PT_LET(const auto moved, transit_->ForDriver(batch));
  return EmitHere(*moved);
}

std::unique_ptr<RankSigns> SparkTask::GiveSigns() {
  // Signs are given once a second; on a busy machine one may be late.
  constexpr std::chrono::milliseconds kLeast{3'000};
  const std::chrono::milliseconds deadline(int64_t(command_.deadline * 1000));
  return std::make_unique<RankSigns>(SeenSigns::Options{.folder = command_.events,
                                                        .rank = rank(),
                                                        .world = world(),
                                                        .task = init_.task_attempt_id,
                                                        .deadline = std::max(deadline, kLeast)},
                                     stop_.get_token());
}

void SparkTask::ReportEnd(const Status& status) {
  if (!command_.gang || !events_) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  Json end = {{"type", talk_ ? "done" : "end"},
              {"rank", rank()},
              {"status", StatusToJson(status)},
              {"at", now / std::chrono::nanoseconds(1)}};
  if (read_all_) end["read"] = ToJson(read_);
  events_->Write(end);
}

Status SparkTask::Run(const Result<Task>& task, std::stop_token signals) {
  Status status = task.status();
  if (status.ok()) status = Prepare(std::move(signals));
  if (status.ok()) status = Call(*task);
  if (status.ok()) status = SkipInput();
  // Whatever error the task returns then, it was stopped because of this one.
  if (events_ && !events_->status().ok()) status = events_->status();
  if (status.ok() && kept_) status = kept_->Close();
  watch_.reset();
  beats_.reset();
  on_mute_.reset();
  on_notice_.reset();
  ReportEnd(status);
  if (transit_) {
    const Status sent = transit_->Exchange();
    if (status.ok()) status = sent;
  }
  return status;
}

void SparkTask::Leave(const Status& status) {
  // The driver's lines are not read any more; it knows of the end already.
  talk_.reset();
  if (member_ && !status.ok()) member_->Abort(status);
  member_.reset();
  if (ranks_ && !status.ok()) ranks_->Abort(status);
  ranks_.reset();
}

}  // namespace protium
