// SPDX-License-Identifier: Apache-2.0
#include "gang/key_store.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string_view>
#include <vector>

namespace protium {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

int Status(KeyStore& store, const std::string& method, const std::string& path) {
  return store.Ask(method, path, "value").status;
}

TEST(KeyStore, GivesWhatWasPut) {
  KeyStore store;
  EXPECT_EQ(Status(store, "GET", "/global_/0"), 404);
  const std::string address("\0\1 address", 10);
  EXPECT_EQ(store.Ask("PUT", "/global_/0", address).status, 200);
  EXPECT_EQ(store.Ask("GET", "/global_/0", "").body, address);
  EXPECT_EQ(Status(store, "GET", "/local_h/0"), 404);
}

TEST(KeyStore, RefusesWhatNobodyAsks) {
  KeyStore store;
  for (const char* path : {"", "/", "/a", "/a/", "//b", "/a/b/c", "a/b"}) {
    EXPECT_EQ(Status(store, "GET", path), 400) << path;
  }
  EXPECT_EQ(Status(store, "POST", "/a/b"), 400);
}

TEST(KeyStore, EmptiesAScopeThatAllAreDoneWith) {
  KeyStore store;
  for (const char* key : {"/global_/0", "/global_/1", "/global_/rank_0", "/global_/rank_1"}) {
    EXPECT_EQ(Status(store, "PUT", key), 200);
  }
  Status(store, "PUT", "/local_h/0");
  EXPECT_EQ(Status(store, "DELETE", "/global_/0"), 200);
  EXPECT_EQ(Status(store, "GET", "/global_/0"), 200) << "the other one may still ask";
  EXPECT_EQ(Status(store, "DELETE", "/global_/1"), 200);
  EXPECT_EQ(Status(store, "GET", "/global_/0"), 404);
  EXPECT_EQ(Status(store, "GET", "/global_/rank_1"), 404)
      << "it would be taken for the next meeting's";
  EXPECT_EQ(Status(store, "GET", "/local_h/0"), 200);
  EXPECT_EQ(Status(store, "DELETE", "/nobody/0"), 200);
}

TEST(KeyStore, IsBounded) {
  KeyStore store;
  const std::string large(1 << 20, 'x');
  int kept = 0;
  while (store.Ask("PUT", "/a/" + std::to_string(kept), large).status == 200) ++kept;
  EXPECT_EQ(kept, 63);
  for (int again = 0; again < 9; ++again) {
    EXPECT_EQ(store.Ask("PUT", "/a/0", large).status, 200) << "what was there makes room";
  }
}

TEST(KeyStore, CountsNamesAndWhoIsDone) {
  KeyStore store;
  const std::string large(1 << 20, 'x');
  int scopes = 0;
  while (store.Ask("PUT", "/" + large + std::to_string(scopes) + "/0", "").status == 200) ++scopes;
  EXPECT_EQ(scopes, 63);
  for (int i = 0; i < scopes; ++i) store.Ask("DELETE", "/" + large + std::to_string(i) + "/0", "");
  ASSERT_EQ(store.Ask("PUT", "/a/0", large).status, 200) << "what is gone makes room";
  int done = 0;
  while (store.Ask("DELETE", "/a/" + large + std::to_string(done), "").status == 200) ++done;
  EXPECT_EQ(done, 62);
  EXPECT_EQ(store.Ask("DELETE", "/a/0", "").status, 200);
  EXPECT_EQ(store.Ask("PUT", "/b/0", large).status, 200);
}

class KeyServers : public testing::Test {
 protected:
  UniqueFd Connect() {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(uint16_t(server_->port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return fd;
  }
  static void Send(const UniqueFd& fd, std::string_view bytes) {
    ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  // Until the server closes.
  static std::string Read(const UniqueFd& fd) {
    std::string all;
    char bytes[4096];
    for (ssize_t got; (got = ::recv(fd.get(), bytes, sizeof(bytes), 0)) > 0;) {
      all.append(bytes, size_t(got));
    }
    return all;
  }
  std::string Ask(std::string_view bytes) {
    const UniqueFd fd = Connect();
    Send(fd, bytes);
    return Read(fd);
  }

  const std::unique_ptr<KeyServer> server_ = KeyServer::Start(true).ValueOrDie();
};

TEST_F(KeyServers, SpeakHttp) {
  EXPECT_EQ(Ask("GET /global_/0 HTTP/1.1\r\nHost: h\r\n\r\n"),
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(Ask("PUT /global_/0 HTTP/1.1\r\ncontent-length:  5\r\n\r\nab\ncd"),
              StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(Ask("GET /global_/0 HTTP/1.1\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nab\ncd");
}

TEST_F(KeyServers, TakeARequestPieceByPieceAndHearOthersMeanwhile) {
  const UniqueFd slow = Connect();
  for (const char piece : std::string_view("PUT /a/b HTTP/1.1\r\nContent-Length: 3\r\n\r\nxy")) {
    Send(slow, {&piece, 1});
  }
  EXPECT_THAT(Ask("GET /a/b HTTP/1.1\r\n\r\n"), HasSubstr("404"));
  Send(slow, "z");
  EXPECT_THAT(Read(slow), HasSubstr("200 OK"));
  EXPECT_THAT(Ask("GET /a/b HTTP/1.1\r\n\r\n"), HasSubstr("\r\n\r\nxyz"));
}

TEST_F(KeyServers, TurnOutWhatIsNoRequestOfTheirs) {
  EXPECT_THAT(Ask("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Ask("PUT /a/b HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Ask("PUT /a/b HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  { const UniqueFd gone = Connect(); }
  EXPECT_THAT(Ask("GET /a/b HTTP/1.1\r\n\r\n"), HasSubstr("404"));
}

}  // namespace
}  // namespace protium
