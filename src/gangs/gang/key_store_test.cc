// SPDX-License-Identifier: Apache-2.0
#include "gang/key_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "http/testing/test_client.h"

namespace protium {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

int Status(KeyStore& store, const std::string& method, const std::string& path) {
  return store.Respond(method, path, "value").status;
}

TEST(KeyStore, GivesWhatWasPut) {
  KeyStore store;
  EXPECT_EQ(Status(store, "GET", "/global_/0"), 404);
  const std::string address("\0\1 address", 10);
  EXPECT_EQ(store.Respond("PUT", "/global_/0", address).status, 200);
  EXPECT_EQ(store.Respond("GET", "/global_/0", "").body, address);
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
  while (store.Respond("PUT", "/a/" + std::to_string(kept), large).status == 200) ++kept;
  EXPECT_EQ(kept, 63);
  for (int again = 0; again < 9; ++again) {
    EXPECT_EQ(store.Respond("PUT", "/a/0", large).status, 200) << "what was there makes room";
  }
}

TEST(KeyStore, CountsNamesAndWhoIsDone) {
  KeyStore store;
  const std::string large(1 << 20, 'x');
  int scopes = 0;
  while (store.Respond("PUT", "/" + large + std::to_string(scopes) + "/0", "").status == 200)
    ++scopes;
  EXPECT_EQ(scopes, 63);
  for (int i = 0; i < scopes; ++i)
    store.Respond("DELETE", "/" + large + std::to_string(i) + "/0", "");
  ASSERT_EQ(store.Respond("PUT", "/a/0", large).status, 200) << "what is gone makes room";
  int done = 0;
  while (store.Respond("DELETE", "/a/" + large + std::to_string(done), "").status == 200) ++done;
  EXPECT_EQ(done, 62);
  EXPECT_EQ(store.Respond("DELETE", "/a/0", "").status, 200);
  EXPECT_EQ(store.Respond("PUT", "/b/0", large).status, 200);
}

class KeyServers : public testing::Test {
 protected:
  std::string Ask(std::string_view bytes) {
    TestClient client(server_->port());
    client.Send(bytes);
    return client.ReadAll();
  }

  const std::unique_ptr<KeyServer> server_ = KeyServer::Start(true).ValueOrDie();
};

TEST_F(KeyServers, SpeakHttp) {
  EXPECT_THAT(Ask("GET /global_/0 HTTP/1.1\r\nHost: h\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 404 Not Found\r\n"), HasSubstr("Content-Length: 0\r\n"),
                    HasSubstr("Connection: close\r\n")));
  EXPECT_THAT(Ask("PUT /global_/0 HTTP/1.1\r\nHost: h\r\ncontent-length:  5\r\n\r\nab\ncd"),
              StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(Ask("GET /global_/0 HTTP/1.1\r\nHost: h\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("\r\n\r\nab\ncd")));
}

TEST_F(KeyServers, TakeARequestPieceByPieceAndHearOthersMeanwhile) {
  TestClient slow(server_->port());
  for (const char piece :
       std::string_view("PUT /a/b HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nxy")) {
    slow.Send({&piece, 1});
  }
  EXPECT_THAT(Ask("GET /a/b HTTP/1.1\r\nHost: h\r\n\r\n"), HasSubstr("404"));
  slow.Send("z");
  EXPECT_THAT(slow.ReadAll(), HasSubstr("200 OK"));
  EXPECT_THAT(Ask("GET /a/b HTTP/1.1\r\nHost: h\r\n\r\n"), EndsWith("\r\n\r\nxyz"));
}

TEST_F(KeyServers, RefuseWhatIsNoRequestOfTheirs) {
  EXPECT_THAT(Ask("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Ask("PUT /a/b HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(Ask("PUT /a/b HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
  { const TestClient gone(server_->port()); }
  EXPECT_THAT(Ask("GET /a/b HTTP/1.1\r\nHost: h\r\n\r\n"), HasSubstr("404"));
}

}  // namespace
}  // namespace protium
