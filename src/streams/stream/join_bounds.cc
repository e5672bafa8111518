// SPDX-License-Identifier: Apache-2.0
#include "stream/join_bounds.h"

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "run/printable.h"
#include "run/terminal.h"

namespace protium {

Status JoinBounds::Limit(const EventJoin& join, BatchLimits& limits) const {
  const int64_t events = std::max<int64_t>(options_.most - join.waiting(), 0);
  const int64_t other = std::max<int64_t>(options_.most - join.kept(), 0);
  limits.other_rows = std::min(limits.rows, other);
  limits.rows = std::min(limits.rows, events);
  if (events > 0 || other > 0) return Status::OK();
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("{} rows of {} wait for {}, and {} rows of that for them: more "
                           "must wait than may",
                           Grouped(join.waiting()), options_.events, options_.other,
                           Grouped(join.kept())),
       .where = "stream.join.waiting",
       .fix = fmt::format("waiting = {}; or a shorter before, after or late", 2 * options_.most)});
}

void JoinBounds::Came(const StreamRows& rows, Time now) {
  if (rows.rows->num_rows() > 0) events_came_ = now;
  if (rows.other != nullptr && rows.other->num_rows() > 0) other_came_ = now;
  noted_ = false;
}

JoinBounds::Held JoinBounds::HeldOf(const EventJoin& join, Time now) const {
  const auto since = [&](Time came) { return std::chrono::duration<double>(now - came).count(); };
  if (join.waiting() >= options_.most) {
    return {options_.events, options_.other, since(other_came_)};
  }
  if (join.kept() >= options_.most) return {options_.other, options_.events, since(events_came_)};
  return {};
}

void JoinBounds::NothingCame(const EventJoin& join, Time now) {
  const Held held = HeldOf(join, now);
  const double patience = std::chrono::duration<double>(options_.patience).count();
  if (noted_ || held.stream.empty() || held.silent_seconds < patience) return;
  noted_ = true;
  options_.note(fmt::format(
      "nothing comes of {}, so {} is not read further: {} rows of it wait, as many as may",
      held.silent, held.stream, Grouped(options_.most)));
}

Json JoinBounds::Facts(const EventJoin& join, Time now) const {
  Json facts = {{"events", options_.events},
                {"other", options_.other},
                {"waiting", join.waiting()},
                {"kept", join.kept()}};
  const Held held = HeldOf(join, now);
  if (held.stream.empty()) return facts;
  facts["held"] = held.stream;
  facts["silent"] = held.silent;
  facts["silent_seconds"] = held.silent_seconds;
  return facts;
}

std::string JoinText(const Json& facts) {
  const std::string other = Printable(TextAt(facts, "other"));
  std::string text = fmt::format(
      "join      {} of {} wait for {}, {} of that are kept\n", Grouped(WholeAt(facts, "waiting")),
      Printable(TextAt(facts, "events")), other, Grouped(WholeAt(facts, "kept")));
  if (!facts.contains("held")) return text;
  return text + fmt::format("          {} is not read further: nothing came of {} for {}\n",
                            Printable(TextAt(facts, "held")), Printable(TextAt(facts, "silent")),
                            Seconds(NumberAt(facts, "silent_seconds")));
}

}  // namespace protium
