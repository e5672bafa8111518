// SPDX-License-Identifier: Apache-2.0
// The channel to a Spark server and what all calls share: identity of the requests, retries, and
// the check that it is still the same server. Exposes gRPC, so only .cc files of this folder
// include it.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <memory>
#include <mutex>
#include <string>

#include "base/call.h"
#include "base/fault.h"
#include "connect/address.h"
#include "connect/error.h"
#include "connect/retry.h"
#include "connect/service.grpc.pb.h"

namespace protium::connect {

// Returns a random UUID of version 4.
std::string NewUuid();

// The connection of one session. Thread-safe.
class Wire {
 public:
  using Stub = proto::SparkConnectService::Stub;

  // Does not connect yet; fails if TLS is wanted and no root certificates are found.
  static Result<std::shared_ptr<Wire>> Open(SparkAddress address, const RetryPolicy& retry);

  Stub& stub() { return *stub_; }
  const RetryPolicy& retry() const { return retry_; }
  const std::string& session_id() const { return session_id_; }
  const std::string& shown() const { return shown_; }

  // Fills in the identity of the request: session, user, client, and, as soon as it is known, the
  // server's own id of the session, by which a restarted server refuses the request.
  template <class Request>
  void Sign(Request& request) {
    request.set_session_id(session_id_);
    request.mutable_user_context()->set_user_id(user_);
    request.set_client_type(client_type_);
    if constexpr (requires { request.set_client_observed_server_side_session_id(""); }) {
      const std::lock_guard lock(mutex_);
      if (!server_session_.empty()) {
        request.set_client_observed_server_side_session_id(server_session_);
      }
    }
  }

  // Adds the headers and the token, and sets the deadline after which gRPC gives up.
  void Prepare(grpc::ClientContext& context, Deadline deadline) const;

  // Records the server's own id of the session. A different id in a later response is a Fault of
  // exit kRemote: the server was restarted, and everything in the session is lost.
  Status CheckServer(const std::string& server_session);

  // Reads a call's final status; requests the chain of causes from the server if it offers one.
  SparkError FetchError(const grpc::Status& status);
  // Returns the error as our status. If `call` was stopped or is past its deadline, that takes
  // precedence, since such a call also ends with an error of gRPC's.
  Status Explain(const SparkError& error, std::string_view doing, const Call& call) const;

  // Makes one call with one response, repeated as `retry` says while that may help. Each try takes
  // at most `limit`; `doing` is the phrase in front of errors.
  template <class Request, class Response>
  Status Ask(std::string_view doing,
             grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
             Request request, Response* response, const Call& call, Milliseconds limit,
             const RetryPolicy& retry) {
    Sign(request);
    Retries retries(retry);
    while (true) {
      grpc::ClientContext context;
      Prepare(context, std::min(call.deadline, Clock::now() + limit));
      const grpc::Status status = Cancelling(
          context, call, [&] { return (stub_.get()->*method)(&context, request, response); });
      if (status.ok()) return CheckServer(response->server_side_session_id());
      PT_TRY(WaitToRetry(status, doing, call, retries));
    }
  }

  // Runs `speak`, which uses `context`, and cancels the context when the call is stopped.
  template <class Speak>
  static auto Cancelling(grpc::ClientContext& context, const Call& call, Speak speak) {
    const std::stop_callback stopped(call.stop, [&context] { context.TryCancel(); });
    return speak();
  }

  // Called after a failed try: waits before the next one and returns OK; or returns the error if
  // another try would not help, none is left, or the call was stopped.
  Status WaitToRetry(const grpc::Status& status, std::string_view doing, const Call& call,
                     Retries& retries);

 private:
  Wire(SparkAddress address, const RetryPolicy& retry);
  void FetchCauses(SparkError& error);

  const SparkAddress address_;
  const RetryPolicy retry_;
  const std::string session_id_;
  const std::string user_;
  const std::string client_type_;
  const std::string shown_;
  std::unique_ptr<Stub> stub_;
  std::mutex mutex_;
  std::string server_session_;
};

}  // namespace protium::connect
