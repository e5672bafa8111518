// SPDX-License-Identifier: Apache-2.0
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>

#include <optional>
#include <utility>

#include "base/fault.h"
#include "c/handles.h"
#include "c/options.h"
#include "column/claims.h"
#include "frame/given_rows.h"
#include "frame/session_state.h"
#include "job/job.h"
#include "job/model_tables.h"
#include "model/score_in_sql.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Refuses a stream of a single column instead of rows, and releases it.
Status CheckTable(struct ArrowArrayStream* rows) {
  struct ArrowSchema schema {};
  // The reader reports what is wrong with a stream that fails.
  if (rows == nullptr || rows->get_schema(rows, &schema) != 0) return Status::OK();
  const std::string format = schema.format == nullptr ? "" : schema.format;
  if (schema.release != nullptr) schema.release(&schema);
  if (format == "+s") return Status::OK();
  rows->release(rows);
  return Fail(
      {.exit = Exit::kUsage,
       .what = "the stream is one column and no table",
       .why = "its batches are of Arrow's format \"" + format + "\", those of tables \"+s\"",
       .fix = "give a stream of batches with named columns"});
}

// The caller's rows.
class GivenStream : public BatchStream {
 public:
  explicit GivenStream(std::shared_ptr<arrow::RecordBatchReader> reader)
      : reader_(std::move(reader)), schema_(reader_->schema()) {}
  const SchemaPtr& schema() const override { return schema_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    Status read = reader_->ReadNext(&batch);
    if (read.ok() && batch != nullptr) read = batch->Validate();
    if (read.ok()) return Checked(std::move(batch));
    return Fail({.exit = Exit::kInput, .what = "the stream of rows failed", .why = read.message()});
  }

 private:
  // Returns null at the end.
  static Result<std::shared_ptr<arrow::RecordBatch>> Checked(
      std::shared_ptr<arrow::RecordBatch> batch) {
    if (batch != nullptr) PT_TRY(CheckClaims(*batch, kSliceRows));
    return batch;
  }

  std::shared_ptr<arrow::RecordBatchReader> reader_;
  SchemaPtr schema_;
};

Result<JobTable> ReadTable(const char* path, const char* options) {
  PT_LET(const Json json, ReadOptions(TextOf(options)));
  JobTable table;
  PT_TRY(FieldsFromJson(json, "", table));
  if (path != nullptr) {
    if (table.places() > 0) {
      return Fail({.exit = Exit::kUsage, .what = "the table has a path twice"});
    }
    table.file = path;
  }
  if (table.places() == 1 && (!(table.duckdb || table.sqlite) || table.table)) return table;
  return Fail({.exit = Exit::kUsage, .what = "a table needs one of file, csv, parquet and table"});
}

// The destination of the rows is decided while the session is locked, and they are read without the
// lock: the stream may be one of the same session.
Status Bring(Room& room, const std::string& name, BatchStream& rows, Plan& plan) {
  std::string file;
  std::optional<Call> call;
  PT_TRY(room.With([&](Session& session) -> Status {
    PT_LET(file, StateOf(session).brought().NewFile(name));
    call = StateOf(session).call();
    return Status::OK();
  }));
  PT_LET(plan, KeepRows(name, file, rows, *call));
  return Status::OK();
}

}  // namespace

Status GiveOut(const std::shared_ptr<Room>& room, const DataFrame& frame, pt_frame** out) {
  PT_TRY(frame.Schema().status());
  *out = new pt_frame{room, frame.plan()};
  return Status::OK();
}

}  // namespace protium

using protium::Status;

extern "C" {

pt_error* pt_session_open(const char* options, pt_session** session) {
  return protium::Walled([&]() -> Status {
    PT_LET(auto room, protium::Room::Open(protium::TextOf(options)));
    *session = new pt_session{std::move(room)};
    return Status::OK();
  });
}

void pt_session_close(pt_session* session) {
  if (session == nullptr) return;
  session->room->Close();
  delete session;
}

void pt_session_cancel(pt_session* session) { session->room->Cancel(); }

void pt_session_on_event(pt_session* session, pt_event_function function, void* user) {
  session->room->listener().Set(function, user);
}

pt_error* pt_session_read(pt_session* session, const char* path, const char* options,
                          pt_frame** frame) {
  return protium::WithSession(session, [&](protium::Session& own) -> Status {
    PT_LET(const protium::JobTable table, protium::ReadTable(path, options));
    const protium::Reader reader = own.Read().Partitions(table.partitions);
    return GiveOut(session->room, OpenTable(reader, table, PathOf(table)), frame);
  });
}

pt_error* pt_session_bring(pt_session* session, const char* name, struct ArrowArrayStream* rows,
                           pt_frame** frame) {
  return protium::Walled([&]() -> Status {
    PT_TRY(protium::CheckTable(rows));
    // Must come first, since it takes over the stream.
    PT_LET(auto reader, arrow::ImportRecordBatchReader(rows));
    protium::GivenStream stream(std::move(reader));
    protium::Plan plan;
    PT_TRY(Bring(*session->room, protium::TextOf(name), stream, plan));
    *frame = new pt_frame{session->room, std::move(plan)};
    return Status::OK();
  });
}

pt_error* pt_session_table(pt_session* session, const char* name, const pt_frame* frame) {
  return protium::WithSession(session, [&](protium::Session& own) -> Status {
    own.Table(name, protium::DataFrame(own, frame->plan));
    return Status::OK();
  });
}

pt_error* pt_session_sql(pt_session* session, const char* text, pt_frame** frame) {
  return protium::WithSession(session, [&](protium::Session& own) -> Status {
    return GiveOut(session->room, protium::SqlWithModels(own, protium::TextOf(text)), frame);
  });
}

}  // extern "C"
