// SPDX-License-Identifier: Apache-2.0
// Against a server that answers as stores do.
#include "objects/put_new.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/fault.h"
#include "http/library.h"

namespace protium {
namespace {

class FakeStore {
 public:
  // Answers the first `busy` requests with 503, and the others with `status`.
  FakeStore(int busy, int status, const std::string& code = "Because") {
    server_.Put(".*", [=, this](const httplib::Request& request, httplib::Response& answer) {
      path_ = request.path;
      condition_ = request.get_header_value("If-None-Match");
      answer.status = requests_++ < busy ? 503 : status;
      answer.set_content("<Error><Code>" + code + "</Code></Error>", "application/xml");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::jthread([this] { server_.listen_after_bind(); });
  }
  ~FakeStore() { server_.stop(); }

  Result<bool> Put() const {
    return PutNewObject(
        {.key = "k", .secret = "canary", .endpoint = "http://127.0.0.1:" + std::to_string(port_)},
        "s3://lake/a b/0.json", "text");
  }

  httplib::Server server_;
  std::atomic<int> requests_ = 0;
  std::string path_, condition_;
  int port_ = 0;
  std::jthread thread_;
};

TEST(PutNewObject, AsksForAnObjectThatIsNotThere) {
  const FakeStore store(0, 200);
  const auto put = store.Put();
  ASSERT_TRUE(put.ok()) << put.status();
  EXPECT_TRUE(*put);
  EXPECT_EQ(store.path_, "/lake/a b/0.json");
  EXPECT_EQ(store.condition_, "*");
}

TEST(PutNewObject, SaysWhetherOneWasThere) {
  const FakeStore store(0, 412);
  const auto put = store.Put();
  ASSERT_TRUE(put.ok()) << put.status();
  EXPECT_FALSE(*put);
}

TEST(PutNewObject, TriesAgainWhereTheStoreIsBusyAndNotForever) {
  const FakeStore twice(2, 200);
  EXPECT_TRUE(*twice.Put());
  EXPECT_EQ(twice.requests_, 3);
  const FakeStore always(100, 200);
  const Fault fault = FaultOf(always.Put().status());
  EXPECT_EQ(fault.exit, Exit::kRemote);
  EXPECT_EQ(fault.what, "the object store is too busy, after 5 tries");
  EXPECT_EQ(fault.why, "Because");
  EXPECT_EQ(always.requests_, 5);
}

TEST(PutNewObject, SaysThatTheClockIsOff) {
  const FakeStore store(0, 403, "RequestTimeTooSkewed");
  EXPECT_EQ(FaultOf(store.Put().status()).what,
            "the object store refuses the time of this machine");
}

TEST(PutNewObject, SaysWhatAStoreRefusesWithoutTheKey) {
  for (const auto& [status, what] : {std::pair{501, "cannot write an object only if there is none"},
                                     {403, "refuses the key"},
                                     {404, "answers 404"}}) {
    const FakeStore store(0, status);
    const Status refused = store.Put().status();
    EXPECT_NE(FaultOf(refused).what.find(what), std::string::npos) << refused;
    EXPECT_EQ(refused.ToString().find("canary"), std::string::npos);
    EXPECT_EQ(store.requests_, 1);
  }
}

}  // namespace
}  // namespace protium
