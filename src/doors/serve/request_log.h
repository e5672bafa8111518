// SPDX-License-Identifier: Apache-2.0
// Rows of requests and their predictions, kept as Parquet files: to measure a model once its labels
// are known, or to learn from them.
#pragma once

#include <arrow/record_batch.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "serve/served_model.h"

namespace protium {

struct RequestLogOptions {
  std::filesystem::path folder;  // Empty: nothing is kept.
  double share = 1;              // Of requests, chosen at random.
  // A file is written once it has so many rows, or after this time if it has any.
  int64_t rows = 50'000;
  std::chrono::milliseconds every{10'000};
};

// Any thread. Requests never wait for the disk: what is not written yet is held in memory, up to
// kMostBytes, beyond which rows are dropped and counted.
class RequestLog {
 public:
  static constexpr int64_t kMostBytes = int64_t{64} << 20;
  using Note = std::function<void(const std::string&)>;

  // Creates the folder. `note` receives lines for people: that files cannot be written, and that
  // they can be again.
  static Result<std::unique_ptr<RequestLog>> Make(RequestLogOptions options, Note note);
  // Writes what is left.
  ~RequestLog();

  // Keeps the rows of a request, if its turn has come: "requested_at", "generation", "version" of a
  // model with a canary, the columns of the model's input with its types, and those of
  // `predictions`.
  void Add(const Served& model, const arrow::RecordBatch& rows,
           const arrow::RecordBatch& predictions);
  int64_t kept() const { return kept_; }
  int64_t dropped() const { return dropped_; }

 private:
  RequestLog(RequestLogOptions options, Note note);
  bool IsChosen();
  void Run(std::stop_token stop);
  void Write(const arrow::RecordBatchVector& batches);
  Status WriteFile(const arrow::RecordBatchVector& batches);
  std::filesystem::path NextFile();

  RequestLogOptions options_;
  Note note_;
  std::atomic<uint64_t> requests_ = 0;
  std::atomic<int64_t> kept_ = 0, dropped_ = 0;
  std::mutex mutex_;
  std::condition_variable_any came_;
  std::map<std::string, arrow::RecordBatchVector> waiting_;  // By their schema.
  int64_t waiting_rows_ = 0, waiting_bytes_ = 0;
  int64_t files_ = 0;     // Of the writing thread alone.
  bool failing_ = false;  // Likewise.
  std::jthread thread_;
};

}  // namespace protium
