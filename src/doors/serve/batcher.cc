// SPDX-License-Identifier: Apache-2.0
#include "serve/batcher.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

// A batch has at most this many rows, and a request with more is scored on its own thread: it would
// keep the others waiting.
constexpr int64_t kMostRows = 512;

}  // namespace

Batcher::Batcher(Limits limits, ServeFigures& figures, RequestLog* log, Note note)
    : limits_(limits),
      figures_(figures),
      log_(log),
      note_(std::move(note)),
      thread_([this](std::stop_token stop) { Run(stop); }) {}

Batcher::~Batcher() = default;

// Others may have been waiting for this request.
Batcher::Begun::~Begun() {
  batcher_.begun_ -= 1;
  batcher_.came_.notify_one();
}

int64_t Batcher::waiting_rows() const {
  const std::lock_guard lock(mutex_);
  return waiting_rows_;
}

Result<Rows> Batcher::Score(const std::shared_ptr<const Served>& model, const Rows& rows) {
  Result<Rows> scored = ScoreUnlogged(model, rows);
  if (scored.ok() && log_ != nullptr) log_->Add(*model, *rows, **scored);
  return scored;
}

Result<Rows> Batcher::ScoreUnlogged(const std::shared_ptr<const Served>& model, const Rows& rows) {
  if (rows->num_rows() > kMostRows) {
    Count(*model, *rows);
    return model->scorer.Score(*rows);
  }
  Waiting own{.model = model, .rows = rows, .since = std::chrono::steady_clock::now()};
  std::unique_lock lock(mutex_);
  if (waiting_rows_ + rows->num_rows() > limits_.most_waiting_rows) {
    return Fail({.exit = Exit::kNoRoom,
                 .what = fmt::format("{} rows wait already, no more than {} may", waiting_rows_,
                                     limits_.most_waiting_rows),
                 .fix = "ask again later"});
  }
  waiting_.push_back(&own);
  waiting_rows_ += rows->num_rows();
  came_.notify_one();
  done_.wait(lock, [&] { return own.done; });
  return std::move(own.response);
}

void Batcher::Count(const Served& model, const arrow::RecordBatch& rows) {
  figures_.Scored(rows.num_rows());
  model.drift->Add(rows);
  if (!note_) return;
  // Once, so that a log stays short.
  const auto gap = model.scorer.gap();
  if (gap && !model.gap_said->exchange(true)) note_(*gap + ". This is said once\n");
}

void Batcher::Run(std::stop_token stop) {
  while (true) {
    const Batch batch = Take(stop);
    if (batch.empty()) return;
    ScoreBatch(batch);
    const std::lock_guard lock(mutex_);
    for (Waiting* each : batch) each->done = true;
    done_.notify_all();
  }
}

bool Batcher::Ready() const {
  return int64_t(waiting_.size()) >= begun_ || waiting_rows_ >= kMostRows;
}

// Whoever waits gets a response, even after a request to stop. Returns an empty batch if nobody
// waits and a stop was requested.
Batcher::Batch Batcher::Take(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  came_.wait(lock, stop, [&] { return !waiting_.empty(); });
  if (waiting_.empty()) return {};
  came_.wait_until(lock, stop, waiting_.front()->since + limits_.gather, [&] { return Ready(); });
  Batch batch;
  int64_t rows = 0;
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    const bool fits = batch.empty() || (Together(*batch.front(), **each) &&
                                        rows + (*each)->rows->num_rows() <= kMostRows);
    if (!fits) {
      ++each;
      continue;
    }
    rows += (*each)->rows->num_rows();
    batch.push_back(*each);
    each = waiting_.erase(each);
  }
  waiting_rows_ -= rows;
  return batch;
}

bool Batcher::Together(const Waiting& a, const Waiting& b) {
  if (a.model != b.model || a.model->scorer.ReadsHistory()) return false;
  return (a.rows->schema() == b.rows->schema() ||
          a.rows->schema()->Equals(*b.rows->schema(), false));
}

void Batcher::ScoreBatch(const Batch& batch) {
  if (batch.size() > 1 && ScoreTogether(batch).ok()) return;
  for (Waiting* each : batch) {
    Count(*each->model, *each->rows);
    each->response = each->model->scorer.Score(*each->rows);
  }
}

Status Batcher::ScoreTogether(const Batch& batch) {
  arrow::RecordBatchVector parts;
  for (const Waiting* each : batch) parts.push_back(each->rows);
  PT_LET(const auto all, arrow::ConcatenateRecordBatches(parts));
  PT_LET(const Rows scored, batch.front()->model->scorer.Score(*all));
  Count(*batch.front()->model, *all);
  int64_t at = 0;
  for (Waiting* each : batch) {
    each->response = scored->Slice(at, each->rows->num_rows());
    at += each->rows->num_rows();
  }
  return Status::OK();
}

}  // namespace protium
