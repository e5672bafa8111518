// SPDX-License-Identifier: Apache-2.0
#include "gang/failure.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"

namespace protium {

namespace {

// A process that ended comes before any error, whatever their times: the errors of others may
// follow from its end, but its end does not follow from them.
int Order(const RankFailure& failure) {
  using enum RankFailure::Kind;
  if (failure.kind == kEnded) return 0;
  if (failure.kind == kSilent) return 1;
  return IsAboutOthers(failure) ? 3 : 2;
}

std::string DescribeRank(const RankFailure& failure) {
  std::string text = fmt::format("{} {} of {}{} on {}", failure.role, failure.rank, failure.world,
                                 failure.server ? ", a server," : "", failure.host);
  for (const Device& device : failure.devices) text += " " + device.name + ":" + device.address;
  if (!failure.log.empty()) text += ", log " + failure.log.string();
  return text;
}

std::string Indented(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    text.append("\n  ").append(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

void AddLine(std::string& text, const std::string& more, const char* between) {
  if (!more.empty()) text += (text.empty() ? "" : between) + more;
}

}  // namespace

bool IsAboutPeers(const Status& status) {
  const Exit exit = FaultOf(status).exit;
  return exit == Exit::kStalled || exit == Exit::kRemote;
}

bool IsAboutOthers(const RankFailure& failure) {
  if (failure.kind != RankFailure::Kind::kAnswered) return false;
  return IsAboutPeers(failure.status) || FaultOf(failure.status).exit == Exit::kStopped;
}

const RankFailure& FindCause(std::span<const RankFailure> failures) {
  return *std::min_element(failures.begin(), failures.end(), [](const auto& a, const auto& b) {
    return std::pair(Order(a), a.at) < std::pair(Order(b), b.at);
  });
}

void AddLost(std::span<const RankFailure> lost, std::vector<RankFailure>& failures) {
  if (!std::ranges::all_of(failures, IsAboutOthers)) return;
  failures.insert(failures.end(), lost.begin(), lost.end());
}

bool IsDeath(const RankFailure& failure) {
  if (failure.kind != RankFailure::Kind::kAnswered) return true;
  return failure.is_program && FaultOf(failure.status).exit == Exit::kFailed;
}

bool RestartMayHelp(const RankFailure& cause) {
  if (IsDeath(cause)) return true;
  const Exit exit = FaultOf(cause.status).exit;
  return exit == Exit::kStalled || exit == Exit::kRemote;
}

Status ReportFailure(std::span<const RankFailure> failures) {
  const RankFailure& cause = FindCause(failures);
  Fault fault = FaultOf(cause.status);
  const bool answered = cause.kind == RankFailure::Kind::kAnswered;
  if (!answered) {
    fault.what = fmt::format("{} {}{} {}", cause.role, cause.rank,
                             cause.server ? ", a server," : "", fault.what);
  }
  AddLine(fault.where, DescribeRank(cause), "; ");
  if (failures.size() > 1) {
    const size_t others = failures.size() - 1;
    AddLine(fault.why,
            fmt::format("{} other {}{} failed after it", others, cause.role, others > 1 ? "s" : ""),
            "; ");
  }
  if (!answered && !cause.last_lines.empty()) {
    AddLine(fault.why, "the last lines of its log:" + Indented(cause.last_lines), "; ");
  }
  return Fail(std::move(fault));
}

}  // namespace protium
