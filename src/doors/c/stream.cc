// SPDX-License-Identifier: Apache-2.0
// Arrow has such a stream of its own; this one also retains the fault with all its parts.
#include "c/stream.h"

#include <arrow/c/abi.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>

#include <cerrno>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

struct OutStream {
  // Declared so that the rows are destroyed before the session that they come from.
  std::shared_ptr<Room> room;
  std::shared_ptr<OpenRoom> open;
  Plan plan;
  SchemaPtr schema;
  BatchStreamPtr rows;
  std::shared_ptr<LastFailure> failure;
  std::string error;
};

OutStream& Of(struct ArrowArrayStream* stream) {
  return *static_cast<OutStream*>(stream->private_data);
}

// Returns an errno code for C; the text says more.
int FailedWith(OutStream& out, const Status& status) {
  const Fault fault = FaultOf(status);
  out.failure->Set(status);
  out.error = Render(fault);
  return fault.exit == Exit::kStopped ? ECANCELED : fault.exit == Exit::kNoRoom ? ENOMEM : EIO;
}

template <class Act>
int Answer(struct ArrowArrayStream* stream, Act act) noexcept {
  OutStream& out = Of(stream);
  try {
    const Status status = act(out);
    return status.ok() ? 0 : FailedWith(out, status);
  } catch (const std::exception&) {
    return ENOMEM;
  }
}

int GetSchema(struct ArrowArrayStream* stream, struct ArrowSchema* schema) {
  return Answer(stream, [&](OutStream& out) { return arrow::ExportSchema(*out.schema, schema); });
}

int GetNext(struct ArrowArrayStream* stream, struct ArrowArray* array) {
  return Answer(stream, [&](OutStream& out) -> Status {
    array->release = nullptr;  // Signals the end unless there are rows.
    if (out.rows == nullptr) return Status::OK();
    PT_LET(const auto batch, out.rows->Next());
    if (batch != nullptr) return arrow::ExportRecordBatch(*batch, array);
    out.rows.reset();
    return Status::OK();
  });
}

const char* GetLastError(struct ArrowArrayStream* stream) {
  const std::string& error = Of(stream).error;
  return error.empty() ? nullptr : error.c_str();
}

void Release(struct ArrowArrayStream* stream) {
  delete &Of(stream);
  stream->release = nullptr;
}

}  // namespace

void ExportStream(std::shared_ptr<OpenRoom> open, const pt_frame& frame, BatchStreamPtr rows,
                  struct ArrowArrayStream* out) {
  SchemaPtr schema = rows->schema();
  out->private_data = new OutStream{frame.room,      std::move(open), frame.plan, std::move(schema),
                                    std::move(rows), frame.failure,   {}};
  out->get_schema = GetSchema;
  out->get_next = GetNext;
  out->get_last_error = GetLastError;
  out->release = Release;
}

}  // namespace protium
