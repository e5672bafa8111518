// SPDX-License-Identifier: Apache-2.0
#include "whole/servers.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <thread>
#include <utility>

#include "whole/free_port.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

constexpr int kNobody = 65534;

// A folder that the server's user owns: the servers refuse to run as root.
fs::path NewFolder() {
  std::string name = (fs::temp_directory_path() / "pt_server_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return {};
  if (getuid() == 0 && chown(name.c_str(), kNobody, kNobody) != 0) return {};
  return name;
}

// The signal comes when the test ends, even if it is killed.
std::vector<std::string> AsNobody(std::vector<std::string> words, const std::string& at_end) {
  std::vector<std::string> before = {"/usr/bin/setpriv", "--pdeathsig", at_end};
  if (getuid() == 0) {
    before.insert(before.end(), {"--reuid=65534", "--regid=65534", "--clear-groups"});
  }
  words.insert(words.begin(), before.begin(), before.end());
  return words;
}

Outcome Command(std::vector<std::string> words, const fs::path& scratch) {
  Running running(std::move(words), scratch, {{"PGPASSWORD", kCanary}, {"MYSQL_PWD", kCanary}});
  return running.Wait();
}

// The folder of the newest release's programs; empty: none is installed.
fs::path PostgresPrograms() {
  fs::path newest;
  std::error_code ignored;
  for (const auto& release : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const fs::path programs = release.path() / "bin";
    if (fs::exists(programs / "postgres")) newest = std::max(newest, programs);
  }
  return newest;
}

}  // namespace

std::unique_ptr<DatabaseServer> DatabaseServer::StartPostgres(std::string& why) {
  const fs::path programs = PostgresPrograms();
  why = "PostgreSQL is not installed: apt-get install postgresql";
  if (programs.empty()) return nullptr;
  std::unique_ptr<DatabaseServer> made(new DatabaseServer());
  made->folder_ = NewFolder();
  made->port_ = FreePort();
  const fs::path password = made->folder_ / "password";
  std::ofstream(password) << kCanary << "\n";
  const std::string data = (made->folder_ / "data").string();
  const Outcome init =
      Command(AsNobody({(programs / "initdb").string(), "-D", data, "-A", "scram-sha-256", "-U",
                        "reader", "--pwfile=" + password.string(), "--no-sync", "--locale=C.UTF-8"},
                       "KILL"),
              "/tmp");
  why = "initdb fails: " + init.err;
  if (init.exit != 0) return nullptr;
  const std::string folder = made->folder_.string();
  made->words_ = AsNobody({(programs / "postgres").string(), "-D", data, "-p",
                           std::to_string(made->port_), "-k", folder},
                          "INT");
  for (const std::string& setting :
       {std::string("listen_addresses=127.0.0.1"), std::string("log_statement=all"),
        std::string("fsync=off"), std::string("logging_collector=on"), "log_directory=" + folder,
        std::string("log_filename=log"), std::string("log_file_mode=0644")}) {
    made->words_.insert(made->words_.end(), {"-c", setting});
  }
  why = "the PostgreSQL server does not start";
  if (!made->StartAgain()) return nullptr;
  made->Sql("CREATE DATABASE shop");
  return made;
}

bool DatabaseServer::StartAgain() {
  server_ = std::make_unique<Running>(words_, "/tmp");
  if (!AwaitAnswer(port_, *server_)) return false;
  for (int i = 0; i < 100; ++i) {
    if (Sql("SELECT 1") == "1\n") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

std::unique_ptr<DatabaseServer> DatabaseServer::StartMariaDb(std::string& why) {
  why = "MariaDB is not installed: apt-get install mariadb-server";
  if (!fs::exists("/usr/sbin/mariadbd")) return nullptr;
  std::unique_ptr<DatabaseServer> made(new DatabaseServer());
  made->postgres_ = false;
  made->folder_ = NewFolder();
  made->port_ = FreePort();
  const std::string data = (made->folder_ / "data").string();
  const Outcome init =
      Command(AsNobody({"/usr/bin/mariadb-install-db", "--no-defaults", "--datadir=" + data,
                        "--auth-root-authentication-method=normal", "--skip-test-db"},
                       "KILL"),
              "/tmp");
  why = "mariadb-install-db fails: " + init.err;
  if (init.exit != 0) return nullptr;
  const fs::path start = made->folder_ / "start.sql";
  // The server reads one statement a line. Users without a name would go before ours.
  std::ofstream(start) << "CREATE DATABASE shop;\nDROP USER IF EXISTS ''@'localhost';\n"
                       << "CREATE USER 'reader'@'%' IDENTIFIED BY '" << kCanary << "';\n"
                       << "GRANT ALL ON *.* TO 'reader'@'%';\n";
  made->server_ = std::make_unique<Running>(
      AsNobody({"/usr/sbin/mariadbd", "--no-defaults", "--datadir=" + data,
                "--bind-address=127.0.0.1", "--port=" + std::to_string(made->port_),
                "--socket=" + (made->folder_ / "socket").string(),
                "--pid-file=" + (made->folder_ / "pid").string(), "--init-file=" + start.string(),
                "--general-log=1", "--general-log-file=" + (made->folder_ / "log").string()},
               "TERM"),
      "/tmp");
  why = "the MariaDB server does not start";
  if (!AwaitAnswer(made->port_, *made->server_)) return nullptr;
  for (int i = 0; i < 100 && made->Sql("SELECT 1") != "1\n"; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return made;
}

DatabaseServer::~DatabaseServer() {
  Stop();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void DatabaseServer::Stop() {
  if (server_ == nullptr) return;
  // PostgreSQL's fast end; MariaDB has no other.
  server_->Signal(postgres_ ? SIGINT : SIGTERM);
  server_->Wait(std::chrono::seconds(20));
  server_.reset();
}

std::string DatabaseServer::url() const {
  return fmt::format("{}://reader@127.0.0.1:{}/shop", postgres_ ? "postgresql" : "mysql", port_);
}

std::string DatabaseServer::Sql(const std::string& text) const {
  const std::string port = std::to_string(port_);
  const std::string database = text.starts_with("CREATE DATABASE") ? "postgres" : "shop";
  const Outcome outcome =
      postgres_ ? Command({(PostgresPrograms() / "psql").string(), "-h", "127.0.0.1", "-p", port,
                           "-U", "reader", "-d", text == "SELECT 1" ? "postgres" : database, "-Atq",
                           "-v", "ON_ERROR_STOP=1", "-c", text},
                          "/tmp")
                : Command({"/usr/bin/mariadb", "--no-defaults", "-h", "127.0.0.1", "-P", port, "-u",
                           "reader", "-N", "-B", "-D", "shop", "-e", text},
                          "/tmp");
  return outcome.exit == 0 ? outcome.out : "failed: " + outcome.err;
}

std::string DatabaseServer::Log() const { return ReadText(folder_ / "log"); }

}  // namespace protium::whole
