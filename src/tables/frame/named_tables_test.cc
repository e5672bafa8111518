// SPDX-License-Identifier: Apache-2.0
#include "frame/named_tables.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "base/fault.h"
#include "frame/session_state.h"
#include "protium/kept.h"
#include "store/local_store.h"
#include "store/testing/flip.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class NamedTables : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "named-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    Write("1\n2\n3\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& rows) { std::ofstream(folder_ / "t.csv") << "x\n" << rows; }
  std::unique_ptr<Session> Open(const fs::path& run = {}, bool resume = false) {
    SessionOptions options{.folder = run, .base = folder_, .resume = resume};
    options.store = folder_ / "store";
    options.call.events = [this](const Json& event) {
      if (TextAt(event, "event") == "note") notes_ += TextAt(event, "message") + "\n";
    };
    auto session = OpenSession(std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    return std::move(*session);
  }
  static Result<DataFrame> KeepAll(Session& session, const std::string& name,
                                   const std::string& sql = "SELECT x FROM t") {
    session.Table("t", session.Read().File("t.csv"));
    return Keep(session.Sql(sql), name);
  }
  static int64_t Sum(Session& session, const DataFrame& frame) {
    session.Table("kept", frame);
    const auto stream = session.Sql("SELECT CAST(sum(x) AS BIGINT) AS s FROM kept").Stream();
    EXPECT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
    const auto batch = stream.ok() ? *(*stream)->Next() : nullptr;
    return batch == nullptr ? -1 : std::stoll((*batch->column(0)->GetScalar(0))->ToString());
  }
  std::unique_ptr<LocalStore> Store() { return *LocalStore::Open({.folder = folder_ / "store"}); }

  fs::path folder_;
  std::string notes_;
};

TEST_F(NamedTables, AreFoundByOtherSessionsAndStayAsTheyAre) {
  {
    const auto session = Open();
    const auto kept = KeepAll(*session, "clean");
    ASSERT_TRUE(kept.ok()) << Render(FaultOf(kept.status()));
    EXPECT_EQ(Sum(*session, *kept), 6);
  }
  EXPECT_THAT(notes_, HasSubstr("kept as clean, version 1: 3 rows"));
  notes_.clear();
  const auto other = Open();
  EXPECT_EQ(Sum(*other, Kept(*other, "clean")), 6);
  EXPECT_EQ(notes_, "");
  Write("10\n");
  EXPECT_EQ(Sum(*other, other->Read().File("kept:clean")), 6);
  EXPECT_THAT(notes_, HasSubstr("clean holds rows of " + (folder_ / "t.csv").string() +
                                " as it was when a session kept them"));
  const auto manifest = Store()->Peek(Store()->refs().Get("table/clean").ValueOrDie()->object);
  ASSERT_TRUE(manifest.has_value());
  EXPECT_TRUE(manifest->synced);
  EXPECT_EQ(manifest->inputs.size(), 1u);
  EXPECT_THAT(TextAt(manifest->facts, "plan"), HasSubstr("SELECT x FROM t"));
}

TEST_F(NamedTables, TheSameRowsAreTheSameVersionAndOthersTheNext) {
  const auto session = Open();
  ASSERT_TRUE(KeepAll(*session, "clean").ok());
  const DataFrame before = Kept(*session, "clean");
  ASSERT_TRUE(KeepAll(*session, "clean").ok());
  EXPECT_EQ(Store()->refs().Get("table/clean").ValueOrDie()->version, 1);
  ASSERT_TRUE(KeepAll(*session, "clean", "SELECT x + 1 AS x FROM t").ok());
  EXPECT_EQ(Store()->refs().Get("table/clean").ValueOrDie()->version, 2);
  EXPECT_EQ(Sum(*session, Kept(*session, "clean")), 9);
  // A frame goes on with what it began with.
  EXPECT_EQ(Sum(*session, before), 6);
}

TEST_F(NamedTables, DoNotGiveWayAndAreNotRemovedWhileTheyAreRead) {
  auto session = Open();
  auto kept = KeepAll(*session, "clean");
  ASSERT_TRUE(kept.ok());
  const auto store = Store();
  ASSERT_TRUE(store->GiveWay(int64_t{1} << 40).ok());
  const std::string object = store->refs().Get("table/clean").ValueOrDie()->object;
  EXPECT_FALSE(*store->Remove(object));
  // Under another name, too, for as long as a session has it.
  session->Table("other", *kept);
  kept = Status::KeyError("none");
  EXPECT_FALSE(*store->Remove(object));
  session.reset();
  ASSERT_TRUE(store->GiveWay(int64_t{1} << 40).ok());
  session = Open();
  EXPECT_EQ(Sum(*session, Kept(*session, "clean")), 6);
}

TEST_F(NamedTables, OfTwoAtTheSameTimeTheSecondIsRefused) {
  const auto session = Open();
  const auto store = Store();
  ASSERT_TRUE(KeepAll(*session, "clean").ok());
  // Another session keeps its own while this one runs its SQL.
  bool kept = false;
  SessionOptions options{.base = folder_, .store = folder_ / "store"};
  options.call.events = [&](const Json&) {
    if (std::exchange(kept, true)) return;
    EXPECT_TRUE(KeepAll(*session, "clean", "SELECT x + 1 AS x FROM t").ok());
  };
  const auto second = std::move(*OpenSession(std::move(options)));
  second->Table("t", second->Read().File("t.csv"));
  kept = false;
  const auto refused = Keep(second->Sql("SELECT x + 2 AS x FROM t").Materialize("etl"), "clean");
  ASSERT_TRUE(kept);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(FaultOf(refused.status()).what,
              HasSubstr("a session has kept another table as clean since this one began"));
  EXPECT_EQ(Sum(*session, Kept(*session, "clean")), 9);
}

TEST_F(NamedTables, ThatAreDamagedAreNeverRead) {
  ASSERT_TRUE(KeepAll(*Open(), "clean").ok());
  const auto store = Store();
  const std::string object = store->refs().Get("table/clean").ValueOrDie()->object;
  FlipBit(store->folder() / "objects" / object.substr(0, 2) / object / "rows.parquet");
  const auto session = Open();
  const Fault fault = FaultOf(Kept(*session, "clean").Schema().status());
  EXPECT_EQ(fault.what, "the table kept as clean is damaged or gone");
  EXPECT_THAT(fault.fix, HasSubstr("protium cache rm clean"));
  ASSERT_TRUE(KeepAll(*session, "clean").ok());
  EXPECT_EQ(Sum(*session, Kept(*session, "clean")), 6);
}

TEST_F(NamedTables, AResumedRunReadsWhatItBeganWith) {
  ASSERT_TRUE(KeepAll(*Open(), "clean").ok());
  {
    const auto run = Open(folder_ / "run");
    EXPECT_EQ(Sum(*run, Kept(*run, "clean")), 6);
  }
  ASSERT_TRUE(KeepAll(*Open(), "clean", "SELECT x + 1 AS x FROM t").ok());
  const auto resumed = Open(folder_ / "run", true);
  EXPECT_EQ(Sum(*resumed, Kept(*resumed, "clean")), 6);
}

TEST_F(NamedTables, WhatCannotBeIsRefusedByName) {
  const auto session = Open();
  EXPECT_EQ(FaultOf(KeepAll(*session, "a/b").status()).what, "a table cannot be kept as \"a/b\"");
  ASSERT_TRUE(KeepAll(*session, "clean").ok());
  const Fault unknown = FaultOf(Kept(*session, "claen").Schema().status());
  EXPECT_EQ(unknown.what, "no table is kept as \"claen\"");
  EXPECT_EQ(unknown.fix, "did you mean \"clean\"?");
  const Fault options =
      FaultOf(session->Read().Partitions({"d"}).File("kept:clean").Schema().status());
  EXPECT_EQ(options.what, "a kept table has no folders with values of columns");
  EXPECT_FALSE(session->Read().File("kept:clean", {.null = "NA"}).Schema().ok());
}

}  // namespace
}  // namespace protium
