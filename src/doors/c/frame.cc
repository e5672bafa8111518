// SPDX-License-Identifier: Apache-2.0
// The functions of tables: pt_frame_*. A frame is a plan with the session (Room) that it belongs
// to.
#include <arrow/c/bridge.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "c/handles.h"
#include "c/options.h"
#include "c/stream.h"
#include "frame/session_state.h"
#include "inspect/first_columns.h"
#include "inspect/sql_names.h"
#include "inspect/text_dates.h"
#include "job/job.h"
#include "protium/fields.h"
#include "protium/kept.h"

namespace protium {
namespace {

// The name in messages and plans of a table that was kept from C.
constexpr char kKept[] = "kept";

struct WriteKeys {
  Columns partitions;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("partitions", partitions);
  }
};

Result<SplitOptions> ReadSplit(const char* options) {
  PT_LET(const Json json, ReadOptions(TextOf(options)));
  JobSplit split;
  PT_TRY(FieldsFromJson(json, "", split));
  return split.Options();
}

// Calls `act` with the frame as a DataFrame, under its session's lock and behind the wall
// (handles.h): no exception reaches C.
template <class Act>
pt_error* OnFrame(const pt_frame* frame, Act act) {
  return WithSession(
      frame, [&](Session& session) -> Status { return act(DataFrame(session, frame->plan)); });
}

}  // namespace
}  // namespace protium

using protium::DataFrame;
using protium::Status;

extern "C" {

pt_error* pt_frame_schema(const pt_frame* frame, struct ArrowSchema* schema) {
  return protium::OnFrame(frame, [&](const DataFrame& table) -> Status {
    PT_LET(const protium::SchemaPtr columns, table.Schema());
    return arrow::ExportSchema(*columns, schema);
  });
}

pt_error* pt_frame_stream(const pt_frame* frame, struct ArrowArrayStream* rows) {
  return protium::OnFrame(frame, [&](const DataFrame& table) -> Status {
    PT_LET(auto stream, table.Stream());
    // The stream holds the session itself, so it may be read after this lock is released.
    ExportStream(frame->room->open(), *frame, std::move(stream), rows);
    return Status::OK();
  });
}

pt_error* pt_frame_failure(const pt_frame* frame) {
  if (frame == nullptr) return protium::ErrorFrom(protium::NullHandle());
  // Does not use the session, which may be closed or busy: the failure has its own lock.
  return protium::ErrorFrom(frame->failure->Get());
}

pt_error* pt_frame_count(const pt_frame* frame, int64_t* rows) {
  return protium::OnFrame(frame, [&](const DataFrame& table) -> Status {
    PT_LET(*rows, table.Count());
    return Status::OK();
  });
}

pt_error* pt_frame_select(const pt_frame* frame, const char* names, pt_frame** selected) {
  return protium::OnFrame(frame, [&](const DataFrame& table) -> Status {
    PT_LET(const auto columns, protium::ReadNames(protium::TextOf(names), "the names"));
    return GiveOut(frame->room, table.Select(columns), selected);
  });
}

pt_error* pt_frame_limit(const pt_frame* frame, int64_t rows, pt_frame** limited) {
  return protium::OnFrame(frame, [&](const DataFrame& table) -> Status {
    return GiveOut(frame->room, table.Limit(rows), limited);
  });
}

pt_error* pt_frame_keep(const pt_frame* frame, pt_frame** kept) {
  return protium::OnFrame(frame, [&](const DataFrame& table) -> Status {
    return GiveOut(frame->room, table.Materialize(protium::kKept), kept);
  });
}

pt_error* pt_frame_keep_as(const pt_frame* frame, const char* name, pt_frame** kept) {
  return protium::OnFrame(frame, [&](const DataFrame& table) -> Status {
    PT_LET(const DataFrame named, Keep(table, protium::TextOf(name)));
    return GiveOut(frame->room, named, kept);
  });
}

pt_error* pt_frame_split(const pt_frame* frame, const char* options, pt_frame** train,
                         pt_frame** test) {
  return protium::OnFrame(frame, [&](const DataFrame& table) -> Status {
    PT_LET(const protium::SplitOptions split, protium::ReadSplit(options));
    const protium::Sides sides = table.Split(split);
    // Returns both or neither.
    PT_TRY(sides.train.Schema().status());
    PT_TRY(GiveOut(frame->room, sides.test, test));
    return GiveOut(frame->room, sides.train, train);
  });
}

pt_error* pt_frame_write(const pt_frame* frame, const char* path, const char* options) {
  return protium::OnFrame(frame, [&](const DataFrame& table) -> Status {
    PT_LET(const protium::Json json, protium::ReadOptions(protium::TextOf(options)));
    protium::WriteKeys keys;
    PT_TRY(protium::FieldsFromJson(json, "", keys));
    if (protium::TextOf(path).empty()) {
      return protium::Fail({.exit = protium::Exit::kUsage, .what = "the path to write is empty"});
    }
    // Relative paths start at the session's base; an absolute one replaces it.
    const auto file = StateOf(table.session()).options().base / protium::TextOf(path);
    return table.Write().File(file.string(), {.partitions = keys.partitions});
  });
}

pt_error* pt_frame_text_times(const pt_frame* frame, char** json) {
  return protium::WithSession(frame, [&](protium::Session& session) -> Status {
    const protium::DataFrame rows(session, frame->plan);
    PT_LET(const protium::BatchStreamPtr first, rows.Stream());
    PT_LET(const protium::TableProfile table, protium::ProfileRows(*first, 0));
    protium::Json reads = protium::Json::object();
    if (protium::MayHoldTextDates(table)) {
      PT_LET(const protium::BatchStreamPtr again, rows.Stream());
      PT_LET(const auto dates, protium::FindTextDates(*again, table));
      for (const auto& [name, date] : dates) {
        reads[name] = protium::LooseReadingOf(date, protium::SqlName(name));
      }
    }
    *json = protium::CopyOut(protium::Dump(reads));
    return Status::OK();
  });
}

pt_error* pt_frame_plan(const pt_frame* frame, char** json) {
  return protium::OnFrame(frame, [&](const DataFrame& table) -> Status {
    protium::SessionState& state = StateOf(table.session());
    PT_LET(const protium::Json plan, Describe(state.engine(), table.plan(), state.call()));
    *json = protium::CopyOut(protium::Dump(plan));
    return Status::OK();
  });
}

void pt_frame_free(pt_frame* frame) { delete frame; }

}  // extern "C"
