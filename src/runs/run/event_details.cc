// SPDX-License-Identifier: Apache-2.0
#include "run/event_details.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <variant>

#include "base/text.h"
#include "run/terminal.h"

namespace protium {
namespace {

std::string Line(const EtlProgress&) { return {}; }

std::string Line(const EtlDone& event) {
  return fmt::format("rows     {} rows to learn from are kept", Grouped(event.rows));
}

std::string Line(const StageFitted& event) { return "stage    " + event.stage + " learns"; }

std::string Line(const GangPlaced& event) {
  std::set<std::string> hosts;
  std::string names;
  for (const RankPlaced& rank : event.ranks) {
    if (hosts.insert(rank.host).second) names += (names.empty() ? "" : ", ") + rank.host;
  }
  const auto servers = size_t(event.servers), workers = event.ranks.size() - servers;
  return fmt::format("gang     {}: {} worker{}{} on {}{}", event.task, workers, PluralOf(workers),
                     servers > 0 ? fmt::format(", {} server{}", servers, PluralOf(servers)) : "",
                     names,
                     event.attempt > 0 ? fmt::format(", attempt {}", event.attempt + 1) : "");
}

std::string Line(const TrainStarted& event) {
  return fmt::format("learns   from {} rows", Grouped(event.rows));
}

// `trees`: steps and epochs are rounds of trees.
std::string Line(const EpochDone& event, bool trees) {
  return fmt::format("{}    {}  loss {}", trees ? "round" : "epoch", event.epoch,
                     Figure(event.loss, 4));
}

std::string Line(const Validated& event, bool trees) {
  std::string line = fmt::format("checked  after {} {}: ", trees ? "round" : "epoch", event.epoch);
  for (const auto& [name, value] : event.metrics) line += " " + name + " " + Figure(value, 4);
  return line;
}

std::string Line(const Checkpointed& event, bool trees) {
  const char* const step = trees ? "round" : "step";
  return fmt::format("saved    a checkpoint at {} {}", step, Grouped(event.step));
}

std::string Line(const AttemptStarted& event) {
  return fmt::format("attempt  {}, {} more to come; it was {}", event.attempt + 1,
                     event.restarts_left, event.where);
}

std::string Line(const Scored& event) {
  return event.rows < 0 ? std::string() : fmt::format("scored   {} rows", Grouped(event.rows));
}

std::string Line(const OutputWritten& event) {
  return fmt::format("wrote    {}  {} rows", event.path, Grouped(event.rows));
}

template <class E>
std::string Line(const E&) {
  return {};
}

template <class E>
std::string LineOf(const E& event, bool trees) {
  if constexpr (requires { Line(event, trees); }) {
    return Line(event, trees);
  } else {
    return Line(event);
  }
}

}  // namespace

double EventDetails::Lap(Deadline now) {
  const double seconds =
      before_ == Deadline{} ? 0.0 : std::chrono::duration<double>(now - before_).count();
  before_ = now;
  return seconds;
}

std::string EventDetails::On(const Event& event, Deadline now) {
  if (before_ == Deadline{}) before_ = now;
  if (const auto* started = std::get_if<TrainStarted>(&event)) trees_ = started->trees;
  const std::string line =
      std::visit([&](const auto& each) { return LineOf(each, trees_); }, event);
  return line.empty() ? line : fmt::format("{}  +{}", line, Seconds(Lap(now)));
}

bool WantsDetails() {
  const char* const asked = std::getenv("PROTIUM_VERBOSE");
  return asked != nullptr && *asked != 0;
}

}  // namespace protium
