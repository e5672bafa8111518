// SPDX-License-Identifier: Apache-2.0
// A registry of schemas on this machine that tests start.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/json.h"
#include "http/server.h"

namespace protium::testing {

// A message as a registry's clients write it.
inline std::string Framed(int32_t id, const std::string& record) {
  std::string bytes(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(id >> shift);
  return bytes + record;
}

// Responds until it is destroyed.
class TestRegistry : private HttpService {
 public:
  TestRegistry() {
    auto server = HttpServer::Bind({.guard = {.host = "127.0.0.1", .verb = "test"}});
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    thread_ = std::jthread(
        [this](const std::stop_token& stop) { EXPECT_TRUE(server_->Serve(*this, stop).ok()); });
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->guard().port); }
  void Add(int32_t id, const std::string& schema, const std::string& type = "AVRO") {
    const std::lock_guard lock(mutex_);
    bodies_["/schemas/ids/" + std::to_string(id)] =
        Dump({{"schemaType", type}, {"schema", schema}});
  }
  // Of a topic.
  void SetNewest(const std::string& topic, const std::string& schema) {
    const std::lock_guard lock(mutex_);
    bodies_["/subjects/" + topic + "-value/versions/latest"] =
        Dump({{"id", 1}, {"version", 1}, {"schema", schema}});
  }
  // What every request is answered with, instead of schemas; 0: schemas.
  void Answer(int status) { status_ = status; }
  void AskFor(const std::string& authorization) {
    const std::lock_guard lock(mutex_);
    authorization_ = authorization;
  }
  // How often it was asked.
  int asked() const { return asked_; }

 private:
  HttpAdmission Admit(const HttpRequest&) override { return {}; }
  HttpResponse Respond(const HttpRequest& request, const std::string&) override {
    ++asked_;
    if (status_ != 0) return Refusal(status_, {.what = "not now"});
    const std::lock_guard lock(mutex_);
    if (request.Header("authorization") != authorization_) {
      return Refusal(401, {.what = "who are you?"});
    }
    const auto found = bodies_.find(request.path);
    if (found == bodies_.end()) return Refusal(404, {.what = "Schema not found"});
    return {.body = found->second};
  }
  std::chrono::milliseconds Drain() override { return std::chrono::milliseconds(0); }

  std::mutex mutex_;
  std::map<std::string, std::string> bodies_;  // By path.
  std::string authorization_;
  std::atomic<int> status_ = 0, asked_ = 0;
  std::unique_ptr<HttpServer> server_;
  std::jthread thread_;  // Last: it uses all of them.
};

}  // namespace protium::testing
