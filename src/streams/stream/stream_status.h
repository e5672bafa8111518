// SPDX-License-Identifier: Apache-2.0
// How a stream is doing: status.json in its folder for people and programs, and metrics.prom beside
// it in Prometheus's text format, both written anew twice a second while it runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "flow/flow.h"
#include "stream/stream_log.h"
#include "stream/stream_model.h"
#include "stream/stream_steps.h"

namespace protium {

// One thread.
class StreamStatus {
 public:
  // `label` is what metrics call the stream.
  StreamStatus(std::filesystem::path folder, std::string label);

  // A batch has been written.
  void Wrote(int64_t rows, const StreamRows& read, std::chrono::steady_clock::time_point began);
  void Compared(const ShadowFacts& facts);
  void Model(const NamedModel* model, const NamedModel* shadow);
  // So many events wait until their window is closed.
  void Waits(int64_t events) { in_windows_ = events; }
  // JoinBounds::Facts().
  void Join(Json facts) { join_ = std::move(facts); }
  // Of a stream that its engine runs: {"address", "doing": in the engine's words, "counted": how
  // many batches are in the rows}.
  void Engine(Json facts) { engine_ = std::move(facts); }
  // StreamTraining::facts().
  void Training(Json facts) { training_ = std::move(facts); }
  // Whether half a second has passed since the last Show().
  bool due() const;
  // Writes the file. `state` is "running", "paused", "ended" or "failed". What goes wrong with the
  // file is not the stream's trouble.
  void Show(const std::string& state, const StreamTotals& totals, const StreamLag& lag,
            const std::string& error = {});

 private:
  double RowsPerSecond() const;

  std::filesystem::path folder_;
  std::string label_;
  std::chrono::steady_clock::time_point shown_;
  int64_t since_ms_ = 0;
  Json model_;
  Json shadow_;
  Json training_;
  Json join_;
  Json engine_;
  ShadowFacts compared_;
  int64_t in_windows_ = -1;  // -1: there are no windows.
  // Of the last batches: milliseconds from when their newest event came until their rows were
  // there, and when how many rows were written.
  std::deque<double> latencies_;
  std::deque<std::pair<std::chrono::steady_clock::time_point, int64_t>> written_;
};

// The status as metrics, named protium_stream_... and labelled with the stream's name.
std::string StreamMetrics(const std::string& stream, const Json& status);

// The status as people read it; with whether a process holds the stream. Of a stream that is
// divided by partitions: sums over them, the longest latencies, and "partitions", each with its
// own.
Result<Json> ReadStreamStatus(const std::filesystem::path& folder);
std::string StreamStatusText(const Json& status);

}  // namespace protium
