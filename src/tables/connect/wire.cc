// SPDX-License-Identifier: Apache-2.0
#include "connect/wire.h"

#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "base/percent.h"
#include "connect/channel.h"
#include "protium/events.h"

namespace protium::connect {

namespace {

// Short, since the user is waiting for the message.
constexpr auto kDetailsLimit = std::chrono::seconds(10);

std::string ChooseUser(const SparkAddress& address) {
  if (!address.user_id.empty()) return address.user_id;
  for (const char* const variable : {"SPARK_USER", "USER"}) {
    const char* const name = std::getenv(variable);
    if (name != nullptr && *name != '\0') return name;
  }
  return "protium";
}

// Spark expects free text of at most 2048 characters, percent-encoded.
std::string ClientType(const SparkAddress& address) {
  const std::string text =
      (address.user_agent.empty() ? "" : address.user_agent + " ") + "protium os/linux";
  return PercentEncoded(text, ".-_/").substr(0, 2048);
}

// gRPC's deadlines use the wall clock; ours use a clock that nobody sets.
std::chrono::system_clock::time_point WallClock(Deadline deadline) {
  const auto left = deadline - Clock::now();
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::system_clock::duration>(left);
}

}  // namespace

std::string NewUuid() {
  std::random_device random;
  uint32_t words[4];
  for (uint32_t& word : words) word = random();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16,
                     words[1] & 0xfff, 0x8000 | (words[2] >> 16 & 0x3fff), words[2] & 0xffff,
                     words[3]);
}

Wire::Wire(SparkAddress address, const RetryPolicy& retry)
    : address_(std::move(address)),
      retry_(retry),
      session_id_(address_.session_id.empty() ? NewUuid() : address_.session_id),
      user_(ChooseUser(address_)),
      client_type_(ClientType(address_)),
      shown_("sc://" + address_.target()) {}

Result<std::shared_ptr<Wire>> Wire::Open(SparkAddress address, const RetryPolicy& retry) {
  std::shared_ptr<Wire> wire(new Wire(std::move(address), retry));
  PT_LET(const auto channel, OpenChannel(wire->address_));
  wire->stub_ = proto::SparkConnectService::NewStub(channel);
  return wire;
}

void Wire::Prepare(grpc::ClientContext& context, Deadline deadline) const {
  if (deadline != kNever) context.set_deadline(WallClock(deadline));
  // Added explicitly: gRPC refuses call credentials on a channel without TLS.
  if (!address_.token.empty()) context.AddMetadata("authorization", "Bearer " + address_.token);
  for (const auto& [name, value] : address_.headers) context.AddMetadata(name, value);
}

Status Wire::CheckServer(const std::string& server_session) {
  if (server_session.empty()) return Status::OK();
  const std::lock_guard lock(mutex_);
  if (server_session_.empty()) server_session_ = server_session;
  if (server_session_ == server_session) return Status::OK();
  return Fail({.exit = Exit::kRemote,
               .what = "the Spark server at " + shown_ + " was restarted during the job",
               .why = "it has a new session; files, settings and views are gone",
               .fix = "start the job again; resume continues a training from its last "
                      "checkpoint"});
}

SparkError Wire::FetchError(const grpc::Status& status) {
  SparkError error = ReadError(status.error_code(), status.error_message(), status.error_details());
  if (!error.error_id.empty()) FetchCauses(error);
  return error;
}

void Wire::FetchCauses(SparkError& error) {
  proto::FetchErrorDetailsRequest request;
  Sign(request);
  request.set_error_id(error.error_id);
  grpc::ClientContext context;
  Prepare(context, Clock::now() + kDetailsLimit);
  proto::FetchErrorDetailsResponse response;
  // Without a response, the error is reported with what came with it.
  if (stub_->FetchErrorDetails(&context, request, &response).ok()) AddCauses(response, error);
}

Status Wire::Explain(const SparkError& error, std::string_view doing, const Call& call) const {
  if (call.stop.stop_requested()) return Status::Cancelled(std::string(doing), " was stopped");
  if (Clock::now() >= call.deadline) {
    return Fail({.exit = Exit::kStalled,
                 .what = std::string(doing) + " did not finish before its deadline",
                 .where = shown_});
  }
  return Fail(SparkFault(error, doing, shown_));
}

Status Wire::WaitToRetry(const grpc::Status& status, std::string_view doing, const Call& call,
                         Retries& retries) {
  if (call.stop.stop_requested() || Clock::now() >= call.deadline) return Explain({}, doing, call);
  const SparkError error = FetchError(status);
  if (!MayPass(error)) return Explain(error, doing, call);
  const auto wait = retries.Next(error.retry_after);
  if (!wait) return Explain(error, doing, call);
  if (*wait >= kTellFrom) {
    call.Send(Note{fmt::format("{}: {} does not answer, next try in {:.1f} s", doing, shown_,
                               static_cast<double>(wait->count()) / 1000)});
  }
  return Sleep(*wait, call) ? Status::OK() : Explain(error, doing, call);
}

}  // namespace protium::connect
