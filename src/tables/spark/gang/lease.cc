// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/lease.h"

#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "column/claims.h"
#include "spark/gang/lease_run.h"
#include "spark_worker/lease_words.h"

namespace protium {
namespace {

// How quickly deaths, reports and stops are noticed: three of these pass until survivors are
// together again.
constexpr auto kLeaseTick = std::chrono::milliseconds(20);
// Time for tasks to end by themselves before their jobs are interrupted.
constexpr auto kEndTime = std::chrono::seconds(1);

Result<arrow::RecordBatchVector> ReadRows(const std::filesystem::path& path) {
  std::error_code missing;
  // A rank that emits nothing writes no file.
  if (!std::filesystem::exists(path, missing)) return arrow::RecordBatchVector();
  PT_LET(const auto file, arrow::io::ReadableFile::Open(path.string()));
  PT_LET(const auto reader, arrow::ipc::RecordBatchStreamReader::Open(file));
  PT_LET(auto batches, reader->ToRecordBatches());
  for (const auto& each : batches) {
    PT_TRY(each->ValidateFull());
    PT_TRY(CheckClaims(*each));
  }
  return batches;
}

}  // namespace

GangOutcome GangLease::Run() {
  for (int32_t i = 0; i < spec_.gang.workers.max; ++i) jobs_.Start();
  came_ = Clock::now();
  while (!IsOver()) {
    jobs_.Wait(Clock::now() + kLeaseTick);
    Round();
  }
  return Finish();
}

void GangLease::Round() {
  ShowLife();
  // Before the events: whatever a task reported before its job ended is then known.
  const std::vector<LeaseJobEnd> ends = jobs_.TakeEnds();
  if (!ends.empty() && meeting_folder_) (void)meeting_folder_->Exchange();
  ReadEvents();
  for (const LeaseJobEnd& each : ends) OnJobEnd(each);
  CheckSilence();
  CheckWaits();
  if (began_ == 0) Gather();
  if (gang_) gang_->Look();
  SeatNewcomers();
  CheckStop();
}

void GangLease::ShowLife() {
  const auto now = Clock::now();
  if (now < next_sign_) return;
  next_sign_ = now + kSignTime;
  (void)tail_.ShowLife();
}

LeaseJobEnd GangLease::RunJob(int32_t seat, const std::stop_token& stop) const {
  SparkCommand command = command_;
  command.lease->seat = seat;
  LeaseJobEnd end = spec_.run_job(command, stop);
  end.seat = seat;
  return end;
}

void GangLease::CheckStop() {
  if (!call_.stop.stop_requested() || asked_) return;
  asked_ = Clock::now();
  (void)tail_.AskToStop();
}

bool GangLease::AllDone() const {
  if (began_ == 0 || (gang_ && !gang_->closed())) return false;
  const std::vector<int32_t> in = gang_ ? gang_->Needed() : meeting_.members;
  return std::ranges::all_of(in, [&](int32_t each) { return IsDone(each); });
}

bool GangLease::AnyAlive() const {
  return std::ranges::any_of(tasks_.all(),
                             [](const auto& each) { return each->member >= 0 && each->alive(); });
}

bool GangLease::IsOver() const {
  const auto now = Clock::now();
  if (fatal_ || now >= call_.deadline) return true;
  if (asked_) return !AnyAlive() || now - *asked_ > kStopTime;
  return now >= settled_ || AllDone();
}

AttemptResult GangLease::Outcome() const {
  if (fatal_) return *fatal_;
  const bool stopped = call_.stop.stop_requested();
  if (!failures_.empty()) {
    const RankFailure& cause = FindCause(failures_);
    // Ranks that stopped on request have not failed.
    if (stopped && FaultOf(cause.status).exit == Exit::kStopped) return {cause.status, false};
    const bool kept = cause.kind == RankFailure::Kind::kSilent && !terms_.replaces_hung;
    return {ReportFailure(failures_), RestartMayHelp(cause) && !kept};
  }
  if (AllDone()) return {};
  const bool late = Clock::now() >= call_.deadline;
  return {protium::Fail({.exit = late ? Exit::kStalled : Exit::kStopped,
                         .what = fmt::format("task \"{}\" {}", command_.task,
                                             late ? "did not finish in time" : "was stopped")}),
          false};
}

GangOutcome GangLease::Finish() {
  FindHung();
  if (gang_ && !failures_.empty() && !call_.stop.stop_requested()) {
    AddLost(gang_->losses(), failures_);
  }
  GangOutcome outcome{.result = Outcome()};
  Say({{"type", "over"}});
  if (outcome.result.status.ok()) {
    auto rows = CollectRows();
    if (!rows.ok()) outcome.result = {rows.status(), false};
    if (rows.ok()) outcome.batches = *std::move(rows);
  }
  AwaitEnds();
  RemoveRows();
  return outcome;
}

Result<arrow::RecordBatchVector> GangLease::CollectRows() const {
  std::map<int32_t, int64_t> done;
  for (const auto& each : tasks_.all()) {
    if (each->member >= 0 && each->done && each->status.ok()) done[each->member] = each->id;
  }
  arrow::RecordBatchVector all;
  for (const auto& [member, id] : done) {
    PT_LET(const auto rows, ReadRows(std::filesystem::path(command_.events) / RowsFile(id)));
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

// Jobs whose tasks have no slot yet are interrupted with the lease; the others end by themselves.
void GangLease::AwaitEnds() {
  const auto latest = Clock::now() + kEndTime;
  const auto began = [&](int32_t seat) {
    return std::ranges::any_of(tasks_.all(), [&](const auto& each) { return each->seat == seat; });
  };
  while (Clock::now() < latest && std::ranges::any_of(jobs_.running(), began)) {
    jobs_.Wait(std::min(latest, Clock::now() + kLeaseTick));
    (void)jobs_.TakeEnds();
  }
}

// They are as large as the table, and the folder stays until the engine ends.
void GangLease::RemoveRows() const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(command_.events, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool rows = name.starts_with("shared-") || name.starts_with("rows-");
    if (rows) std::filesystem::remove(entry.path(), ignored);
  }
}

GangOutcome RunGangLease(const GangAttempt& attempt, const LeaseSpec& spec, const Call& call) {
  const auto fail = [](const Status& status) { return GangOutcome{{status, false}, {}}; };
  auto command = OpenAttempt(attempt);
  if (!command.ok()) return fail(command.status());
  auto lines = EventFile::Make(std::filesystem::path(command->events) / kLeaseFile);
  if (!lines.ok()) return fail(lines.status());
  // It must exist before the first task looks: some network file systems remember for a while that
  // a file did not exist.
  (*lines)->Write({{"type", "begin"}});
  return GangLease(spec, *std::move(command), *std::move(lines), attempt.meeting, call).Run();
}

}  // namespace protium
