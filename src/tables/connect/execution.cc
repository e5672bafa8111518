// SPDX-License-Identifier: Apache-2.0
#include "connect/execution.h"

#include <algorithm>

#include "protium/events.h"

namespace protium::connect {

namespace {

// grpc::StatusCode::DEADLINE_EXCEEDED, which here usually is the stream limit, not the call's
// deadline.
constexpr int32_t kDeadlineExceeded = 4;

}  // namespace

Execution::Execution(std::shared_ptr<Operations> operations, ExecutionRequest request, Call call)
    : operations_(std::move(operations)),
      request_(std::move(request)),
      call_(std::move(call)),
      id_(NewUuid()),
      retries_(operations_->wire().retry()) {
  // The id is ours, so that a request whose response got lost can be repeated: the server refuses a
  // second operation with that id instead of running the plan twice.
  first_.set_operation_id(id_);
  *first_.mutable_plan() = request_.plan;
  first_.add_request_options()->mutable_reattach_options()->set_reattachable(true);
  first_.add_tags(operations_->tag());
  for (const std::string& tag : request_.tags) first_.add_tags(tag);
  operations_->Begin(id_);
}

Execution::~Execution() {
  if (ended_) return;
  const Status status = Abandon(Status::OK());
  (void)status;
}

void Execution::Open() {
  Wire& wire = operations_->wire();
  context_ = std::make_unique<grpc::ClientContext>();
  wire.Prepare(*context_, std::min(call_.deadline, Clock::now() + request_.stream_limit));
  if (submitted_) {
    proto::ReattachExecuteRequest request;
    wire.Sign(request);
    request.set_operation_id(id_);
    if (!last_response_.empty()) request.set_last_response_id(last_response_);
    reader_ = wire.stub().ReattachExecute(context_.get(), request);
  } else {
    // Signed for each try: the server's session id may have become known since the last one.
    wire.Sign(first_);
    reader_ = wire.stub().ExecutePlan(context_.get(), first_);
    // The request may have arrived even if no response comes back.
    submitted_ = true;
  }
  stopper_ = std::make_unique<std::stop_callback<std::function<void()>>>(
      call_.stop, [context = context_.get()] { context->TryCancel(); });
}

Result<bool> Execution::Next(proto::ExecutePlanResponse* response) {
  while (!ended_) {
    if (call_.stop.stop_requested() || Clock::now() >= call_.deadline) {
      return Abandon(operations_->wire().Explain({}, request_.name, call_));
    }
    if (reader_ == nullptr) Open();
    if (reader_->Read(response)) {
      PT_LET(const bool is_new, Take(response));
      if (is_new) return true;
      continue;
    }
    // Read() returns false at the end and on errors alike; Finish() distinguishes them.
    const grpc::Status status = reader_->Finish();
    stopper_.reset();
    reader_.reset();
    const Status after = AfterCut(status);
    if (!after.ok()) return Abandon(after);
  }
  return false;
}

// Returns false for a response that was returned before (a server may repeat the last one after a
// reattach), and for the end of the result.
Result<bool> Execution::Take(proto::ExecutePlanResponse* response) {
  const Status same = operations_->wire().CheckServer(response->server_side_session_id());
  if (!same.ok()) return Abandon(same);
  if (!response->operation_id().empty() && response->operation_id() != id_) {
    return Abandon(Status::UnknownError(request_.name, ": the server sent operation ",
                                        response->operation_id(), " instead of ", id_));
  }
  if (response->response_id() == last_response_ && !last_response_.empty()) return false;
  last_response_ = response->response_id();
  // The operation makes progress, so the next break counts as a new one.
  retries_.Reset();
  operations_->WasRead(id_, last_response_);
  if (!response->has_result_complete()) return true;
  PT_TRY(CloseStream());
  return false;
}

// The result is complete. The final status of the stream is read all the same: gRPC requires it,
// and a permanent error must not be hidden.
Status Execution::CloseStream() {
  proto::ExecutePlanResponse rest;
  while (reader_->Read(&rest)) {
  }
  const grpc::Status status = reader_->Finish();
  stopper_.reset();
  reader_.reset();
  if (!status.ok()) {
    const SparkError error = operations_->wire().FetchError(status);
    // A connection that breaks after the last response loses nothing.
    const bool stopped = call_.stop.stop_requested() || error.code == kDeadlineExceeded;
    if (!MayPass(error) && !stopped) {
      return Abandon(Explain(error));
    }
  }
  ended_ = true;
  operations_->End(id_);
  return Status::OK();
}

// Returns OK to continue with a new stream.
Status Execution::AfterCut(const grpc::Status& status) {
  // Our own cancellation also ends the stream with an error; it must not count as the server's.
  if (call_.stop.stop_requested() || Clock::now() >= call_.deadline) {
    return operations_->wire().Explain({}, request_.name, call_);
  }
  if (!status.ok()) return AfterError(operations_->wire().FetchError(status));
  // The server's usual way to end a long stream; continuing at once costs nothing. Streams that end
  // without any response are paced, or this would spin.
  if (retries_.used() == 0) {
    retries_.Next();
    return Status::OK();
  }
  return WaitAndRetry({.message = "the server ends streams without a result"});
}

Status Execution::AfterError(const SparkError& error) {
  Wire& wire = operations_->wire();
  if (IsSessionLost(error)) return wire.Explain(error, request_.name, call_);
  if (error.Has("INVALID_HANDLE.OPERATION_NOT_FOUND")) {
    if (!last_response_.empty()) {
      return Fail(
          {.exit = Exit::kRemote,
           .what = request_.name + ": the Spark server dropped the result while it was read",
           .where = wire.shown(),
           .why = error.message,
           .fix = kStartAgain});
    }
    // The request never arrived, or the server lost it before any response: nothing was received
    // yet, so it may be submitted again.
    submitted_ = false;
    return WaitAndRetry(error);
  }
  // The request arrived, and only its response was lost: attach to what it began.
  if (error.Has("INVALID_HANDLE.OPERATION_ALREADY_EXISTS")) return WaitAndRetry(error);
  if (MayPass(error) || error.code == kDeadlineExceeded) return WaitAndRetry(error);
  return Explain(error);
}

Status Execution::Explain(const SparkError& error) const {
  if (request_.explain) return request_.explain(error);
  return operations_->wire().Explain(error, request_.name, call_);
}

Status Execution::ServerGone(const SparkError& error) const {
  return Fail(
      {.exit = Exit::kRemote,
       .what = request_.name + ": the Spark server at " + operations_->wire().shown() +
               " went away and did not come back",
       .why = error.message,
       .fix = "start the job again when the server is back; resume continues a training from its "
              "last checkpoint"});
}

Status Execution::WaitAndRetry(const SparkError& error) {
  Wire& wire = operations_->wire();
  const auto wait = retries_.Next(error.retry_after);
  if (!wait && MayPass(error)) return ServerGone(error);
  if (!wait) return wire.Explain(error, request_.name, call_);
  if (*wait >= kTellFrom) {
    call_.Send(Note{request_.name + ": the connection to " + wire.shown() +
                    " is broken, reattaching in " + std::to_string(wait->count() / 1000) + " s"});
  }
  return Sleep(*wait, call_) ? Status::OK() : wire.Explain(error, request_.name, call_);
}

Status Execution::Abandon(Status status) {
  if (ended_) return status;
  ended_ = true;
  if (context_ != nullptr) context_->TryCancel();
  if (reader_ != nullptr) {
    const grpc::Status last = reader_->Finish();
    (void)last;  // Of the stream that was just cancelled.
  }
  stopper_.reset();
  reader_.reset();
  if (submitted_) operations_->Interrupt(id_);
  operations_->End(id_);
  return status;
}

}  // namespace protium::connect
