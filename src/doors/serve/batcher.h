// SPDX-License-Identifier: Apache-2.0
// Scores rows of concurrent requests together: a batch costs little more than a row.
//
// 1. A request waits for others for at most `gather`, and not at all if every request that has
//    begun (Begun) is waiting here.
// 2. Rows are scored by the model that their request began with; rows of two models, or with
//    different columns, make two batches, and so do requests to a model that reads earlier rows.
// 3. A batch that fails is scored again request by request, so that each gets its own fault.
#pragma once

#include <arrow/record_batch.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "serve/figures.h"
#include "serve/request_log.h"
#include "serve/served_model.h"

namespace protium {

using Rows = std::shared_ptr<arrow::RecordBatch>;

class Batcher {
 public:
  struct Limits {
    std::chrono::milliseconds gather{2};
    int64_t most_waiting_rows = 65536;
  };
  using Note = std::function<void(const std::string&)>;
  // `log`, if given, receives all rows that were scored, and `note` lines for people.
  Batcher(Limits limits, ServeFigures& figures, RequestLog* log = nullptr, Note note = nullptr);
  ~Batcher();

  // A request from its beginning to its end.
  class Begun {
   public:
    explicit Begun(Batcher& batcher) : batcher_(batcher) { batcher_.begun_ += 1; }
    ~Begun();
    Begun(const Begun&) = delete;
    Begun& operator=(const Begun&) = delete;

   private:
    Batcher& batcher_;
  };

  // Returns the predictions for `rows`, and logs both; blocks. Fails with kNoRoom if too many rows
  // wait. Any thread, each within its own Begun.
  Result<Rows> Score(const std::shared_ptr<const Served>& model, const Rows& rows);
  int64_t waiting_rows() const;

 private:
  Result<Rows> ScoreUnlogged(const std::shared_ptr<const Served>& model, const Rows& rows);

  struct Waiting {
    std::shared_ptr<const Served> model;
    Rows rows;
    std::chrono::steady_clock::time_point since;
    Result<Rows> response = Status::UnknownError("not scored");
    bool done = false;
  };
  using Batch = std::vector<Waiting*>;

  void Count(const Served& model, const arrow::RecordBatch& rows);
  void Run(std::stop_token stop);
  Batch Take(std::stop_token stop);
  bool Ready() const;
  static bool Together(const Waiting& a, const Waiting& b);
  void ScoreBatch(const Batch& batch);
  Status ScoreTogether(const Batch& batch);

  Limits limits_;
  ServeFigures& figures_;
  RequestLog* log_;
  Note note_;
  std::atomic<int64_t> begun_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable_any came_;
  std::condition_variable done_;
  std::deque<Waiting*> waiting_;
  int64_t waiting_rows_ = 0;
  std::jthread thread_;
};

}  // namespace protium
