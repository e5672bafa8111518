// SPDX-License-Identifier: Apache-2.0
#include "workers/workers.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "engine/address.h"
#include "gang/attempts.h"
#include "gang/program.h"
#include "gang/wish.h"
#include "os/file.h"
#include "pool/place.h"
#include "protium/events.h"
#include "workers/idle_workers.h"
#include "workers/map_run.h"
#include "workers/reforming.h"
#include "workers/seats.h"
#include "workers/yielding.h"

namespace protium {

namespace {

// The batches of a run, as they arrive.
class RunStream : public BatchStream {
 public:
  RunStream(SchemaPtr schema, std::unique_ptr<MapRun> run)
      : schema_(std::move(schema)), run_(std::move(run)) {}
  const SchemaPtr& schema() const override { return schema_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override { return run_->Next(); }
  AttemptResult end() const { return run_->end(); }

 private:
  SchemaPtr schema_;
  std::unique_ptr<MapRun> run_;
};

// Numbers for the gangs that run at the same time: each gets the lowest that is free.
class Lanes {
 public:
  int32_t Take() {
    const std::lock_guard lock(mutex_);
    int32_t lane = 0;
    while (!taken_.insert(lane).second) ++lane;
    return lane;
  }
  void GiveBack(int32_t lane) {
    const std::lock_guard lock(mutex_);
    taken_.erase(lane);
  }

 private:
  std::mutex mutex_;
  std::set<int32_t> taken_;
};

class LocalWorkers : public Workers {
 public:
  explicit LocalWorkers(WorkerSettings settings)
      : settings_(settings),
        seats_({.strict = settings.seats,
                .discovery = settings.discovery,
                .leases = settings.leases,
                .pool = settings.pool ? *settings.pool : PoolSocket(),
                .who = settings.who}),
        // As many as a task without a gang has at most.
        idle_(std::move(settings), seats_.cores()) {}

  ~LocalWorkers() override {
    if (settings_.logs.empty()) return;
    std::error_code ignored;
    // Workers print hardly anything between tasks.
    const auto log = settings_.logs / kIdleLog;
    if (std::filesystem::is_empty(log, ignored)) std::filesystem::remove(log, ignored);
  }

  void Expect(int32_t workers, bool torch) override {
    // Only a hint: whoever needs a worker starts one, and gets the error then.
    (void)idle_.Expect(workers, torch);
  }

  Result<Json> Placement(const GangSpec& gang) override {
    PT_LET(const auto placement, seats_.PlaceWhenIdle(gang));
    return PlacementToJson(placement);
  }

  Result<std::string> WaitsFor(const GangSpec& gang) override { return seats_.WhyNotNow(gang); }

  Result<BatchStreamPtr> Map(const MapTask& task,
                             std::function<Result<BatchStreamPtr>()> open_input,
                             const Call& call) override;

 private:
  RunSpec MakeSpec(const MapTask& task);
  // Where a user writes how many workers the gang should have; empty: nowhere.
  std::filesystem::path Wish() const {
    return settings_.logs.empty() ? "" : settings_.logs.parent_path() / kWorkersWanted;
  }
  Result<BatchStreamPtr> MapGang(const MapTask& task,
                                 const std::function<Result<BatchStreamPtr>()>& open_input,
                                 const Call& call);
  Status RunGang(const MapTask& task, int32_t lane,
                 const std::function<Result<BatchStreamPtr>()>& open_input, const Call& call,
                 arrow::RecordBatchVector& output);
  Result<std::unique_ptr<Seats::Taken>> TakeAgain(const GangSpec& gang, const std::string& who,
                                                  const Call& call, SeatClaim* claim);
  void Seat(const GangSpec& gang, Seats::Taken& taken, const Yielding& yielding,
            RunSpec& spec) const;
  AttemptResult Attempt(RunSpec spec, const std::function<Result<BatchStreamPtr>()>& open_input,
                        const Call& call, arrow::RecordBatchVector& output);

  const WorkerSettings settings_;
  Seats seats_;
  IdleWorkers idle_;
  Lanes lanes_;
  std::atomic<int64_t> next_number_ = 0;
};

RunSpec LocalWorkers::MakeSpec(const MapTask& task) {
  RunSpec spec;
  spec.task = task;
  spec.number = ++next_number_;
  spec.logs = settings_.logs;
  if (task.gang) {
    spec.most = task.gang->ranks();
    spec.deadline = task.gang->deadline;
    return spec;
  }
  spec.deadline = settings_.deadline;
  const int32_t cores = seats_.cores();
  const bool strict = seats_.strict();
  // If the task does not say: one partition for each core.
  spec.most = task.workers > 0 ? (strict ? std::min(task.workers, cores) : task.workers) : cores;
  return spec;
}

void LocalWorkers::Seat(const GangSpec& gang, Seats::Taken& taken, const Yielding& yielding,
                        RunSpec& spec) const {
  spec.placement = taken.placement();
  spec.most = int32_t(spec.placement->seats.size());
  spec.lease_of = [&](const Device& device) { return taken.FindLease(device); };
  spec.died = [&](const protium::Seat& seat) { return taken.Died(gang, seat, yielding.call()); };
  if (Reforms(spec.task)) return;
  const auto patience = std::chrono::duration<double>(std::min(gang.patience, 1e6));
  // Only a task that shares what its ranks have survives the loss of one.
  if (gang.servers > 0 && spec.most <= kMostBending) {
    spec.bends = {.min = spec.most,
                  .max = spec.most,
                  .fruitless = std::max(gang.max_restarts, spec.most),
                  .patience = std::chrono::duration_cast<Clock::duration>(patience),
                  .fixed_ranks = true};
  }
  if (!gang.workers.bends()) return;
  spec.bends = {.min = gang.workers.min,
                .max = gang.workers.max,
                .fruitless = std::max(gang.max_restarts, gang.workers.max),
                .patience = std::chrono::duration_cast<Clock::duration>(patience)};
  spec.wish = Wish();
  spec.most_now = [&] { return yielding.most(); };
  spec.take_seat = [&] { return taken.TakeMore(gang); };
  spec.give_back_seat = [&](const protium::Seat& seat) { taken.GiveBack(seat); };
}

Result<BatchStreamPtr> LocalWorkers::Map(const MapTask& task,
                                         std::function<Result<BatchStreamPtr>()> open_input,
                                         const Call& call) {
  if (!settings_.logs.empty()) PT_TRY(MakeFolder(settings_.logs));
  if (const std::string note = idle_.TakeNote(); !note.empty()) call.Send(Note{note});
  if (task.gang) return MapGang(task, open_input, call);
  RunSpec spec = MakeSpec(task);
  PT_LET(auto input, open_input());
  spec.input = input->schema();
  PT_LET(auto run, MapRun::Start(idle_, std::move(spec), std::move(input), call));
  return std::make_unique<RunStream>(task.output, std::move(run));
}

AttemptResult LocalWorkers::Attempt(RunSpec spec,
                                    const std::function<Result<BatchStreamPtr>()>& open_input,
                                    const Call& call, arrow::RecordBatchVector& output) {
  auto input = open_input();
  if (!input.ok()) return {input.status(), false};
  spec.input = (*input)->schema();
  auto run = MapRun::Start(idle_, std::move(spec), std::move(*input), call);
  if (!run.ok()) return {run.status(), false};
  RunStream stream(nullptr, std::move(*run));
  output.clear();
  auto collected = Collect(stream);
  if (collected.ok()) output = std::move(*collected);
  // A batch could not be read although the run succeeded.
  if (!collected.ok() && stream.end().status.ok()) return {collected.status(), false};
  return stream.end();
}

Status LocalWorkers::RunGang(const MapTask& task, int32_t lane,
                             const std::function<Result<BatchStreamPtr>()>& open_input,
                             const Call& call, arrow::RecordBatchVector& output) {
  const GangSpec& gang = *task.gang;
  const std::string who = "gang " + task.task;
  // For all attempts: a restart needs no second wait, unless the gang has made room for another.
  const auto claim = seats_.MakeClaim(gang, who);
  PT_LET(auto taken, seats_.Take(gang, who, call, claim.get()));
  return RunAttempts(gang, call, [&](int32_t attempt, const Call& call) -> AttemptResult {
    if (!taken) {
      auto again = TakeAgain(gang, who, call, claim.get());
      if (!again.ok()) return {again.status(), false};
      taken = std::move(*again);
    }
    taken->LeaveQuarantined(gang);
    const Yielding yielding(*taken, gang, call);
    RunSpec spec = MakeSpec(task);
    spec.lane = lane;
    spec.attempt = attempt;
    Seat(gang, *taken, yielding, spec);
    Reforming reforming(*taken, task, Wish(), yielding);
    AttemptResult result = Attempt(std::move(spec), open_input, reforming.call(), output);
    const bool made_room = yielding.MadeRoom(result);
    result.goes_on = reforming.Ended(result) || made_room;
    if (made_room) taken.reset();
    return result;
  });
}

// It made room by itself, so it waits as long as others need the room.
Result<std::unique_ptr<Seats::Taken>> LocalWorkers::TakeAgain(const GangSpec& gang,
                                                              const std::string& who,
                                                              const Call& call, SeatClaim* claim) {
  GangSpec patient = gang;
  patient.deadline = std::numeric_limits<double>::infinity();
  PT_LET(auto taken, seats_.Take(patient, who, call, claim));
  call.Send(Note{"the gang continues: there is room again"});
  return taken;
}

Result<BatchStreamPtr> LocalWorkers::MapGang(
    const MapTask& task, const std::function<Result<BatchStreamPtr>()>& open_input,
    const Call& call) {
  arrow::RecordBatchVector output;
  const int32_t lane = lanes_.Take();
  const Status status = RunGang(task, lane, open_input, call, output);
  lanes_.GiveBack(lane);
  PT_TRY(status);
  return MakeStream(task.output, std::move(output));
}

}  // namespace

bool KeepsOrder(const MapTask& task) { return !task.gang && task.role != TaskRole::kFit; }

Result<WorkerSettings> SettingsOf(const EngineRequest& request) {
  WorkerSettings settings;
  PT_LET(settings.seats, SeatsOf(request.address));
  settings.discovery = request.discovery;
  settings.deadline = request.worker_deadline;
  if (!request.program.empty()) settings.program = request.program;
  if (!request.folder.empty()) {
    settings.logs = request.folder / "logs";
    settings.who = request.folder.filename().string();
  }
  return settings;
}

Result<std::unique_ptr<Workers>> Workers::Make(WorkerSettings settings) {
  if (settings.seats < 0) return Status::Invalid("local[", settings.seats, "] has no seats");
  if (!settings.logs.empty()) PT_TRY(MakeFolder(settings.logs));
  return std::make_unique<LocalWorkers>(std::move(settings));
}

}  // namespace protium
