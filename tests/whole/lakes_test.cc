// SPDX-License-Identifier: Apache-2.0
// Tables in lakes and at object stores: Parquet, Delta and Iceberg, here and at a real server.
#include <gtest/gtest.h>

#include "whole/free_port.h"
#include "whole/lake_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// The machines as Parquet in folders by kind, below own / "lake".
void MakeParquet(const OwnJob& own) {
  for (const char* kind : {"press", "lathe", "mill"}) {
    fs::create_directories(own / "lake" / ("kind=" + std::string(kind)));
    const Outcome made = own.Protium(
        {"sql", fmt::format("SELECT id, age, load, hours FROM machines WHERE kind = '{}'", kind),
         "--table", "machines=" + (own / "machines.csv").string(), "--output",
         own / "lake" / ("kind=" + std::string(kind)) / "part.parquet"});
    ASSERT_EQ(made.exit, 0) << made.err;
  }
}

// What a Delta log's first entries say: the protocol, and a table of the machines.
std::string DeltaTable() {
  const char* const field =
      R"({{\"name\":\"{}\",\"type\":\"{}\",\"nullable\":true,\"metadata\":{{}}}})";
  std::string fields;
  for (const auto& [name, type] : {std::pair{"id", "long"},
                                   {"kind", "string"},
                                   {"age", "long"},
                                   {"load", "double"},
                                   {"hours", "double"}}) {
    fields += (fields.empty() ? "" : ",") + fmt::format(fmt::runtime(field), name, type);
  }
  return R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})"
         "\n"
         R"({"metaData":{"id":"2f6a","format":{"provider":"parquet","options":{}},)"
         R"("schemaString":"{\"type\":\"struct\",\"fields\":[)" +
         fields +
         R"(]}","partitionColumns":[],"configuration":{},"createdTime":1})"
         "}\n";
}

// Version `version` of the table in own / "delta" adds the machines that `where` selects.
void AddDeltaVersion(const OwnJob& own, int version, const std::string& where, int64_t millis) {
  const std::string part = fmt::format("part-{}.parquet", version);
  fs::create_directories(own / "delta/_delta_log");
  const Outcome made = own.Protium({"sql", "SELECT * FROM machines WHERE " + where, "--table",
                                    "machines=" + (own / "machines.csv").string(), "--output",
                                    own / "delta" / part});
  ASSERT_EQ(made.exit, 0) << made.err;
  own.Write(fmt::format("delta/_delta_log/{:020}.json", version),
            fmt::format(R"({{"commitInfo":{{"timestamp":{},"operation":"WRITE"}}}})"
                        "\n",
                        millis) +
                (version == 0 ? DeltaTable() : "") +
                fmt::format(R"({{"add":{{"path":"{}","partitionValues":{{}},"size":{},)"
                            R"("modificationTime":1,"dataChange":true}}}})"
                            "\n",
                            part, fs::file_size(own / "delta" / part)));
}

}  // namespace

TEST(Lakes, ParquetAtAnObjectStoreTrainsTheModelOfLocalFilesAndNoSecretIsLeft) {
  NEED_STORE(store);
  const OwnJob local(MachinesTable(600),
                     JobOver("{ parquet = \"lake\", partitions = [\"kind\"] }"));
  MakeParquet(local);
  const Outcome here = local.Run();
  ASSERT_EQ(here.exit, 0) << here.err;
  store->Put(local / "lake", "same");
  const OwnJob own(
      MachinesTable(2),
      JobOver("{ parquet = \"s3://lake/same/*/*.parquet\", partitions = [\"kind\"] }"));
  const Outcome run = RunAtStore(own, *store);
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(WeightsOf(own), WeightsOf(local));
  EXPECT_FALSE(Has(run.out + run.err, kStoreCanary));
  EXPECT_FALSE(AnyFileHas(own.path(), kStoreCanary));
}

TEST(Lakes, AConnectionSaysWhoAsksAtAStore) {
  NEED_STORE(store);
  const OwnJob own(
      MachinesTable(600),
      JobOver("{ parquet = \"s3://lake/mine/*/*.parquet\", partitions = [\"kind\"] }",
              fmt::format("[connections.lake]\nurl = \"s3://lake\"\nkey = \"own\"\nregion = "
                          "\"us-east-1\"\nendpoint = \"{}\"\npassword = {{ env = \"OWN\" }}\n",
                          store->url())));
  MakeParquet(own);
  store->Put(own / "lake", "mine");
  Outcome run = AtStore(own, {{"OWN", kStoreCanary}},
                        {"run", (own / "job.toml").string(), "--runs-dir", own / "runs"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_FALSE(AnyFileHas(own.path(), kStoreCanary));
  run = AtStore(own, {}, {"run", (own / "job.toml").string(), "--runs-dir", own / "runs"});
  EXPECT_EQ(run.exit, 2) << run.err;
  EXPECT_TRUE(Has(run.err, "the environment variable OWN")) << run.err;
}

TEST(Lakes, AResumedRunReadsTheObjectsThatItBeganWith) {
  NEED_STORE(store);
  const OwnJob own(
      MachinesTable(600),
      JobOver("{ parquet = \"s3://lake/again/*/*.parquet\", partitions = [\"kind\"] }"));
  MakeParquet(own);
  store->Put(own / "lake", "again");
  ASSERT_EQ(RunAtStore(own, *store).exit, 0);
  const std::string run = FirstRun(own);
  fs::rename(own / "lake/kind=mill/part.parquet", own / "more.parquet");
  fs::create_directories(own / "new/kind=mill");
  fs::copy(own / "more.parquet", own / "new/kind=mill/other.parquet");
  store->Put(own / "new", "again");
  Outcome resumed = AtStore(own, store->Environment(), {"resume", run, "--set", "train.epochs=3"});
  EXPECT_EQ(resumed.exit, 0) << resumed.err;
  store->Delete("again/kind=mill/part.parquet");
  resumed = AtStore(own, store->Environment(), {"resume", run, "--set", "train.epochs=4"});
  EXPECT_EQ(resumed.exit, 3) << resumed.err;
  EXPECT_TRUE(Has(resumed.err, "the object s3://lake/again/kind=mill/part.parquet is gone"))
      << resumed.err;
}

TEST(Lakes, WhatIsWrongAtAStoreIsSaidBeforeAnythingStarts) {
  NEED_STORE(store);
  const auto fails = [&](const std::string& table, int exit, const std::string& says,
                         const std::map<std::string, std::string>& environment) {
    const OwnJob own(MachinesTable(2), JobOver(table));
    const Outcome run =
        AtStore(own, environment, {"run", (own / "job.toml").string(), "--runs-dir", own / "runs"});
    EXPECT_EQ(run.exit, exit) << run.err;
    EXPECT_TRUE(Has(run.err, says)) << run.err;
    EXPECT_FALSE(Has(run.err, kStoreCanary)) << run.err;
  };
  const auto environment = store->Environment();
  fails("{ parquet = \"s3://lake/none/*.parquet\" }", 3, "no object of the store matches",
        environment);
  fails("{ parquet = \"s3://no-such-bucket/*.parquet\" }", 3, "there is no such place",
        environment);
  fails("{ csv = \"s3://lake/none/*.csv\" }", 3, "no object of the store matches", environment);
  fails("\"s3://lake/a.arrow\"", 2, "Parquet, CSV and JSON lines are read", environment);
  fails("\"s3://lake/a.bin\"", 2, "does not say which format", environment);
  fails("{ parquet = \"s3://AK:" + std::string(kStoreCanary) + "@lake/a.parquet\" }", 2,
        "holds a key", environment);
  fails("{ sqlite = \"s3://lake/a.db\", table = \"t\" }", 2, "is not read at an object store",
        environment);
  auto away = environment;
  away["AWS_ENDPOINT_URL"] = "http://127.0.0.1:9";
  fails("{ parquet = \"s3://lake/same/*.parquet\" }", 5, "no object store answers", away);
  fails("{ parquet = \"s3://lake/same/*.parquet\" }", 5, "nothing says who asks",
        {{"HOME", "/nonexistent"},
         {"AWS_ENDPOINT_URL", store->url()},
         {"AWS_EC2_METADATA_DISABLED", "true"}});
}

TEST(Lakes, AStoreThatIsBusyIsAskedAgainAndNotForever) {
  NEED_EXTENSION("httpfs", "s3");
  std::string why;
  const auto store = ObjectServer::Start(4, why);
  if (store == nullptr) GTEST_SKIP() << why;
  const OwnJob own(MachinesTable(90));
  MakeParquet(own);
  store->Put(own / "lake", "busy");
  const std::string table = "{ parquet = \"s3://lake/busy/*/*.parquet\" }";
  EXPECT_EQ(CountOf(own, store.get(), table), "\"n\",\"ids\"\n90,4005\n");
  store->SetAway(true);
  const auto since = std::chrono::steady_clock::now();
  const std::string said = CountOf(own, store.get(), table);
  EXPECT_TRUE(Has(said, "the object store")) << said;
  EXPECT_TRUE(Has(said, "503")) << said;
  EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds(30));
}

TEST(Lakes, AClockThatMayBeOffIsSaid) {
  NEED_EXTENSION("httpfs", "s3");
  std::string why;
  const auto store = ObjectServer::Start(0, why);
  if (store == nullptr) GTEST_SKIP() << why;
  store->SetSkewed();
  const std::string said =
      CountOf(OwnJob(), store.get(), "{ parquet = \"s3://lake/a/*.parquet\" }");
  EXPECT_TRUE(Has(said, "a clock that is minutes off is refused, too")) << said;
}

// An authority that nobody has heard of, and a server that answers nothing else.
constexpr const char* kStranger = R"(import http.server, ssl, subprocess, sys
port, folder = int(sys.argv[1]), sys.argv[2]
subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1",
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder + "/key", "-out", folder + "/certificate"],
               check=True, capture_output=True)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "/certificate", folder + "/key")
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), http.server.SimpleHTTPRequestHandler)
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
server.serve_forever()
)";

TEST(Lakes, ACertificateOfAStrangerIsRefused) {
  NEED_EXTENSION("httpfs", "s3");
  NEED_EXTENSION("iceberg", "iceberg");
  const OwnJob own;
  const int port = FreePort();
  Running stranger({"/usr/bin/env", "python3", "-c", kStranger, std::to_string(port), own.path()},
                   own.path());
  ASSERT_TRUE(AwaitAnswer(port, stranger));
  const std::string url = "https://127.0.0.1:" + std::to_string(port);
  const auto refused = [&](const std::string& table, const std::string& says) {
    own.Write("job.toml", JobOver(table));
    const Outcome run = AtStore(own,
                                {{"AWS_ACCESS_KEY_ID", "k"},
                                 {"AWS_SECRET_ACCESS_KEY", kStoreCanary},
                                 {"AWS_ENDPOINT_URL", url}},
                                {"run", (own / "job.toml").string(), "--runs-dir", own / "runs"});
    EXPECT_EQ(run.exit, 5) << run.err;
    EXPECT_TRUE(Has(run.err, says)) << run.err;
  };
  refused("{ parquet = \"s3://lake/a/*.parquet\" }",
          "the certificate of the object store is not trusted");
  refused("{ iceberg = \"sales.prices\", catalog = \"" + url + "\" }",
          "the certificate of the catalogue is not trusted");
}

TEST(Lakes, TenThousandSmallFilesAreATable) {
  NEED_EXTENSION("delta", "delta");
  constexpr int kFiles = 10'000;
  const OwnJob own(MachinesTable(3));
  AddDeltaVersion(own, 0, "id < 3", 1'700'000'000'000);
  const auto bytes = fs::file_size(own / "delta/part-0.parquet");
  std::string log = own.Text("delta/_delta_log/00000000000000000000.json");
  for (int i = 1; i < kFiles; ++i) {
    const std::string name = fmt::format("small-{}.parquet", i);
    fs::create_hard_link(own / "delta/part-0.parquet", own / "delta" / name);
    log += fmt::format(R"({{"add":{{"path":"{}","partitionValues":{{}},"size":{},)"
                       R"("modificationTime":1,"dataChange":true}}}})"
                       "\n",
                       name, bytes);
  }
  own.Write("delta/_delta_log/00000000000000000000.json", log);
  EXPECT_EQ(CountOf(own, nullptr, "{ delta = \"delta\" }"),
            fmt::format("\"n\",\"ids\"\n{},{}\n", 3 * kFiles, 3 * kFiles));
}

TEST(Lakes, AnObjectThatIsCutOrGoneIsNamed) {
  NEED_STORE(store);
  NEED_EXTENSION("delta", "delta");
  const OwnJob own(MachinesTable(90));
  MakeParquet(own);
  store->Put(own / "lake", "cut");
  const std::string whole = own.Text("lake/kind=mill/part.parquet");
  store->PutText("cut/kind=mill/part.parquet", whole.substr(0, whole.size() / 2));
  const std::string cut =
      CountOf(own, store, "{ parquet = \"s3://lake/cut/*/*.parquet\", partitions = [\"kind\"] }");
  EXPECT_TRUE(Has(cut, "cut/kind=mill/part.parquet")) << cut;
  AddDeltaVersion(own, 0, "id < 10", 1'700'000'000'000);
  AddDeltaVersion(own, 1, "id >= 10", 1'800'000'000'000);
  store->Put(own / "delta", "vacuumed");
  store->Delete("vacuumed/part-0.parquet");
  fs::remove(own / "delta/part-0.parquet");
  for (const std::string place : {"delta", "s3://lake/vacuumed"}) {
    const std::string gone = CountOf(own, store, "{ delta = \"" + place + "\" }");
    EXPECT_TRUE(Has(gone, "part-0.parquet")) << gone;
  }
}

TEST(Lakes, ParquetFilesWithOtherColumnsAreRefused) {
  NEED_STORE(store);
  const OwnJob own(MachinesTable(600), JobOver("{ parquet = \"s3://lake/mixed/*.parquet\" }"));
  fs::create_directories(own / "lake");
  for (const auto& [file, columns] : {std::pair{"a", "id, age"}, {"b", "id, age, load"}}) {
    const Outcome made = own.Protium({"sql", fmt::format("SELECT {} FROM machines", columns),
                                      "--table", "machines=" + (own / "machines.csv").string(),
                                      "--output", own / "lake" / (std::string(file) + ".parquet")});
    ASSERT_EQ(made.exit, 0) << made.err;
  }
  store->Put(own / "lake", "mixed");
  const Outcome run = RunAtStore(own, *store);
  EXPECT_EQ(run.exit, 3) << run.err;
  EXPECT_TRUE(Has(run.err, "have different columns")) << run.err;
  EXPECT_TRUE(Has(run.err, "s3://lake/mixed/b.parquet")) << run.err;
}

TEST(Lakes, ADeltaTableIsReadAtItsVersionOrTimeHereAndAtAStore) {
  NEED_EXTENSION("delta", "delta");
  const OwnJob own(MachinesTable(100));
  AddDeltaVersion(own, 0, "id < 10", 1'700'000'000'000);  // 2023-11-14 22:13:20
  AddDeltaVersion(own, 1, "id >= 10", 1'800'000'000'000);
  std::string why;
  const ObjectServer* const store = HasExtension("httpfs") ? Store(why) : nullptr;
  if (store != nullptr) store->Put(own / "delta", "delta");
  for (const std::string place : {"delta", "s3://lake/delta"}) {
    if (place != "delta" && store == nullptr) continue;
    const std::string table = "{ delta = \"" + place + "\"";
    EXPECT_EQ(CountOf(own, store, table + " }"), "\"n\",\"ids\"\n100,4950\n") << place;
    EXPECT_EQ(CountOf(own, store, table + ", version = 0 }"), "\"n\",\"ids\"\n10,45\n");
    EXPECT_EQ(CountOf(own, store, table + ", timestamp = \"2023-11-15\" }"),
              "\"n\",\"ids\"\n10,45\n");
    EXPECT_TRUE(Has(CountOf(own, store, table + ", timestamp = \"2023-11-14\" }"),
                    "no version as old as 2023-11-14"));
    EXPECT_TRUE(
        Has(CountOf(own, store, table + ", timestamp = \"soon\" }"), "\"soon\" is no time"));
    EXPECT_TRUE(Has(CountOf(own, store, table + ", version = 7 }"), "version"));
  }
  EXPECT_TRUE(Has(CountOf(own, store, "{ delta = \"runs\" }"), "is not a Delta table"));
}

TEST(Lakes, ADeltaTableIsKeptByItsVersion) {
  NEED_EXTENSION("delta", "delta");
  const OwnJob own(MachinesTable(600), JobOver("{ delta = \"delta\" }"));
  AddDeltaVersion(own, 0, "id < 500", 1'700'000'000'000);
  const auto kept = [&](const std::string& job) {
    own.Write("job.toml", job);
    const Outcome run = AtStore(own, {{"PROTIUM_STORE", own / "store"}},
                                {"run", own / "job.toml", "--runs-dir", own / "runs"});
    EXPECT_EQ(run.exit, 0) << run.err;
    return Has(run.err, "etl      kept from") && Has(run.err, "fit      kept from");
  };
  const std::string newest = JobOver("{ delta = \"delta\" }");
  EXPECT_FALSE(kept(newest));
  EXPECT_TRUE(kept(newest));
  AddDeltaVersion(own, 1, "id >= 500", 1'800'000'000'000);
  EXPECT_FALSE(kept(newest));
  EXPECT_TRUE(kept(newest));
  EXPECT_TRUE(kept(JobOver("{ delta = \"delta\", version = 0 }")));
  // Another table at the same place, with as many versions.
  fs::remove_all(own / "delta");
  AddDeltaVersion(own, 0, "id < 400", 1'800'000'000'001);
  AddDeltaVersion(own, 1, "id >= 400 AND id < 550", 1'800'000'000'002);
  EXPECT_FALSE(kept(newest));
}

void ExpectTwoSnapshots(const OwnJob& own, const ObjectServer* store, const std::string& place,
                        const std::string& first) {
  const std::string table = "{ iceberg = \"" + place + "\"";
  EXPECT_EQ(CountOf(own, store, table + " }"), "\"n\",\"ids\"\n100,4950\n");
  EXPECT_EQ(CountOf(own, store, table + ", version = " + first + " }"), "\"n\",\"ids\"\n10,45\n");
  EXPECT_TRUE(Has(CountOf(own, store, table + ", version = 5 }"), "has no snapshot 5"));
  EXPECT_TRUE(Has(CountOf(own, store, table + ", timestamp = \"2020-01-01\" }"),
                  "no version as old as 2020-01-01"));
}

TEST(Lakes, AnIcebergTableIsReadAtItsSnapshotOrTime) {
  NEED_LAKES();
  const OwnJob own;
  const Outcome made = RunLakePython(
      kMakeIceberg, {own.path().string(), "file://" + own.path().string(), ""}, own.path());
  ASSERT_EQ(made.exit, 0) << made.err;
  ExpectTwoSnapshots(own, nullptr, "sales/prices", made.out.substr(0, made.out.find('\n')));
  const fs::path metadata = own / "sales/prices/metadata";
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(metadata)) {
    if (entry.path().filename().string().starts_with("00002-")) newest = entry.path();
  }
  fs::copy(newest, metadata / "00002-other.metadata.json");
  const std::string table = "{ iceberg = \"sales/prices\" }";
  EXPECT_TRUE(Has(CountOf(own, nullptr, table), "does not tell which of its files"));
  const std::string named = "{ iceberg = \"" + newest.string() + "\" }";
  EXPECT_EQ(CountOf(own, nullptr, named), "\"n\",\"ids\"\n100,4950\n");
}

TEST(Lakes, AnIcebergTableAtAStoreIsReadAtItsSnapshotOrTime) {
  NEED_LAKES();
  NEED_STORE(store);
  const OwnJob own;
  store->Put(own.path(), "begin");
  const Outcome made =
      RunLakePython(kMakeIceberg, {own.path().string(), "s3://lake/wh", store->url()}, own.path());
  ASSERT_EQ(made.exit, 0) << made.err;
  ExpectTwoSnapshots(own, store, "s3://lake/wh/sales/prices",
                     made.out.substr(0, made.out.find('\n')));
}

// Answers the two questions of Iceberg's REST protocol, for the table whose newest metadata is
// given, to whoever has the token.
constexpr const char* kCatalog = R"(import http.server, json, sys
metadata, token = sys.argv[1:3]
answers = {"/iceberg/v1/config?warehouse=w": {"defaults": {}, "overrides": {"prefix": "main"}},
           "/iceberg/v1/main/namespaces/sales/tables/prices": {"metadata-location": metadata}}
class Catalog(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        allowed = self.headers.get("Authorization") == "Bearer " + token
        status = 401 if not allowed else 200 if self.path in answers else 404
        body = json.dumps(answers.get(self.path) if status == 200 else {}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)
    do_HEAD = do_GET
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[3])), Catalog)
server.serve_forever()
)";

TEST(Lakes, ACatalogueSaysWhereItsTableLies) {
  NEED_LAKES();
  NEED_EXTENSION("httpfs", "s3");
  const OwnJob own;
  const Outcome made = RunLakePython(
      kMakeIceberg, {own.path().string(), "file://" + own.path().string(), ""}, own.path());
  ASSERT_EQ(made.exit, 0) << made.err;
  std::string newest;
  for (const auto& entry : fs::directory_iterator(own / "sales/prices/metadata")) {
    const std::string name = entry.path().filename();
    if (name.starts_with("00002-")) newest = "file://" + entry.path().string();
  }
  const int port = FreePort();
  Running catalog(
      {"/usr/bin/env", "python3", "-c", kCatalog, newest, kStoreCanary, std::to_string(port)},
      own.path());
  ASSERT_TRUE(AwaitAnswer(port, catalog));
  const auto counted = [&](const std::string& name, const std::string& token) {
    own.Write("job.toml",
              fmt::format("name = \"c\"\n[tables]\nt = {{ iceberg = \"{}\", catalog = \"c\" }}\n"
                          "[connections.c]\nurl = \"http://127.0.0.1:{}/iceberg?warehouse=w\"\n"
                          "password = {{ env = \"TOKEN\" }}\n[etl]\nsql = \"SELECT count(*) AS n, "
                          "sum(id) AS ids FROM t\"\n[outputs]\ncounted = \"{}\"\n",
                          name, port, (own / "counted.csv").string()));
    const Outcome run =
        AtStore(own, {{"TOKEN", token}},
                {"run", (own / "job.toml").string(), "--runs-dir", own / "runs", "--force"});
    EXPECT_FALSE(Has(run.out + run.err, kStoreCanary));
    return run.exit == 0 ? own.Text("counted.csv") : run.err;
  };
  EXPECT_EQ(counted("sales.prices", kStoreCanary), "\"n\",\"ids\"\n100,4950\n");
  EXPECT_TRUE(Has(counted("sales.costs", kStoreCanary), "has no table \"sales.costs\""));
  EXPECT_TRUE(Has(counted("sales.prices", "other"), "the catalogue refuses the token"));
  EXPECT_TRUE(Has(counted("prices", kStoreCanary), "needs a name with its namespace"));
  EXPECT_FALSE(AnyFileHas(own / "runs", kStoreCanary));
}

TEST(Lakes, ParquetAtAStoreHasTheTypesOfLocalFiles) {
  NEED_LAKES();
  NEED_STORE(store);
  const OwnJob own;
  fs::create_directories(own / "types");
  const Outcome made =
      RunLakePython(kMakeTypes, {(own / "types/all.parquet").string()}, own.path());
  ASSERT_EQ(made.exit, 0) << made.err;
  store->Put(own / "types", "types");
  std::string read[2];
  for (const bool remote : {false, true}) {
    const std::string at = remote ? "s3://lake/types/all.parquet" : "types/all.parquet";
    const std::string out = (own / (remote ? "remote.parquet" : "local.parquet")).string();
    own.Write("job.toml", "name = \"types\"\n[tables]\nt = { parquet = \"" + at +
                              "\" }\n[etl]\nsql = \"SELECT * FROM t ORDER BY i64\"\n[outputs]\n"
                              "all = \"" +
                              out + "\"\n");
    const Outcome run = RunAtStore(own, *store);
    ASSERT_EQ(run.exit, 0) << run.err;
    const Outcome shown = RunLakePython(
        "import sys, pyarrow.parquet as pq\nt = pq.read_table(sys.argv[1])\n"
        "print(t.schema.remove_metadata(), t.to_pylist())\n",
        {out}, own.path());
    ASSERT_EQ(shown.exit, 0) << shown.err;
    read[remote ? 1 : 0] = shown.out;
  }
  EXPECT_EQ(read[1], read[0]);
  EXPECT_TRUE(Has(read[0], "d38: decimal128(38, 10)")) << read[0];
}

}  // namespace protium::whole
