// SPDX-License-Identifier: Apache-2.0
#include "stream/joined_source.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace protium {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr const char* kEvents = "events";
constexpr const char* kOther = "other";
// How long one source is waited for before the other is looked at.
constexpr milliseconds kTurn{20};

Json SideOf(const Json& stretch, const char* side) { return stretch.value(side, Json()); }

StreamPast PastOf(const StreamPast& past, const char* side) {
  StreamPast own;
  if (past.state.is_object()) own.state = SideOf(past.state, side);
  for (const Json& stretch : past.stretches) {
    if (Json each = SideOf(stretch, side); !each.is_null()) own.stretches.push_back(each);
  }
  return own;
}

Result<StreamRows> ReadFrom(StreamSource& source, const Json& stretch) {
  if (!stretch.is_null()) return source.Read(stretch);
  StreamRows none;
  PT_LET(none.rows, arrow::RecordBatch::MakeEmpty(source.schema()));
  return none;
}

// Adds the next stretch of one source, if it is to be read and has one.
Status NextOf(StreamSource& source, const char* side, const BatchLimits& limits,
              const std::stop_token& stop, Json& stretch) {
  if (limits.rows == 0) return Status::OK();
  PT_LET(Json next, source.Next(limits, kTurn, stop));
  if (!next.is_null()) stretch[side] = std::move(next);
  return Status::OK();
}

}  // namespace

Status JoinedSource::Start(const StreamPast& past) {
  PT_TRY(events_->Start(PastOf(past, kEvents)));
  return other_->Start(PastOf(past, kOther));
}

Result<Json> JoinedSource::Next(const BatchLimits& limits, milliseconds patience,
                                const std::stop_token& stop) {
  Json stretch = Json::object();
  const auto until = SteadyClock::now() + patience;
  do {
    PT_TRY(NextOf(*events_, kEvents, limits, stop, stretch));
    BatchLimits others = limits;
    others.rows = limits.other_rows;
    PT_TRY(NextOf(*other_, kOther, others, stop, stretch));
  } while (stretch.empty() && SteadyClock::now() < until && !stop.stop_requested());
  return stretch.empty() ? Json() : stretch;
}

Result<StreamRows> JoinedSource::Read(const Json& stretch) {
  PT_LET(StreamRows rows, ReadFrom(*events_, SideOf(stretch, kEvents)));
  PT_LET(StreamRows other, ReadFrom(*other_, SideOf(stretch, kOther)));
  rows.other = std::move(other.rows);
  std::ranges::move(other.dead, std::back_inserter(rows.dead));
  rows.newest_ms = std::max(rows.newest_ms, other.newest_ms);
  return rows;
}

Status JoinedSource::Done(const Json& stretch) {
  if (Json each = SideOf(stretch, kEvents); !each.is_null()) PT_TRY(events_->Done(each));
  if (Json each = SideOf(stretch, kOther); !each.is_null()) PT_TRY(other_->Done(each));
  return Status::OK();
}

Json JoinedSource::State() const {
  return {{kEvents, events_->State()}, {kOther, other_->State()}};
}

Result<StreamLag> JoinedSource::Lag() {
  PT_LET(StreamLag lag, events_->Lag());
  PT_LET(const StreamLag other, other_->Lag());
  lag.waiting += other.waiting;
  if (lag.unit != other.unit) lag.unit += " and " + other.unit;
  return lag;
}

}  // namespace protium
