// SPDX-License-Identifier: Apache-2.0
#include "export/mlflow_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/fault.h"
#include "base/utf8.h"

namespace protium {

namespace {

constexpr size_t kMetricsAtOnce = 1000, kParamsAtOnce = 100;  // The server accepts no more.
constexpr size_t kMostText = 500;  // Of a parameter: the limit that servers of all versions accept.

// Makes a name that the server accepts: letters, digits, "_", "-", ".", " ", ":" and "/".
std::string NameOf(const std::string& name) {
  std::string made;
  for (const char c : name) {
    const bool plain = std::isalnum(uint8_t(c)) != 0 ||
                       std::string_view("_-. :/").find(c) != std::string_view::npos;
    made += plain ? c : '_';
  }
  // The server accepts no longer ones.
  return made.substr(0, 250);
}

// Converts seconds since 1970 to milliseconds, which MLflow uses for all times.
int64_t Millis(double seconds) { return std::isfinite(seconds) ? int64_t(seconds * 1000) : 0; }

}  // namespace

Result<Json> AskMlflow(Service& service, const std::string& what, const Json& request) {
  PT_LET(const ServiceAnswer answer, service.Post(std::string(kMlflowApi) + what, Dump(request)));
  if (answer.status == 200) return answer.body;
  return service.Refused(what, answer);
}

Result<MlflowRun> MlflowRun::Create(Service& service, const MlflowStart& start) {
  Json tags = Json::array();
  for (const auto& [key, value] : start.tags) {
    if (!value.empty()) tags.push_back({{"key", key}, {"value", value.substr(0, 5000)}});
  }
  PT_LET(const Json made, AskMlflow(service, "runs/create",
                                    {{"experiment_id", start.experiment},
                                     {"run_name", start.name},
                                     {"start_time", Millis(start.started)},
                                     {"tags", tags}}));
  const Json info = made.value("run", Json::object()).value("info", Json());
  if (TextAt(info, "run_id").empty()) {
    return Fail({.exit = Exit::kRemote, .what = "the server made a run without a run_id"});
  }
  return MlflowRun(service, TextAt(info, "run_id"), TextAt(info, "artifact_uri"));
}

Status MlflowRun::LogParams(const Json& params) {
  Json list = Json::array();
  for (const auto& [key, value] : params.items()) {
    std::string text = value.is_string() ? value.get<std::string>() : Dump(value);
    if (text.size() > kMostText) {
      ++cut_;
      text = CutText(text, kMostText);
    }
    list.push_back({{"key", NameOf(key)}, {"value", std::move(text)}});
  }
  return Batches("params", list, kParamsAtOnce);
}

Status MlflowRun::LogPoints(const std::string& metric, const std::vector<SeriesPoint>& points) {
  for (const SeriesPoint& each : points) {
    if (!std::isfinite(each.value)) {
      ++odd_;
      continue;
    }
    metrics_.push_back({{"key", NameOf(metric)},
                        {"value", each.value},
                        {"timestamp", Millis(each.time)},
                        {"step", each.step}});
  }
  return metrics_.size() < kMetricsAtOnce ? Status::OK() : Flush();
}

Status MlflowRun::Flush() {
  PT_TRY(Batches("metrics", metrics_, kMetricsAtOnce));
  metrics_ = Json::array();
  return Status::OK();
}

Status MlflowRun::End(const char* status, double ended) {
  Json request = {{"run_id", id_}, {"status", status}};
  if (ended > 0) request["end_time"] = Millis(ended);
  return AskMlflow(*service_, "runs/update", request).status();
}

std::vector<std::string> MlflowRun::LeftOut() const {
  std::vector<std::string> left_out;
  if (cut_ > 0) {
    left_out.push_back(
        fmt::format("the ends of {} settings of more than {} bytes", cut_, kMostText));
  }
  if (odd_ > 0) left_out.push_back(fmt::format("{} points that are not finite", odd_));
  return left_out;
}

Status MlflowRun::Batches(const char* what, const Json& list, size_t at_once) {
  for (size_t begin = 0; begin < list.size(); begin += at_once) {
    const size_t end = std::min(list.size(), begin + at_once);
    const Json some(list.begin() + std::ptrdiff_t(begin), list.begin() + std::ptrdiff_t(end));
    PT_TRY(AskMlflow(*service_, "runs/log-batch", {{"run_id", id_}, {what, some}}).status());
  }
  return Status::OK();
}

}  // namespace protium
