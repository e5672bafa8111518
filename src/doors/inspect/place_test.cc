// SPDX-License-Identifier: Apache-2.0
#include "inspect/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/fault.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

using testing::HasSubstr;

TEST(ReadPlace, TakesServersWithAndWithoutTables) {
  const TypedPlace place = ReadPlace("postgres://me@db/shop#public.orders").ValueOrDie();
  EXPECT_EQ(place.source->kind, SourceKind::kPostgres);
  EXPECT_EQ(place.source->table, "public.orders");
  EXPECT_EQ(place.source->connection.url, "postgres://me@db/shop");
  EXPECT_EQ(place.name(), "orders");
  EXPECT_EQ(place.text(), "postgresql://me@db/shop#public.orders");
  EXPECT_TRUE(place.elsewhere());
  EXPECT_FALSE(place.is_database());
  EXPECT_TRUE(ReadPlace("mysql://me@db/crm").ValueOrDie().is_database());
  const TypedPlace named =
      ReadPlace("mysql://me@db/crm", {.table = "users", .password = {.env = "PW"}}).ValueOrDie();
  EXPECT_EQ(named.source->table, "users");
  EXPECT_EQ(named.source->connection.password.env, "PW");
}

TEST(ReadPlace, RefusesPasswordsInUrlsWithoutRepeatingThem) {
  const Fault fault = FaultOf(ReadPlace("postgres://me:canary@db/shop").status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_THAT(fault.what, HasSubstr("holds a password"));
  for (const std::string& part : {fault.what, fault.where, fault.why, fault.fix}) {
    EXPECT_EQ(part.find("canary"), part.npos) << part;
  }
}

TEST(ReadPlace, TellsFilesByTheirFirstBytes) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
  std::ofstream(path("notes.db")) << std::string("SQLite format 3\0 and more", 25);
  std::ofstream(path("shops")) << "12345678DUCK and more";
  std::ofstream(path("a#b.csv")) << "a,b\n1,2\n";
  const TypedPlace notes = ReadPlace(path("notes.db") + "#notes").ValueOrDie();
  EXPECT_EQ(notes.source->kind, SourceKind::kSqlite);
  EXPECT_EQ(notes.source->file, path("notes.db"));
  EXPECT_EQ(notes.source->table, "notes");
  EXPECT_EQ(notes.text(), path("notes.db") + "#notes");
  EXPECT_EQ(ReadPlace(path("shops")).ValueOrDie().source->kind, SourceKind::kDuckDb);
  EXPECT_FALSE(ReadPlace(path("a#b.csv")).ValueOrDie().source);
  EXPECT_EQ(ReadPlace(path("a#b.csv")).ValueOrDie().name(), "a#b");
  EXPECT_FALSE(ReadPlace(path("new.db") + "#t").ValueOrDie().source);
  EXPECT_EQ(ReadPlace(path("new.db") + "#t", {}, true).ValueOrDie().source->kind,
            SourceKind::kSqlite);
  EXPECT_EQ(FaultOf(ReadPlace(path("a#b.csv"), {.table = "t"}).status()).exit, Exit::kUsage);
}

TEST(ReadPlace, TakesSheetsAndVersions) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  std::filesystem::create_directories(folder.path() / "lake/_delta_log");
  std::ofstream(folder.path() / "plan.xlsx") << "PK";
  const std::string lake = (folder.path() / "lake").string();
  EXPECT_EQ(ReadPlace(lake + "#12").ValueOrDie().source->version, 12);
  EXPECT_EQ(ReadPlace(lake).ValueOrDie().source->version, std::nullopt);
  EXPECT_EQ(ReadPlace(lake).ValueOrDie().name(), "lake");
  EXPECT_EQ(FaultOf(ReadPlace(lake + "#last").status()).exit, Exit::kUsage);
  const TypedPlace plan = ReadPlace((folder.path() / "plan.xlsx").string() + "#2026").ValueOrDie();
  EXPECT_EQ(plan.source->table, "2026");
  EXPECT_EQ(plan.name(), "plan");
}

TEST(ReadPlace, NamesFilesAtAnObjectStoreAfterTheirFolder) {
  const TypedPlace place = *ReadPlace("s3://lake/trips/*/*.parquet");
  EXPECT_TRUE(place.elsewhere());
  EXPECT_FALSE(place.is_database());
  EXPECT_EQ(place.name(), "trips");
  EXPECT_EQ(place.text(), "s3://lake/trips/*/*.parquet");
  EXPECT_EQ(ReadPlace("s3://lake/shops.parquet")->name(), "shops");
  EXPECT_EQ(ReadPlace("s3://lake/shops.csv.gz")->name(), "shops");
  for (const char* typed : {"s3://lake/events", "s3://lake/a.xlsx", "s3://k:s@lake/a.parquet"}) {
    EXPECT_EQ(FaultOf(ReadPlace(typed).status()).exit, Exit::kUsage) << typed;
  }
  EXPECT_FALSE(ReadPlace("s3://lake/a.parquet", {.table = "t"}).ok());
  EXPECT_FALSE(ReadPlace("s3://lake/a.parquet", {}, true).ok());
}

}  // namespace
}  // namespace protium
