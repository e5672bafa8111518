// SPDX-License-Identifier: Apache-2.0
// One connection: requests, one after another, and their answers. Everything here runs on the
// server's thread, but for what ResponsePool computes. Included by files that are compiled by
// themselves: the library takes long to read.
#pragma once

#include <utility>  // Boost 1.74's awaitable.hpp lacks it.

// The first must stand before the second.
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

// As the completion token of an operation: a failure goes into `error`, and nothing is thrown.
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

  // Until one side closes.
  Awaitable<void> Run();
  // Whatever is under way ends with a failure, but for what is computed.
  void Close();
  Stage stage() const { return stage_; }

 private:
  using HeadParser = boost::beast::http::request_parser<boost::beast::http::empty_body>;
  using BodyParser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;
  // How a connection goes on after a response.
  enum class Next { kRequest, kClose, kGone };

  // Requests (connection.cc).
  Awaitable<Next> TakeRequest();
  Awaitable<Next> TakeBody(HeadParser& head, HttpRequest request, HttpAdmission admission);
  // Gives the refusal of a body that is not taken; false: the connection has gone.
  Awaitable<bool> ReadBody(BodyParser& parser, const HttpAdmission& admission, HttpBody& body,
                           std::optional<HttpResponse>& refusal);
  Awaitable<HttpResponse> Compute(HttpRequest request, HttpBody body);
  // Runs `work` on a thread of the pool and waits for it; false where too many wait already.
  Awaitable<bool> OnPool(size_t bytes, std::function<void()> work);

  // Responses (responding.cc).
  Awaitable<Next> Send(HttpResponse response, bool keep);
  Awaitable<Next> SendStream(HttpResponse response, bool keep);
  Awaitable<bool> SendPieces(HttpStream& stream);
  // At the pace that the limits ask for. False: the connection has gone.
  Awaitable<bool> Write(std::string head, std::string_view body);
  // Ends the sending side and reads what still comes, so that the response is not lost to a reset.
  Awaitable<void> Linger();
  std::string HeadOf(const HttpResponse& response, const std::string& framing) const;

  void Move(Stage stage);
  // False where there is no room for so many bytes, even after others have gone.
  bool Hold(size_t bytes);

  HttpServing& serving_;
  const HttpLimits& limits_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::array<char, 16 << 10> piece_;
  Crowd::Id id_ = 0;
  Stage stage_ = Stage::kStranger;
  bool admitted_ = false;   // A request has been.
  bool only_head_ = false;  // HEAD: a response without its body.
  bool chunks_ = true;      // The other side knows chunks (HTTP/1.1).
};

}  // namespace protium
