// SPDX-License-Identifier: Apache-2.0
#include "serve/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/prometheus.h"

namespace protium {
namespace {

std::string Heading(const char* name, const char* type, const char* help) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

std::string Sample(const char* name, const char* type, const char* help, int64_t value) {
  return Heading(name, type, help) + fmt::format("{} {}\n", name, value);
}

}  // namespace

void ServeFigures::Responded(int status, std::chrono::nanoseconds took) {
  const double seconds = std::chrono::duration<double>(took).count();
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  const std::lock_guard lock(mutex_);
  ++responses_[status];
  ++times_[size_t(bucket)];
  seconds_ += seconds;
}

std::string ServeFigures::Text(const ServeGauges& now) const {
  const std::lock_guard lock(mutex_);
  std::string text = Heading("protium_serve_requests_total", "counter",
                             "requests for predictions, by the status of their answer");
  int64_t all = 0;
  for (const auto& [status, count] : responses_) {
    text += fmt::format("protium_serve_requests_total{{status=\"{}\"}} {}\n", status, count);
  }
  text += Heading("protium_serve_seconds", "histogram", "from a request to its answer");
  for (size_t i = 0; i < times_.size(); ++i) {
    all += times_[i];
    const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
    text += fmt::format("protium_serve_seconds_bucket{{le=\"{}\"}} {}\n", bound, all);
  }
  text +=
      fmt::format("protium_serve_seconds_sum {}\nprotium_serve_seconds_count {}\n", seconds_, all);
  text += Sample("protium_serve_rows_total", "counter", "rows that were scored", rows_);
  text += Sample("protium_serve_batches_total", "counter", "batches that they were scored in",
                 batches_);
  text += Sample("protium_serve_waiting_rows", "gauge", "rows that wait", now.waiting_rows);
  text +=
      Sample("protium_serve_reloads_total", "counter", "models that were loaded anew", reloads_);
  text += Sample("protium_serve_failed_reloads_total", "counter",
                 "models that could not be loaded and left the former one", failed_reloads_);
  text += Sample("protium_serve_generation", "gauge", "how many models have been served",
                 now.generation);
  text += Sample("protium_serve_kept_rows_total", "counter", "rows of requests kept by --log",
                 now.kept_rows);
  text += Sample("protium_serve_dropped_rows_total", "counter", "rows that --log could not keep",
                 now.dropped_rows);
  if (now.drifts.empty()) return text;
  text += Heading("protium_serve_drift", "gauge",
                  "population stability index of a column against the training rows");
  for (const auto& [column, psi] : now.drifts) {
    text += fmt::format("protium_serve_drift{{column=\"{}\"}} {:.4f}\n", LabelText(column), psi);
  }
  return text;
}

}  // namespace protium
