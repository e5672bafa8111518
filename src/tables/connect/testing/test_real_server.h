// SPDX-License-Identifier: Apache-2.0
// A session on a real server, whose sc:// address is in PROTIUM_TEST_SPARK.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/fault.h"
#include "connect/session.h"

namespace protium::connect {

class RealServer : public testing::Test {
 protected:
  void SetUp() override {
    const char* const address = std::getenv("PROTIUM_TEST_SPARK");
    if (address == nullptr || *address == '\0') {
      GTEST_SKIP() << "PROTIUM_TEST_SPARK names no server: scripts/spark-server start";
    }
    session_ = Open(address);
  }

  static std::unique_ptr<SparkSession> Open(const std::string& address) {
    const auto parsed = ParseSparkAddress(address);
    EXPECT_TRUE(parsed.ok()) << parsed.status().ToString();
    auto session = SparkSession::Open(*parsed, Call{});
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    return session.ok() ? std::move(*session) : nullptr;
  }

  std::shared_ptr<arrow::Table> Rows(const Relation& relation, ExecuteOptions options = {}) {
    auto stream = session_->Execute(relation, options, call_);
    EXPECT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
    if (!stream.ok()) return nullptr;
    auto batches = Collect(**stream);
    EXPECT_TRUE(batches.ok()) << Render(FaultOf(batches.status()));
    return batches.ok() ? *arrow::Table::FromRecordBatches((*stream)->schema(), *batches) : nullptr;
  }

  Status Failure(const Relation& relation) {
    auto stream = session_->Execute(relation, {}, call_);
    if (!stream.ok()) return stream.status();
    return Collect(**stream).status();
  }

  Call call_{.deadline = Clock::now() + std::chrono::seconds(300)};
  std::unique_ptr<SparkSession> session_;
};

}  // namespace protium::connect
