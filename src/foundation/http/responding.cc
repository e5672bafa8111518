// SPDX-License-Identifier: Apache-2.0
// Sends the responses of a connection.
#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "http/connection.h"

namespace protium {

namespace asio = boost::asio;
namespace http = boost::beast::http;

using boost::beast::error_code;

namespace {

constexpr size_t kPieceBytes = 64 << 10;
constexpr auto kLinger = std::chrono::seconds(1);
// How often a stream is polled: other processes write what it reports.
constexpr auto kLook = std::chrono::milliseconds(250);

// Counts a connection as part of a stream, for as long as it is.
class StreamPlace {
 public:
  explicit StreamPlace(size_t& streams) : streams_(streams) { ++streams_; }
  ~StreamPlace() { --streams_; }
  StreamPlace(const StreamPlace&) = delete;
  StreamPlace& operator=(const StreamPlace&) = delete;

 private:
  size_t& streams_;
};

HttpResponse TooManyStreams(size_t most) {
  HttpResponse response =
      Refusal(503, {.what = fmt::format("{} event streams are open, no more can be", most),
                    .fix = "close some tabs, or ask for /events instead"});
  response.headers.emplace_back("Retry-After", "5");
  return response;
}

}  // namespace

std::string HttpConnection::HeadOf(const HttpResponse& response, const std::string& framing) const {
  const auto reason = http::obsolete_reason(http::int_to_status(unsigned(response.status)));
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}", response.status,
                  std::string_view(reason.data(), reason.size()), response.type, framing);
  const auto add = [&](const auto& header) {
    head += fmt::format("{}: {}\r\n", header.first, header.second);
  };
  for (const auto& header : serving_.options.headers) {
    const bool other = std::any_of(response.headers.begin(), response.headers.end(),
                                   [&](const auto& own) { return own.first == header.first; });
    if (!other) add(header);
  }
  for (const auto& header : response.headers) add(header);
  return head + "\r\n";
}

HttpConnection::Awaitable<HttpConnection::Next> HttpConnection::Send(HttpResponse response,
                                                                     bool keep) {
  keep = keep && !serving_.ending && !limits_.one_request;
  Move(Stage::kReading);
  if (!Hold(response.body.size())) co_return Next::kGone;
  const std::string_view body =
      response.fixed.empty() ? std::string_view(response.body) : response.fixed;
  const std::string framing = fmt::format("Content-Length: {}\r\nConnection: {}\r\n", body.size(),
                                          keep ? "keep-alive" : "close");
  const bool sent =
      co_await Write(HeadOf(response, framing), only_head_ ? std::string_view() : body);
  Hold(0);
  if (!sent) co_return Next::kGone;
  if (!keep) co_return Next::kClose;
  Move(admitted_ ? Stage::kIdle : Stage::kStranger);
  co_return Next::kRequest;
}

// The end of a stream ends its connection.
HttpConnection::Awaitable<HttpConnection::Next> HttpConnection::SendStream(HttpResponse response,
                                                                           bool keep) {
  if (serving_.streams >= limits_.streams) {
    co_return co_await Send(TooManyStreams(limits_.streams), keep);
  }
  const StreamPlace place(serving_.streams);
  Move(Stage::kReading);
  const std::string framing =
      chunks_ ? "Transfer-Encoding: chunked\r\nConnection: close\r\n" : "Connection: close\r\n";
  bool here = co_await Write(HeadOf(response, framing), {});
  if (here && !only_head_) here = co_await SendPieces(*response.stream);
  co_return here ? Next::kClose : Next::kGone;
}

HttpConnection::Awaitable<bool> HttpConnection::SendPieces(HttpStream& stream) {
  auto more = HttpStream::More::kAtOnce;
  asio::steady_timer later(serving_.io);
  while (more != HttpStream::More::kNone && !serving_.ending) {
    std::string text;
    // A full pool is busy: the stream goes on a moment later.
    const bool asked = co_await OnPool(0, [&] { more = stream.Next(text); });
    if (!asked) more = HttpStream::More::kLater;
    if (!text.empty()) {
      std::string head = chunks_ ? fmt::format("{:x}\r\n", text.size()) : std::string();
      if (chunks_) text += "\r\n";
      const bool here = co_await Write(std::move(head), text);
      if (!here) co_return false;
    }
    if (more != HttpStream::More::kLater) continue;
    error_code ignored;
    later.expires_after(kLook);
    co_await later.async_wait(Into(ignored));
    if (!stream_.socket().is_open()) co_return false;
  }
  if (!chunks_) co_return true;
  co_return co_await Write("0\r\n\r\n", {});
}

HttpConnection::Awaitable<bool> HttpConnection::Write(std::string head, std::string_view body) {
  const Deadline begin = Clock::now();
  const size_t total = head.size() + body.size();
  for (size_t sent = 0; sent < total;) {
    const size_t of_head = std::min(sent, head.size()), of_body = sent - of_head;
    const std::array<asio::const_buffer, 2> rest = {
        asio::buffer(head.data() + of_head, head.size() - of_head),
        asio::buffer(body.data() + of_body, std::min(body.size() - of_body, kPieceBytes))};
    error_code error;
    stream_.expires_at(PaceDeadline(limits_, begin, sent));
    sent += co_await stream_.async_write_some(rest, Into(error));
    if (error) co_return false;
  }
  co_return true;
}

HttpConnection::Awaitable<void> HttpConnection::Linger() {
  error_code error;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
  Move(Stage::kStranger);
  stream_.expires_after(kLinger);
  while (!error) co_await stream_.async_read_some(asio::buffer(piece_), Into(error));
}

}  // namespace protium
