// SPDX-License-Identifier: Apache-2.0
// The server's counters, in Prometheus' text format.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>

namespace protium {

// What others count: now, or since the start.
struct ServeGauges {
  int64_t waiting_rows = 0;
  int64_t generation = 0;                   // How many models have been served.
  int64_t kept_rows = 0, dropped_rows = 0;  // Of RequestLog.
  std::map<std::string, double> drifts;     // DriftWatch::Drifts().
};

struct ServeCounts {
  std::atomic<int64_t> rows = 0, batches = 0, reloads = 0, failed_reloads = 0;
};

class ServeFigures;

// The counters of one version of a model. `labels`: of its samples, such as model="late"; empty:
// none.
struct VersionFigures {
  std::string labels;
  const ServeFigures* figures = nullptr;
  ServeGauges now;
};
// Each metric once, with the samples of all versions.
std::string MetricsText(std::span<const VersionFigures> versions);

// Any thread.
class ServeFigures {
 public:
  // A response to a request for predictions.
  void Responded(int status, std::chrono::nanoseconds took);
  void Scored(int64_t rows) {
    counts_.batches += 1;
    counts_.rows += rows;
  }
  void Reloaded(bool ok) { (ok ? counts_.reloads : counts_.failed_reloads) += 1; }
  std::string Text(const ServeGauges& now) const {
    const VersionFigures own{"", this, now};
    return MetricsText({&own, 1});
  }

 private:
  friend std::string MetricsText(std::span<const VersionFigures> versions);
  void AddResponses(const std::string& labels, std::string& text) const;
  void AddTimes(const std::string& labels, std::string& text) const;
  // Upper bounds in seconds for response times; the last bucket has none.
  static constexpr std::array kBounds = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.025,
                                         0.05,   0.1,   0.25,  0.5,   1.0};
  mutable std::mutex mutex_;
  std::map<int, int64_t> responses_;  // By status.
  std::array<int64_t, kBounds.size() + 1> times_{};
  double seconds_ = 0;
  ServeCounts counts_;
};

}  // namespace protium
