// SPDX-License-Identifier: Apache-2.0
#include "http/connection.h"

#include <fmt/format.h>

#include <limits>

#include "base/fault.h"
#include "base/text.h"
#include "http/target.h"

namespace protium {

namespace asio = boost::asio;
namespace http = boost::beast::http;

using boost::beast::error_code;

namespace {

HttpResponse Busy(std::string what) {
  HttpResponse response = Refusal(503, {.what = std::move(what), .fix = "try again in a moment"});
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

HttpResponse TooLarge(const HttpAdmission& admission) {
  if (admission.body_bytes == 0) return Refusal(413, {.what = "this request takes no body"});
  return Refusal(413, {.what = fmt::format("the body has more than {} bytes", admission.body_bytes),
                       .fix = admission.too_large_fix});
}

// The refusal of anything that is not HTTP; none if the other side has closed, or was too slow.
std::optional<HttpResponse> RefuseMessage(error_code error, const HttpLimits& limits) {
  const bool said = error.category() == http::make_error_code(http::error::bad_method).category();
  if (!said || error == http::error::end_of_stream || error == http::error::partial_message) {
    return std::nullopt;
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return Refusal(431, {.what = fmt::format("the request's line and headers have more than {} "
                                             "bytes",
                                             limits.head_bytes)});
  }
  return Refusal(400, {.what = "the request is not HTTP as it should be", .why = error.message()});
}

// Refuses what two programs in a row could read differently.
std::optional<HttpResponse> RefuseHead(const http::fields& fields, bool has_target) {
  if (fields.count(http::field::host) != 1) {
    return Refusal(400, {.what = "the request has no Host, or several"});
  }
  const auto coding = fields.find(http::field::transfer_encoding);
  if (coding != fields.end() && Lower(std::string(coding->value())) != "chunked") {
    return Refusal(501, {.what = "a body comes whole or in chunks, and not otherwise encoded"});
  }
  if (!has_target) return Refusal(400, {.what = "the request's path cannot be read"});
  return std::nullopt;
}

// HEAD is passed on as GET: only the sending of its response differs.
HttpRequest ReadRequest(const http::request<http::empty_body>& head, HttpTarget target) {
  const bool is_head = head.method() == http::verb::head;
  HttpRequest request{.method = is_head ? "GET" : std::string(head.method_string()),
                      .path = std::move(target.path),
                      .parameters = std::move(target.parameters)};
  for (const auto& field : head) {
    request.headers.emplace(Lower(std::string(field.name_string())), std::string(field.value()));
  }
  return request;
}

bool HasBody(const auto& parser) {
  return parser.chunked() || parser.content_length().value_or(0) > 0;
}

// Why the body that a head announces is not read.
std::optional<HttpResponse> RefuseBody(const auto& parser, const HttpAdmission& admission) {
  if (!HasBody(parser)) return std::nullopt;
  const auto coding = parser.get().find(http::field::content_encoding);
  if (coding != parser.get().end() && Lower(std::string(coding->value())) != "identity") {
    return Refusal(415, {.what = "a body cannot come with a Content-Encoding",
                         .fix = "send it as it is, not compressed"});
  }
  const uint64_t length = parser.content_length().value_or(0);
  if (admission.body_bytes > 0 && length <= admission.body_bytes) return std::nullopt;
  return TooLarge(admission);
}

// Nothing may end the server: any exception ends here.
HttpResponse ResponseOf(HttpService& service, const HttpRequest& request, HttpBody& body) {
  std::string why = "unknown";
  try {
    return service.Respond(request, body.Join());
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
  }
  return Refusal(500,
                 {.exit = Exit::kBug, .what = "the request could not be answered", .why = why});
}

}  // namespace

HttpConnection::HttpConnection(HttpServing& serving, asio::ip::tcp::socket socket)
    : serving_(serving),
      limits_(serving.options.limits),
      stream_(std::move(socket)),
      buffer_(serving.options.limits.head_bytes) {
  error_code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  const auto peer = stream_.socket().remote_endpoint(ignored);
  id_ = serving_.crowd.Enter(peer.address().to_string(), Clock::now());
  serving_.connections.emplace(id_, this);
}

HttpConnection::~HttpConnection() {
  Close();
  serving_.connections.erase(id_);
}

void HttpConnection::Close() {
  serving_.crowd.Leave(id_);
  stream_.close();
}

void HttpConnection::Move(Stage stage) {
  stage_ = stage;
  serving_.crowd.Move(id_, stage, Clock::now());
}

bool HttpConnection::Hold(size_t bytes) {
  serving_.crowd.Hold(id_, bytes);
  while (bytes > 0 && serving_.crowd.held_bytes() > limits_.held_bytes) {
    const auto last = serving_.crowd.LastOfHolders();
    if (!last || *last == id_) {
      serving_.crowd.Hold(id_, 0);
      return false;
    }
    serving_.connections.at(*last)->Close();
  }
  return true;
}

HttpConnection::Awaitable<void> HttpConnection::Run() {
  Next next = Next::kRequest;
  while (next == Next::kRequest) {
    next = co_await TakeRequest();
    if (next == Next::kRequest && serving_.ending) next = Next::kClose;
  }
  if (next == Next::kClose) co_await Linger();
}

HttpConnection::Awaitable<HttpConnection::Next> HttpConnection::TakeRequest() {
  error_code error;
  HeadParser head;
  head.header_limit(uint32_t(limits_.head_bytes));
  // Checked as soon as it is known who asks. (Without a limit, Boost 1.74 refuses all bodies.)
  head.body_limit(std::numeric_limits<uint64_t>::max());
  stream_.expires_after(limits_.head);
  co_await http::async_read_header(stream_, buffer_, head, Into(error));
  if (error) {
    std::optional<HttpResponse> refusal = RefuseMessage(error, limits_);
    if (!refusal) co_return Next::kGone;
    co_return co_await Send(std::move(*refusal), false);
  }
  const auto& message = head.get();
  chunks_ = message.version() >= 11;
  only_head_ = message.method() == http::verb::head;
  const auto said = message.target();
  std::optional<HttpTarget> target = ReadTarget({said.data(), said.size()});
  std::optional<HttpResponse> refusal = RefuseHead(message, target.has_value());
  if (refusal) co_return co_await Send(std::move(*refusal), false);
  HttpRequest request = ReadRequest(message, std::move(*target));
  HttpAdmission admission = serving_.service.Admit(request);
  co_return co_await TakeBody(head, std::move(request), std::move(admission));
}

// A refused body is not read, so what follows on the connection is not a request.
HttpConnection::Awaitable<HttpConnection::Next> HttpConnection::TakeBody(HeadParser& head,
                                                                         HttpRequest request,
                                                                         HttpAdmission admission) {
  const bool keep = head.get().keep_alive();
  admitted_ = admitted_ || !admission.refusal;
  std::optional<HttpResponse> refusal = std::move(admission.refusal);
  if (!refusal) refusal = RefuseBody(head, admission);
  if (refusal) co_return co_await Send(std::move(*refusal), keep && !HasBody(head));
  BodyParser parser(std::move(head));
  HttpBody body;
  const bool here = co_await ReadBody(parser, admission, body, refusal);
  if (!here) co_return Next::kGone;
  if (refusal) co_return co_await Send(std::move(*refusal), false);
  HttpResponse response = co_await Compute(std::move(request), std::move(body));
  if (response.stream != nullptr) co_return co_await SendStream(std::move(response), keep);
  co_return co_await Send(std::move(response), keep);
}

HttpConnection::Awaitable<bool> HttpConnection::ReadBody(BodyParser& parser,
                                                         const HttpAdmission& admission,
                                                         HttpBody& body,
                                                         std::optional<HttpResponse>& refusal) {
  Move(Stage::kSending);
  const Deadline begin = Clock::now();
  parser.body_limit(admission.body_bytes);
  const auto expected = parser.get()[http::field::expect];
  if (HasBody(parser) && buffer_.size() == 0 && Lower(std::string(expected)) == "100-continue") {
    const bool here = co_await Write("HTTP/1.1 100 Continue\r\n\r\n", {});
    if (!here) co_return false;
  }
  while (!parser.is_done() && !refusal) {
    auto& piece = parser.get().body();
    piece.data = piece_.data();
    piece.size = piece_.size();
    error_code error;
    stream_.expires_at(PaceDeadline(limits_, begin, body.size()));
    co_await http::async_read_some(stream_, buffer_, parser, Into(error));
    body.Append({piece_.data(), piece_.size() - piece.size});
    if (error == http::error::need_buffer) error = {};
    if (error == http::error::body_limit) {
      refusal = TooLarge(admission);
    } else if (error) {
      refusal = RefuseMessage(error, limits_);
      if (!refusal) co_return false;
    } else if (!Hold(body.size())) {
      refusal = Busy("requests hold all the memory that the server has for them");
    }
  }
  co_return true;
}

HttpConnection::Awaitable<HttpResponse> HttpConnection::Compute(HttpRequest request,
                                                                HttpBody body) {
  Move(Stage::kComputing);
  HttpResponse response;
  const bool computed =
      co_await OnPool(body.size(), [&] { response = ResponseOf(serving_.service, request, body); });
  if (!computed) response = Busy("too many requests wait for their answers");
  co_return response;
}

HttpConnection::Awaitable<bool> HttpConnection::OnPool(size_t bytes, std::function<void()> work) {
  const auto done =
      std::make_shared<asio::steady_timer>(serving_.io, asio::steady_timer::time_point::max());
  const bool added = serving_.pool.Add(bytes, [work = std::move(work), done, &io = serving_.io] {
    work();
    asio::post(io, [done] { done->cancel(); });
  });
  if (!added) co_return false;
  // What is posted above ends this wait; it runs on this thread, so never before the wait begins.
  error_code cancelled;
  co_await done->async_wait(Into(cancelled));
  co_return true;
}

}  // namespace protium
