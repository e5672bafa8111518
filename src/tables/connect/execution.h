// SPDX-License-Identifier: Apache-2.0
// One operation on the server, read response by response.
//
// 1. The server may end a stream at any time (Spark does after about 2 minutes or 1 GiB), and a
//    connection may break; only `result_complete` ends a result. Without it the client reattaches
//    (ReattachExecute) after the last response that it has.
// 2. Each response is returned once. If the server cannot continue exactly after the last one, that
//    is an error, never a gap.
// 3. gRPC's final status of every stream is read; only that says whether the stream failed.
// 4. However it ends, the server is notified: a finished operation is released, an unfinished one
//    is interrupted and released. An operation without a client would hold its slots for about five
//    minutes.
//
// States: not submitted; submitted (`submitted_`: from now on attach, do not submit); ended.
// Between streams it waits as Retries says, and each new response resets the retries, so that a job
// of days survives any number of transient failures.
#pragma once

#include <grpcpp/support/sync_stream.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "connect/operations.h"

namespace protium::connect {

struct ExecutionRequest {
  proto::Plan plan;
  std::string name;               // What is run, for messages: "the flights query".
  std::vector<std::string> tags;  // Beside the session's own tag.
  std::function<Status(const SparkError&)>
      explain;                         // For a failure of the operation itself; may be empty.
  Milliseconds stream_limit{240'000};  // After this the client itself ends a stream,
                                       // in case its connection died silently.
};

// One thread. Nothing is sent before the first Next().
class Execution {
 public:
  Execution(std::shared_ptr<Operations> operations, ExecutionRequest request, Call call);
  // Interrupts the operation unless it has ended.
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Waits for the next response. Returns false at the end of a complete result, and from then on;
  // after an error the operation has been interrupted. Waits until the call's deadline or stop.
  Result<bool> Next(proto::ExecutePlanResponse* response);
  const std::string& id() const { return id_; }

 private:
  using Reader = grpc::ClientReader<proto::ExecutePlanResponse>;

  void Open();
  Result<bool> Take(proto::ExecutePlanResponse* response);
  // Decides what a stream's end means for the operation: OK to open another stream, else the final
  // error.
  Status AfterCut(const grpc::Status& status);
  Status AfterError(const SparkError& error);
  Status Explain(const SparkError& error) const;
  Status ServerGone(const SparkError& error) const;
  Status WaitAndRetry(const SparkError& error);
  Status CloseStream();
  // Cancels the stream, interrupts and releases the operation; returns `status`.
  Status Abandon(Status status);

  const std::shared_ptr<Operations> operations_;
  const ExecutionRequest request_;
  const Call call_;
  const std::string id_;
  proto::ExecutePlanRequest first_;
  Retries retries_;
  // The current stream's, in the order in which they are made: `stopper_` refers to the context,
  // and `reader_` is read until Finish() before any of them is replaced.
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<std::stop_callback<std::function<void()>>> stopper_;
  std::unique_ptr<Reader> reader_;
  // The id of the last response that was returned; empty before the first.
  std::string last_response_;
  bool submitted_ = false;  // The server may know the operation, so attach to it.
  bool ended_ = false;
};

}  // namespace protium::connect
