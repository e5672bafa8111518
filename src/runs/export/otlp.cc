// SPDX-License-Identifier: Apache-2.0
// A run as a trace of OpenTelemetry, in the JSON of OTLP/HTTP (opentelemetry-proto 1.x,
// ExportTraceServiceRequest): a span for the run, one for each of its parts, and one for each rank
// from its start to the end of its gang; one-time happenings are events of the run's span. Ids are
// hashes of the run's name, so that a trace that is sent twice is one.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/fnv.h"
#include "events/events.h"
#include "export/formats.h"
#include "run/phases.h"

namespace protium {

namespace {

// Ids only need to differ.
uint64_t IdOf(const std::string& text, uint64_t seed) {
  uint64_t hash = Fnv1a(text, seed);
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 33);
}

std::string TraceId(const std::string& run) {
  return fmt::format("{:016x}{:016x}", IdOf(run, 1) | 1, IdOf(run, 2));
}

std::string SpanId(const std::string& run, const std::string& span) {
  return fmt::format("{:016x}", IdOf(run + "\n" + span, 3) | 1);
}

// 64-bit numbers are text in this JSON, as always in protobuf's.
std::string Nanos(double seconds) {
  const bool sane = std::isfinite(seconds) && seconds > 0 && seconds < 9e9;
  return std::to_string(sane ? int64_t(std::llround(seconds * 1e6)) * 1000 : 0);
}

Json Attribute(const std::string& key, const Json& value) {
  Json typed = Json::object();
  if (value.is_boolean()) {
    typed["boolValue"] = value;
  } else if (value.is_number_integer()) {
    typed["intValue"] = value.dump();
  } else if (value.is_number()) {
    typed["doubleValue"] = value;
  } else {
    typed["stringValue"] = value.is_string() ? value : Json(Dump(value));
  }
  return {{"key", key}, {"value", std::move(typed)}};
}

Json Attributes(const Json& members) {
  Json list = Json::array();
  for (const auto& [key, value] : members.items()) {
    if (!value.is_null()) list.push_back(Attribute("protium." + key, value));
  }
  return list;
}

class OtlpMaker {
 public:
  explicit OtlpMaker(const RunFacts& facts) : facts_(facts) {
    for (const Json& event : facts.events) {
      const double time = SecondsOf(TextAt(event, "time"));
      if (time > 0 && (began_ == 0 || time < began_)) began_ = time;
      ended_ = std::max(ended_, time);
    }
  }

  Json Make() {
    AddRun();
    AddParts();
    for (const Json& event : facts_.events) Take(event);
    CloseRanks(ended_);
    const Json resource = {
        {"attributes",
         {Attribute("service.name", "protium"), Attribute("service.instance.id", facts_.id)}}};
    const Json scope = {{"scope", {{"name", "protium"}}}, {"spans", std::move(spans_)}};
    return {{"resourceSpans",
             Json::array({{{"resource", resource}, {"scopeSpans", Json::array({scope})}}})}};
  }

 private:
  Json Span(const std::string& key, const std::string& name, double from, double to,
            const Json& more) const {
    Json span = {{"traceId", TraceId(facts_.id)},
                 {"spanId", SpanId(facts_.id, key)},
                 {"name", name},
                 {"kind", 1},  // Internal.
                 {"startTimeUnixNano", Nanos(from)},
                 {"endTimeUnixNano", Nanos(std::max(from, to))},
                 {"attributes", Attributes(more)}};
    if (!key.empty()) span["parentSpanId"] = SpanId(facts_.id, "");
    return span;
  }

  void AddRun() {
    const std::string& state = TextAt(facts_.run, "state");
    Json more = {{"run", facts_.id}, {"state", state}};
    const Json metrics = facts_.result.value("metrics", Json());
    const Json test = metrics.is_object() ? metrics.value("test", Json()) : Json();
    if (test.is_object()) {
      for (const auto& [name, value] : test.items()) {
        if (value.is_number()) more["test." + name] = value;
      }
    }
    Json span = Span("", TextAt(facts_.run, "name"), began_, ended_, more);
    const Json error = facts_.result.value("error", Json());
    if (state == "failed") {
      span["status"] = {{"code", 2}, {"message", TextAt(error, "what")}};  // Error.
    } else if (state == "done") {
      span["status"] = {{"code", 1}};
    }
    span["events"] = OnceEvents();
    spans_.push_back(std::move(span));
  }

  Json OnceEvents() const {
    static const std::set<std::string> kOnce = {"checkpoint",  "restart",   "note",
                                                "warning",     "failed",    "output",
                                                "gang_change", "rank_lost", "rank_taken_over"};
    Json events = Json::array();
    for (const Json& event : facts_.events) {
      const std::string& name = TextAt(event, "event");
      if (!kOnce.contains(name)) continue;
      Json more = event;
      more.erase("event");
      more.erase("time");
      events.push_back({{"timeUnixNano", Nanos(SecondsOf(TextAt(event, "time")))},
                        {"name", name},
                        {"attributes", Attributes(more)}});
    }
    return events;
  }

  void AddParts() {
    RunPhases parts;
    for (const Json& event : facts_.events) parts.On(event);
    int number = 0;
    for (const RunPart& part : parts.parts()) {
      const Json more = {{"rows", part.rows > 0 ? Json(part.rows) : Json()}};
      spans_.push_back(Span(fmt::format("part {}", ++number), std::string(part.name()),
                            part.began / 1000, part.ended / 1000, more));
    }
  }

  void Take(const Json& event) {
    const std::string& name = TextAt(event, "event");
    const double time = SecondsOf(TextAt(event, "time"));
    if (name == GangPlaced::kName || name == RunEnded::kName || name == AttemptStarted::kName)
      CloseRanks(time);
    if (name != GangPlaced::kName) return;
    const Json ranks = event.value("ranks", Json());
    if (ranks.is_array()) ranks_ = ranks;
    task_ = TextAt(event, "task");
    placed_ = time;
    ++gangs_;
  }

  void CloseRanks(double time) {
    for (const Json& rank : ranks_) {
      const Json number = rank.is_object() ? rank.value("rank", Json()) : Json();
      const std::string text = number.is_number() ? number.dump() : "?";
      spans_.push_back(Span(fmt::format("gang {} rank {}", gangs_, text),
                            fmt::format("{} on rank {}", task_, text), placed_, time,
                            {{"rank", number},
                             {"host", TextAt(rank, "host")},
                             {"pid", rank.is_object() ? rank.value("pid", Json()) : Json()}}));
    }
    ranks_ = Json::array();
  }

  const RunFacts& facts_;
  Json spans_ = Json::array();
  Json ranks_ = Json::array();  // Of the gang that is placed.
  std::string task_;
  double placed_ = 0;
  int gangs_ = 0;
  double began_ = 0, ended_ = 0;
};

}  // namespace

Exported WriteOtlp(const RunFacts& facts) {
  return {.bytes = Dump(OtlpMaker(facts).Make()) + "\n",
          .left_out = {"curves: a trace has none; --to prometheus or --to csv has them",
                       "parts of single steps: --to trace has their sums by rank"}};
}

}  // namespace protium
