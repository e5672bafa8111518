// SPDX-License-Identifier: Apache-2.0
// Tables and runs at the stores of Google and Azure, with servers that speak their protocols.
#include "whole/cloud_stores.h"

#include <gtest/gtest.h>

#include "whole/free_port.h"
#include "whole/lake_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

CloudStore* Google(std::string& why) {
  static std::string reason;
  static const std::unique_ptr<CloudStore> store = CloudStore::StartGoogle(reason);
  why = reason;
  return store.get();
}

CloudStore* Azure(std::string& why) {
  static std::string reason;
  static const std::unique_ptr<CloudStore> store = CloudStore::StartAzure(reason);
  why = reason;
  return store.get();
}

#define NEED_CLOUD(store, which)              \
  std::string why_cloud;                      \
  CloudStore* const store = which(why_cloud); \
  if (store == nullptr) GTEST_SKIP() << why_cloud

// A run whose folder is at a store, and what another machine with an empty cache sees of it.
void ExpectRunIsKeptAt(const CloudStore& store, const std::string& runs) {
  const OwnJob own(MachinesTable(600));
  ASSERT_EQ(own.Run().exit, 0);
  const auto at = [&](const char* machine, std::vector<std::string> words) {
    return AtStore(own, store.Environment(own / machine), std::move(words));
  };
  const Outcome run = at("here", {"run", own / "job.toml", "--json", "--runs-dir", runs});
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string address = run.json["folder"];
  EXPECT_TRUE(address.starts_with(runs + "/machines-")) << address;
  const Outcome list = at("there", {"runs", "list", "--json", "--runs-dir", runs});
  ASSERT_EQ(list.json.size(), 1) << list.out << list.err;
  const Outcome shown = at("there", {"inspect", address + "/model", "--json"});
  EXPECT_EQ(shown.json.value("weights_sha256", ""), WeightsOf(own)) << shown.err;
  const Outcome more = at("there", {"resume", address, "--json", "--set", "train.epochs=3"});
  EXPECT_EQ(more.exit, 0) << more.err;
  const Outcome gone = at("here", {"runs", "rm", "last", "--runs-dir", runs});
  EXPECT_EQ(gone.exit, 0) << gone.err;
  EXPECT_FALSE(AnyFileHas(own.path(), store.secret()));
  for (const Outcome& each : {run, list, shown, more, gone}) {
    EXPECT_FALSE(Has(each.out + each.err, store.secret()));
  }
}

// Parquet and CSV of the machines below `place` train the model of local files.
void ExpectTablesAreReadAt(const std::string& place,
                           const std::map<std::string, std::string>& environment,
                           const OwnJob& local, const std::string& connection) {
  for (const char* table : {"parquet = \"{}/*.parquet\"", "csv = \"{}/machines.csv\""}) {
    const OwnJob own(MachinesTable(2),
                     JobOver("{ " + fmt::format(fmt::runtime(table), place) + " }", connection));
    const Outcome run =
        AtStore(own, environment, {"run", own / "job.toml", "--runs-dir", own / "runs"});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(WeightsOf(own), WeightsOf(local)) << table;
    EXPECT_FALSE(AnyFileHas(own.path(), kStoreCanary));
  }
}

// The machines as Parquet and CSV, in own / "lake".
void MakeTables(const OwnJob& own) {
  fs::create_directory(own / "lake");
  const Outcome made = own.Protium({"sql", "SELECT * FROM machines", "--table",
                                    "machines=" + (own / "machines.csv").string(), "--output",
                                    own / "lake/machines.parquet"});
  ASSERT_EQ(made.exit, 0) << made.err;
  fs::copy(own / "machines.csv", own / "lake/machines.csv");
  ASSERT_EQ(own.Run().exit, 0);
}

}  // namespace

TEST(CloudStores, RunsAreKeptAtGoogles) {
  NEED_CLOUD(store, Google);
  ExpectRunIsKeptAt(*store, "gs://lake/runs");
}

TEST(CloudStores, RunsAreKeptAtAzures) {
  NEED_CLOUD(store, Azure);
  ExpectRunIsKeptAt(*store, "abfss://lake@shop.dfs.core.windows.net/runs");
}

TEST(CloudStores, AWrongKeyIsSaidAndNotRepeated) {
  NEED_CLOUD(store, Azure);
  const OwnJob own(MachinesTable(30));
  auto environment = store->Environment(own / "cache");
  std::string& connection = environment.begin()->second;
  connection = With(connection, store->secret(), "d3Jvbmctd3Jvbmc=");
  const Outcome run = AtStore(
      own, environment,
      {"run", own / "job.toml", "--runs-dir", "abfss://lake@shop.dfs.core.windows.net/wrong"});
  EXPECT_EQ(run.exit, 5) << run.err;
  EXPECT_TRUE(Has(run.err, "AZURE_STORAGE_CONNECTION_STRING of the environment")) << run.err;
  EXPECT_FALSE(Has(run.err, "d3Jvbmctd3Jvbmc")) << run.err;
}

TEST(CloudStores, AnAzureThatDoesNotAnswerIsSaid) {
  const OwnJob own(MachinesTable(30));
  const Outcome run =
      AtStore(own,
              {{"AZURE_STORAGE_CONNECTION_STRING",
                fmt::format("AccountName=shop;AccountKey=d3Jvbmctd3Jvbmc=;"
                            "BlobEndpoint=http://127.0.0.1:{}/shop;",
                            FreePort())}},
              {"run", own / "job.toml", "--runs-dir", "abfss://lake@shop.dfs.core.windows.net/r"});
  EXPECT_EQ(run.exit, 5) << run.err;
  EXPECT_TRUE(Has(run.err, "Azure does not answer")) << run.err;
}

TEST(CloudStores, TablesAreReadAtAzures) {
  NEED_EXTENSION("azure", "azure");
  NEED_CLOUD(store, Azure);
  const OwnJob local(MachinesTable(600));
  MakeTables(local);
  store->Put(local / "lake", "tables");
  ExpectTablesAreReadAt("az://lake/tables", store->Environment(), local, "");
}

// Google's reads and lists as Amazon's does, with keys for interoperability.
TEST(CloudStores, TablesAreReadAtGooglesByAmazonsProtocol) {
  NEED_STORE(store);
  const OwnJob local(MachinesTable(600));
  MakeTables(local);
  store->Put(local / "lake", "google");
  ExpectTablesAreReadAt("gs://lake/google", {{"OWN", kStoreCanary}}, local,
                        fmt::format("[connections.lake]\nurl = \"gs://lake\"\nkey = \"own\"\n"
                                    "endpoint = \"{}\"\npassword = {{ env = \"OWN\" }}\n",
                                    store->url()));
}

}  // namespace protium::whole
