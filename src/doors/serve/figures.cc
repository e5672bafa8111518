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

// {model="late",status="200"}, or nothing without labels.
std::string Labels(const std::string& labels, const std::string& more = "") {
  if (labels.empty() && more.empty()) return "";
  const char* const between = labels.empty() || more.empty() ? "" : ",";
  return fmt::format("{{{}{}{}}}", labels, between, more);
}

// A metric with one sample for each version.
struct ServeMetric {
  const char* name;
  const char* type;
  const char* help;
  int64_t (*value)(const ServeCounts& counts, const ServeGauges& now);
};

constexpr ServeMetric kServeMetrics[] = {
    {"protium_serve_rows_total", "counter", "rows that were scored",
     [](const ServeCounts& counts, const ServeGauges&) { return counts.rows.load(); }},
    {"protium_serve_batches_total", "counter", "batches that they were scored in",
     [](const ServeCounts& counts, const ServeGauges&) { return counts.batches.load(); }},
    {"protium_serve_waiting_rows", "gauge", "rows that wait",
     [](const ServeCounts&, const ServeGauges& now) { return now.waiting_rows; }},
    {"protium_serve_reloads_total", "counter", "models that were loaded anew",
     [](const ServeCounts& counts, const ServeGauges&) { return counts.reloads.load(); }},
    {"protium_serve_failed_reloads_total", "counter",
     "models that could not be loaded and left the former one",
     [](const ServeCounts& counts, const ServeGauges&) { return counts.failed_reloads.load(); }},
    {"protium_serve_generation", "gauge", "how many models have been served",
     [](const ServeCounts&, const ServeGauges& now) { return now.generation; }},
    {"protium_serve_kept_rows_total", "counter", "rows of requests kept by --log",
     [](const ServeCounts&, const ServeGauges& now) { return now.kept_rows; }},
    {"protium_serve_dropped_rows_total", "counter", "rows that --log could not keep",
     [](const ServeCounts&, const ServeGauges& now) { return now.dropped_rows; }}};

void AddDrifts(std::span<const VersionFigures> versions, std::string& text) {
  std::string samples;
  for (const VersionFigures& each : versions) {
    for (const auto& [column, psi] : each.now.drifts) {
      const std::string of = fmt::format("column=\"{}\"", LabelText(column));
      samples += fmt::format("protium_serve_drift{} {:.4f}\n", Labels(each.labels, of), psi);
    }
  }
  if (samples.empty()) return;
  text += Heading("protium_serve_drift", "gauge",
                  "population stability index of a column against the training rows") +
          samples;
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

void ServeFigures::AddResponses(const std::string& labels, std::string& text) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [status, count] : responses_) {
    const std::string of = fmt::format("status=\"{}\"", status);
    text += fmt::format("protium_serve_requests_total{} {}\n", Labels(labels, of), count);
  }
}

void ServeFigures::AddTimes(const std::string& labels, std::string& text) const {
  const std::lock_guard lock(mutex_);
  int64_t all = 0;
  for (size_t i = 0; i < times_.size(); ++i) {
    all += times_[i];
    const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
    text += fmt::format("protium_serve_seconds_bucket{} {}\n",
                        Labels(labels, fmt::format("le=\"{}\"", bound)), all);
  }
  text += fmt::format("protium_serve_seconds_sum{0} {1}\nprotium_serve_seconds_count{0} {2}\n",
                      Labels(labels), seconds_, all);
}

std::string MetricsText(std::span<const VersionFigures> versions) {
  std::string text = Heading("protium_serve_requests_total", "counter",
                             "requests for predictions, by the status of their answer");
  for (const VersionFigures& each : versions) each.figures->AddResponses(each.labels, text);
  text += Heading("protium_serve_seconds", "histogram", "from a request to its answer");
  for (const VersionFigures& each : versions) each.figures->AddTimes(each.labels, text);
  for (const ServeMetric& metric : kServeMetrics) {
    text += Heading(metric.name, metric.type, metric.help);
    for (const VersionFigures& each : versions) {
      text += fmt::format("{}{} {}\n", metric.name, Labels(each.labels),
                          metric.value(each.figures->counts_, each.now));
    }
  }
  AddDrifts(versions, text);
  return text;
}

}  // namespace protium
