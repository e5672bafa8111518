// SPDX-License-Identifier: Apache-2.0
// One connection: requests, one after another, and their responses. Everything here runs on the
// server's thread, except what ResponsePool computes. Included only by files that are
// compiled by themselves (not in a unity build), because the library is slow to compile.
#pragma once

#include <utility>  // Boost 1.74's awaitable.hpp lacks it.

// The first include must precede the second.
#include <array>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/call.h"
#include "http/body.h"
#include "http/crowd.h"
#include "http/response_pool.h"
#include "http/server.h"

namespace protium {

class HttpConnection;

// What all connections of a server share.
struct HttpServing {
  boost::asio::io_context& io;
  HttpService& service;
  const HttpServer::Options& options;
  ResponsePool& pool;
  Crowd crowd;
  std::map<Crowd::Id, HttpConnection*> connections;
  size_t streams = 0;
  bool ending = false;
};

// Used as the completion token of an operation: stores a failure in `error` instead of throwing.
inline auto Into(boost::beast::error_code& error) {
  return boost::asio::redirect_error(boost::asio::use_awaitable, error);
}

class HttpConnection {
 public:
  using Stage = Crowd::Stage;
  template <class T>
  using Awaitable = boost::asio::awaitable<T>;

  HttpConnection(HttpServing& serving, boost::asio::ip::tcp::socket socket);
  ~HttpConnection();

  // Runs until one side closes.
  Awaitable<void> Run();
  // Makes whatever is under way fail, except what is being computed.
  void Close();
  Stage stage() const { return stage_; }

 private:
  using HeadParser = boost::beast::http::request_parser<boost::beast::http::empty_body>;
  using BodyParser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;
  // What follows on a connection after a response.
  enum class Next { kRequest, kClose, kGone };

  // Requests (connection.cc).
  Awaitable<Next> TakeRequest();
  Awaitable<Next> TakeBody(HeadParser& head, HttpRequest request, HttpAdmission admission);
  // Returns the refusal of a body that is not accepted; false: the connection is closed.
  Awaitable<bool> ReadBody(BodyParser& parser, const HttpAdmission& admission, HttpBody& body,
                           std::optional<HttpResponse>& refusal);
  Awaitable<HttpResponse> Compute(HttpRequest request, HttpBody body);
  // Runs `work` on a thread of the pool and waits for it; false if too many wait already.
  Awaitable<bool> OnPool(size_t bytes, std::function<void()> work);

  // Responses (responding.cc).
  Awaitable<Next> Send(HttpResponse response, bool keep);
  Awaitable<Next> SendStream(HttpResponse response, bool keep);
  Awaitable<bool> SendPieces(HttpStream& stream);
  // Writes at the pace that the limits demand. False: the connection is closed.
  Awaitable<bool> Write(std::string head, std::string_view body);
  // Ends the sending side and reads what still arrives, so that a reset does not lose the response.
  Awaitable<void> Linger();
  std::string HeadOf(const HttpResponse& response, const std::string& framing) const;

  void Move(Stage stage);
  // False if there is no room for so many bytes, even after other connections were closed.
  bool Hold(size_t bytes);

  HttpServing& serving_;
  const HttpLimits& limits_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::array<char, 16 << 10> piece_;
  Crowd::Id id_ = 0;
  Stage stage_ = Stage::kStranger;
  bool admitted_ = false;   // A request has been admitted.
  bool only_head_ = false;  // HEAD: a response without its body.
  bool chunks_ = true;      // The other side knows chunks (HTTP/1.1).
};

}  // namespace protium
